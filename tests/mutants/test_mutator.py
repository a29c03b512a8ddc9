"""The mutants are what they claim to be: one change each, every kind, the same ones every time."""

from __future__ import annotations

import pytest

from kernels.catalog import load_catalog
from tests.mutants.mutator import AT_MOST, KINDS, all_mutants, drawn
from tests.mutants.runner import SOURCES

SMALL = b"""static double scale(double x, size_t n) { return x * n; }
double sum(const float *a, size_t n)
{
\tdouble total = 0;
\tfor (size_t i = 0; i < n; i++)
\t\ttotal += scale(a[i], 3);
\treturn total;
}
"""
PLACES = [(kernel, source) for kernel in load_catalog() for source in SOURCES]


def afters(source: bytes) -> dict[str, set[str]]:
    """kind -> the lines that its mutants make"""
    found = {kind: set() for kind in KINDS}
    for mutant in all_mutants(source):
        found[mutant.kind].add(mutant.after)
    return found


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("operator", "total -= scale(a[i], 3);"),
        ("operator", "for (size_t i = 0; i < n; i--)"),
        ("operator", "static double scale(double x, size_t n) { return x / n; }"),
        ("bound", "for (size_t i = 0; i <= n; i++)"),
        ("bound", "for (size_t i = 0; i > n; i++)"),
        ("constant", "for (size_t i = 1; i < n; i++)"),
        ("constant", "total += scale(a[i], 4);"),
        ("constant", "total += scale(a[i], 2);"),
        ("arguments", "total += scale(3, a[i]);"),
        ("statement", ";"),
        ("type", "for (uint32_t i = 0; i < n; i++)"),
        ("type", "for (int i = 0; i < n; i++)"),
        ("type", "float total = 0;"),
    ],
)
def test_a_small_source_has_the_mutant(kind: str, after: str) -> None:
    assert after in afters(SMALL)[kind]


def test_a_mutant_knows_its_function_and_its_line() -> None:
    mutant = next(mutant for mutant in all_mutants(SMALL) if mutant.after == "total -= scale(a[i], 3);")
    assert mutant.name == "sum: operator: total += scale(a[i], 3); => total -= scale(a[i], 3);"
    assert mutant.line == 6


def test_what_cannot_be_parsed_is_an_error_with_its_line() -> None:
    with pytest.raises(ValueError, match="line 2"):
        all_mutants(b"int f(void)\n{ return 1 +* ; )\n}\n")


@pytest.mark.parametrize(("kernel", "source"), PLACES)
def test_every_kernel_source_has_distinct_mutants_of_the_kinds_it_allows(kernel: str, source: str) -> None:
    text = (load_catalog()[kernel].folder / f"{source}.c").read_bytes()
    every, some = all_mutants(text), drawn(text, f"{kernel}/{source}.c")
    assert len({mutant.apply(text) for mutant in every}) == len(every)
    assert text not in {mutant.apply(text) for mutant in every}
    assert len(some) == min(len(every), AT_MOST)
    assert {mutant.kind for mutant in some} == {mutant.kind for mutant in every}


def test_the_same_mutants_are_drawn_every_time_and_others_for_another_source() -> None:
    text = (load_catalog()["mandel_count"].folder / "tuned.c").read_bytes()
    assert drawn(text, "a") == drawn(text, "a")
    assert drawn(text, "a") != drawn(text, "b")


def test_a_source_with_many_constants_leaves_room_for_the_other_kinds() -> None:
    text = b"int f(int a, int b) { return a < b; }\nint t[] = {" + b", ".join(b"%d" % n for n in range(500)) + b"};\n"
    assert {mutant.kind for mutant in drawn(text, "many", 10)} >= {"bound", "type", "statement", "constant"}

"""The list of equivalent mutants explains what survives, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.catalog import load_catalog
from tests.mutants.equivalents import Equivalent, load, split
from tests.mutants.mutator import all_mutants, drawn
from tests.mutants.runner import SOURCES

MUTANTS = all_mutants(b"int f(int a) { return a + 1; }\n")


def entry(*names: str, kernel: str = "k") -> Equivalent:
    return Equivalent(kernel, "tuned", "It is the same.", frozenset(names))


def test_a_survivor_without_a_sentence_stays_bare() -> None:
    explained, bare, stale = split(MUTANTS[:2], [entry(MUTANTS[0].name)], "k", "tuned")
    assert (explained, bare, stale) == ([MUTANTS[0]], [MUTANTS[1]], [])


def test_an_entry_that_no_survivor_has_is_stale() -> None:
    assert split([], [entry(MUTANTS[0].name)], "k", "tuned") == ([], [], [MUTANTS[0].name])


def test_an_entry_of_another_kernel_explains_nothing() -> None:
    assert split(MUTANTS[:1], [entry(MUTANTS[0].name, kernel="other")], "k", "tuned") == ([], MUTANTS[:1], [])


@pytest.mark.parametrize("why", ["", "block", "no full stop at its end"])
def test_an_entry_without_a_sentence_is_refused(why: str, tmp_path: Path) -> None:
    path = tmp_path / "equivalent.toml"
    path.write_text(f'[[equivalent]]\nkernel = "k"\nsource = "tuned"\nwhy = "{why}"\nmutants = ["f: x"]\n')
    with pytest.raises(ValueError, match="sentence"):
        load(path)


def test_every_entry_names_mutants_that_are_drawn() -> None:
    for listed in load():
        assert listed.source in SOURCES
        text = (load_catalog()[listed.kernel].folder / f"{listed.source}.c").read_bytes()
        assert listed.mutants <= {mutant.name for mutant in drawn(text, f"{listed.kernel}/{listed.source}.c")}

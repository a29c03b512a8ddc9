"""Answers that keep state between their calls, whichever call builds it: no speedup comes of it."""

from __future__ import annotations

import re

import pytest

from grading.pipeline import Options, grade_source
from grading.result import Verdict
from kernels.catalog import get_kernel, load_catalog
from tests.grading.corpus import SUBMISSIONS

KEEPER = (SUBMISSIONS / "count_primes" / "state_between_calls.c").read_text()
ENTRY = "uint64_t count_primes(uint64_t n)\n"
# How fast sieving is at most here; looking the result up is a million times faster.
HONEST_AT_MOST = 30.0

IN_A_RESOLVER = (
    '#pragma GCC optimize("no-tree-loop-distribute-patterns")\n'
    + KEEPER.replace("memset(seg, 1, sizeof seg);", "for (size_t i = 0; i < sizeof seg; i++) seg[i] = 1;")
    .replace("memset(bits_, 0xff, sizeof bits_);", "for (size_t w = 0; w < WORDS; w++) bits_[w] = ~0ull;")
    .replace(ENTRY, "static uint64_t look_up(uint64_t n)\n")
    + "\nstatic void *resolve(void) { prepare(); return (void *)look_up; }\n"
    + 'uint64_t count_primes(uint64_t n) __attribute__((ifunc("resolve")));\n'
)


def built_in_call(number: int) -> str:
    """The keeper, with its state built in that call of the process, and no use of it before."""
    head = f"if (++calls_ < {number}) return slow(n);\n\tif (n <= FROM"
    return KEEPER.replace(ENTRY, "static int calls_;\n" + ENTRY).replace("if (n <= FROM", head, 1)


@pytest.mark.parametrize(
    "source",
    [KEEPER, built_in_call(2), built_in_call(3), built_in_call(10), IN_A_RESOLVER],
    ids=["first", "second", "third", "tenth", "resolver"],
)
def test_state_that_is_kept_between_calls_brings_no_speedup(source, local_sandbox):
    options = Options(rounds=5, processes=2, total_s=150)
    result = grade_source(source, get_kernel("count_primes"), local_sandbox, options)
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.speedup < HONEST_AT_MOST
    assert result.speedup_high < 2 * HONEST_AT_MOST
    if source in (KEEPER, IN_A_RESOLVER):
        assert result.first_call is True
        assert "first calls" in result.detail
        assert min(result.samples["answer_ns"]) > 1e6
        assert min(result.samples["later_answer_ns"]) < 1e5


# The barrier keeps the compiler from making one call of two, which have the same arguments.
TWICE = """{signature}
{{
	static int begun;
	static volatile uint32_t first;
	if (!begun++) {{ first = inner({names}); __asm__ volatile("" ::: "memory"); }}
	return inner({names});
}}
"""


@pytest.mark.parametrize("kernel", ["levenshtein", "crc32_ieee"])
def test_a_first_call_that_takes_twice_as_long_is_what_counts(kernel, local_sandbox):
    """Where the state is a flag, and inputs are buffers."""
    found = get_kernel(kernel)
    names = {"levenshtein": "a, n, b, m", "crc32_ieee": "data, n"}[kernel]
    tuned = re.sub(rf"(?m)^uint32_t {kernel}\(", "static uint32_t inner(", found.tuned_source)
    source = f"{tuned}\n{TWICE.format(signature=found.signature, names=names)}\n"
    result = grade_source(source, found, local_sandbox, Options(rounds=5, processes=2, total_s=60))
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.first_call is True
    assert min(result.samples["answer_ns"]) > min(result.samples["later_answer_ns"])


LAZY_TABLE = """
static uint32_t table[256];
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	if (!table[1])
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = i;
			for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
			table[i] = c;
		}
	uint32_t c = ~0u;
	for (size_t i = 0; i < n; i++) c = c >> 8 ^ table[(c ^ data[i]) & 255];
	return ~c;
}
"""


def test_a_small_table_that_is_built_in_the_first_call_is_no_state(local_sandbox):
    result = grade_source(LAZY_TABLE, get_kernel("crc32_ieee"), local_sandbox, Options(rounds=5, processes=2, total_s=60))
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.first_call is False


def test_state_that_is_built_when_the_budget_is_over_brings_no_speedup(local_sandbox):
    options = Options(rounds=5, processes=2, call_s=4, total_s=8)
    result = grade_source(built_in_call(1600), get_kernel("count_primes"), local_sandbox, options)
    assert result.verdict is Verdict.TIME_LIMIT or (result.passed and result.speedup < HONEST_AT_MOST), result.detail


@pytest.mark.slow
def test_a_call_of_over_two_seconds_is_timed_as_a_first_one_only(local_sandbox):
    slow = "for (volatile long i = 0; n > 40000000 && i < 40; i++) slow(n - i);\n\treturn slow(n);\n\tif (n <= FROM"
    source = KEEPER.replace("if (n <= FROM", slow, 1)
    result = grade_source(source, get_kernel("count_primes"), local_sandbox, Options(rounds=6, processes=2))
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.sol_ms > 2000
    assert len(set(result.samples["process"])) == len(result.samples["answer_ns"]) == 5
    assert result.first_call is False


def test_kernels_of_scalars_are_those_whose_signature_has_no_pointer():
    for kernel in load_catalog().values():
        bench = (kernel.folder / "bench.c").read_text()
        assert (".in_align" in bench or ".out_align" in bench) == ("*" in kernel.signature), kernel.name

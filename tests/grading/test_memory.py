"""What an answer's memory is: what its process maps and touches, whatever its object claims and wherever it hides it."""

from __future__ import annotations

import pytest

from grading.pipeline import Options, grade_source
from grading.result import GradingResult, Verdict
from kernels.catalog import get_kernel
from tests.grading.corpus import SUBMISSIONS

QUICK = Options(rounds=5, processes=2, total_s=60)
DOT = (
    "float dot_f32(const float *a, const float *b, size_t n) { float s = 0; "
    "for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }"
)
MIB = 1 << 20


def source_of(kernel: str, name: str) -> str:
    return (SUBMISSIONS / kernel / f"{name}.c").read_text()


def grade_dot(source: str, sandbox, size: int = 1 << 16) -> GradingResult:
    return grade_source(source, get_kernel("dot_f32"), sandbox, Options(**{**vars(QUICK), "size": size}))


def section(name: str, flags: str, kind: str, size: str) -> str:
    return f'__asm__(".section {name},\\"{flags}\\",@{kind}\\n.skip {size}\\n.text");\n'


def test_read_only_memory_is_what_the_linked_program_maps(local_sandbox):
    result = grade_dot(source_of("dot_f32", "read_only_memory_wraps"), local_sandbox)
    assert result.verdict is Verdict.MEMORY_LIMIT
    assert result.extra_mb == pytest.approx(16, abs=0.1)


@pytest.mark.parametrize("flags", ["ae", "e", ""])
def test_a_section_that_the_linker_leaves_out_is_no_memory(flags, local_sandbox):
    result = grade_dot(section(".foo", flags, "nobits", "0x1000000000000000") + DOT, local_sandbox)
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.extra_mb == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("flags", ["a", "aw"])
@pytest.mark.parametrize("size", ["0x1000000000000000", "0x7fffffffffff0000", "0x40000000000", "0x200000000"])
def test_a_section_too_large_for_any_program_is_the_answers_fault(flags, size, local_sandbox):
    result = grade_dot(section(".foo", flags, "nobits", size) + DOT, local_sandbox)
    assert result.verdict in (Verdict.COMPILE_ERROR, Verdict.RUNTIME_ERROR), result.detail


def test_sizes_that_sum_to_nothing_are_the_answers_fault(local_sandbox):
    twice = section(".foo", "a", "nobits", "0x7fffffffffff0000") + section(".bar", "a", "nobits", "0x7fffffffffff0000")
    assert grade_dot(twice + DOT, local_sandbox).verdict in (Verdict.COMPILE_ERROR, Verdict.RUNTIME_ERROR)


@pytest.mark.parametrize("mib", [1, 3])
@pytest.mark.parametrize("name", [".rodata", ".text", ".note.mine", ".eh_frame_of_mine"])
def test_constants_count_by_their_size_in_whatever_section_they_lie(mib, name, local_sandbox):
    code = "x" if name == ".text" else ""
    table = (
        f'__asm__(".section {name},\\"a{code}\\"\\n.globl big\\nbig: .fill {mib * MIB},1,1\\n.text");\nextern const char big[];\n'
    )
    result = grade_dot(table + DOT.replace("float s = 0", "float s = *(volatile const char *)big - 1"), local_sandbox)
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.extra_mb == pytest.approx(mib, abs=0.1)


FIXED_BUFFER = """
static int ascending(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}
static uint32_t fixed[SIZE];
void sort_u32(uint32_t *data, size_t n)
{
	if (n == 0) return;
	uint32_t *copy = n <= SIZE ? fixed : malloc(4 * n);
	for (size_t i = 0; i < n; i++) copy[i] = data[i];
	qsort(data, n, 4, ascending);
	if (copy != fixed) free(copy);
}
"""


def test_memory_is_what_calls_of_at_most_the_benchmarks_size_take(local_sandbox):
    size = 1 << 17
    options = Options(rounds=3, processes=1, size=size, total_s=60)
    result = grade_source(FIXED_BUFFER.replace("SIZE", str(size)), get_kernel("sort_u32"), local_sandbox, options)
    assert result.verdict is Verdict.PASSED, result.detail
    assert result.extra_mb < 1.5 * (4 * size / MIB) + 0.5  # qsort of glibc takes a copy of its own, or none


def test_what_lies_behind_the_output_cannot_be_restored(local_sandbox):
    source = source_of("matmul_f32", "scratch_behind_the_output")
    result = grade_source(source, get_kernel("matmul_f32"), local_sandbox, QUICK)
    # in a small test, whose output ends before the unmapped page, it may not come so far
    assert result.verdict in (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)
    assert "outside the output" in result.detail or "SIGSEGV" in result.detail


# Continues what lies before and behind its output: by repetition of 1 to 64 words, by differences, by the generators in use.
RESTORES = """
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {{
			double s = 0;
			for (size_t k = 0; k < n; k++) s += (double)a[i * n + k] * b[k * n + j];
			c[i * n + j] = (float)s;
		}}
	uint64_t *behind = (uint64_t *)(((uintptr_t)(c + n * n) + 127) & ~63ul);
	if (n == 64) {guess};
}}
"""
GUESSES = {
    "a word": "behind[9] = behind[8]",
    "eight words": "behind[16] = behind[8]",
    "a cache line of pieces": "behind[136] = behind[8]",
    "a difference": "behind[9] = behind[8] + (behind[8] - behind[7])",
    "a word of before": "behind[9] = *((uint64_t *)((uintptr_t)c & ~63ul) - 8)",
}


@pytest.mark.parametrize("guess", GUESSES.values(), ids=GUESSES)
def test_the_filling_does_not_repeat_itself(guess, local_sandbox):
    options = Options(rounds=5, processes=1, size=64, total_s=60)
    result = grade_source(RESTORES.format(guess=guess), get_kernel("matmul_f32"), local_sandbox, options)
    assert result.verdict is Verdict.WRONG_ANSWER
    assert "rote outside the output" in result.detail

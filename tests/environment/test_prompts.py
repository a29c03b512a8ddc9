"""A prompt names what the harness enforces: signature, limits, rules, inputs, score and answer tags, kernel by kernel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grading.answer import extract
from grading.pipeline import CALL_S, TOTAL_S
from grading.scoring import SCORE_WORDS
from grading.translation_unit import PRELUDE, SOURCE_LIMIT_BYTES, translation_unit
from grading.version import HARNESS
from kernels.catalog import load_catalog
from kernels.prompts import SYSTEM_PROMPTS
from kernels.spec import KernelSpec

ROOT = Path(__file__).resolve().parents[2]
KERNELS = list(load_catalog().values())
SIZE_OF = {"1": 1, "sizeof(float)": 4, "sizeof(uint32_t)": 4, "sizeof(uint64_t)": 8, "sizeof(int64_t)": 8}
# What the harness objects to, by a word of its message -> what a prompt says of it.
RULES = {
    "constructors and destructors": "no constructors or destructors",
    "how the program is started": "code runs only when the function is called",
    "both writable and executable": "no memory that is both writable and executable",
    "an executable stack": "no executable stack",
    "must be defined once": "defines the function once",
    "threads and processes": "one thread only. no other processes",
    "cannot be made local": "code runs only when the function is called",  # an IFUNC-like symbol that the loader would call
    "does not link": "defines the function once",
    "did not make a relocatable object": "c source",
}

each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def text_of(kernel: KernelSpec) -> str:
    """The prompt on one line, so that it does not matter where lines end."""
    return " ".join(kernel.prompt.split())


@each_kernel
def test_the_signature_is_the_prototype_that_answers_are_compiled_against(kernel):
    blocks = re.findall(r"```c\n(.*?)\n```", kernel.prompt, re.DOTALL)
    assert blocks == [kernel.signature]
    assert f"{kernel.signature};".encode() in translation_unit("", kernel)


@each_kernel
def test_the_limits_are_those_of_the_kernel_and_the_grader(kernel):
    text = text_of(kernel)
    assert re.findall(r"at most (\S+) MiB", text) == [f"{kernel.memory_limit_mb:g}"]
    assert f"at most {CALL_S} s of CPU time" in text
    assert f"together at most {TOTAL_S} s" in text
    assert f"at most {SOURCE_LIMIT_BYTES // 1000} kB" in text


@each_kernel
def test_the_compiler_is_called_as_the_harness_calls_it(kernel):
    flags = re.search(r'echo "(-std.*?)\$errors"', (HARNESS / "build.sh").read_text())
    assert flags
    assert f"gcc {flags[1].replace('$MARCH', '-march=native')}" in text_of(kernel)


@each_kernel
def test_the_headers_are_those_of_the_prelude(kernel):
    included = re.findall(r"#include (<\w+\.h>)", PRELUDE.read_text())
    (sentence,) = re.findall(r"- (`<stddef\.h>`.*?) are included before your source", text_of(kernel))
    assert re.findall(r"`(<\w+\.h>)`", sentence) == included
    assert "the prototype above" in sentence


def objections() -> list[str]:
    """Messages of the harness about a source that it will not run."""
    return re.findall(r'object_to\(r, "\w+", "([^"]+)"', (HARNESS / "inspect.c").read_text())


@pytest.mark.parametrize("message", objections())
def test_every_objection_of_the_harness_is_a_rule_in_every_prompt(message):
    (rule,) = [said for word, said in RULES.items() if word in message]
    assert [kernel.name for kernel in KERNELS if rule not in text_of(kernel).lower()] == []


@each_kernel
def test_the_calls_that_the_filter_refuses_are_named(kernel):
    text = text_of(kernel)
    for rule in ("One thread only", "No other processes, files or clocks"):
        assert rule in text


@each_kernel
def test_the_benchmark_is_the_one_that_is_run(kernel):
    size = kernel.benchmark_size
    named = {str(size), f"{size:,}", f"{size >> 20} MiB", f"{size >> 20} Mi"}
    timed = text_of(kernel).partition("## How it is timed")[2].partition("## Rules")[0]
    assert any(re.search(rf"(?<![\d,]){name}(?!,?\d)", timed) for name in named), timed
    assert "Every timed result is checked" in timed


@each_kernel
def test_the_alignment_is_the_one_that_the_inputs_have(kernel):
    said = re.search(r"\.in_align = \{(.*?)\}", (kernel.folder / "bench.c").read_text())
    if said is None:  # no input but numbers
        assert "*" not in kernel.signature or kernel.name == "sort_u32"  # which is in place
        return
    checked = text_of(kernel).partition("## How it is checked")[2].partition("## How it is timed")[0]
    for align in {SIZE_OF[part.strip()] for part in said[1].split(",")}:
        assert (f"aligned to {align} bytes" if align > 1 else "align") in checked
        assert (align == 1) == bool(
            re.search(r"any alignment|[Nn]either (string )?is aligned", checked)
        ) or kernel.name == "byte_histogram"
    assert re.search(r"do not read (or write )?outside", checked)


@each_kernel
def test_the_score_is_the_graders(kernel):
    text = text_of(kernel)
    assert SCORE_WORDS in text
    assert "0 if it does not compile, crashes, is wrong even once, or breaks a rule" in text


@each_kernel
def test_an_answer_given_as_asked_is_found(kernel):
    assert "inside one pair of tags: `<answer></answer>`" in text_of(kernel)
    source = kernel.reference_source.strip()
    assert extract(f"Here it is.\n<answer>\n{source}\n</answer>\n", kernel.entry).source == source
    assert extract(kernel.prompt, kernel.entry).source is None  # quoted in a reply, the prompt is no answer itself


def test_a_system_prompt_names_the_architecture():
    for arch, prompt in SYSTEM_PROMPTS.items():
        assert [name for name in SYSTEM_PROMPTS if name in prompt] == [arch]

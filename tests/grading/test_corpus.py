"""Answers that cheat, honest ones that strict graders refuse, and wrong ones of every kind: through the real grader."""

import ctypes
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from grading.pipeline import Options, grade_source
from grading.result import GradingResult, Verdict
from grading.sandbox.local import PLAIN_UID
from grading.sandbox.process import descendants
from kernels.catalog import get_kernel, load_catalog
from tests.grading.corpus import SUBMISSIONS, Entry, attacks_and_honest, of_kernels, of_templates, quick_size
from tests.grading.processes import wait_until

PR_SET_CHILD_SUBREAPER = 36
# What cheating must not reach, by kernel and class: honest portable code is faster than that, so a cheat that works would be too.
TIME = {"dot_f32": 2.5, "prefix_sum_i64": 1.8}
MOST = {"time": TIME, "slowref": TIME, "thread": {"dot_f32": 1.5, "prefix_sum_i64": 1.5}}
NOT_PASSED = {"mem", "neg", "batch"}
BOUNDED = {"compile", "dos"}  # may pass or fail: it is enough that the grading ends, and says nothing of the host
CLASSES = {*MOST, *NOT_PASSED, *BOUNDED, "exfil", "control", "honest"}
# These use 3 MiB and hide it: with a limit of 1 MiB they show whether it is seen.
HIDERS = ("100_", "102_", "103_", "105_", "111_", "113_", "114_", "147_")
QUICK = Options(rounds=5, processes=1, call_s=2, total_s=10)
ATTACK = replace(QUICK, total_s=4)
MEMORY = replace(ATTACK, size=1 << 20, memory_limit_mb=1)
BATCH = replace(ATTACK, size=1024, batch=256, rounds=20)  # the judge looks between two calls of its choice: 5 rounds miss some
FULL = Options(call_s=5, total_s=60)
SECONDS_AT_MOST = 120.0
WRONG_AT_LEAST = 8  # different wrong answers to a kernel, written for it
SCRATCH_64 = {"h24_scratch_64mb", "78_w_bss_scratch", "108_ifunc_touch", "121_ifunc_touch_unmap", "19_interpose_getrusage_mem"}

ALL = attacks_and_honest()
OF_KERNELS = of_kernels()
OF_TEMPLATES = of_templates()


@pytest.fixture(autouse=True)
def nothing_is_left(local_sandbox):
    """No process, also none that lost its parent (it becomes our child), and no file: neither in the sandbox nor in /tmp."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = set(local_sandbox.folder.rglob("*"))
    yield
    wait_until(lambda: not descendants(os.getpid()))  # the first process of a namespace is killed, and takes a moment to end
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    assert set(local_sandbox.folder.rglob("*")) == before
    foreign = [path for path in Path("/tmp").iterdir() if not path.name.startswith("arch-kernels-") and owner(path) == PLAIN_UID]
    assert not foreign
    assert not Path("/tmp/cache35").exists()


def owner(path):
    try:
        return path.lstat().st_uid
    except FileNotFoundError:
        return None


def grade(entry: Entry, sandbox, options: Options) -> GradingResult:
    if entry.arch not in (None, sandbox.arch):
        pytest.skip(f"is {entry.arch} code")
    began = time.monotonic()
    result = grade_source(entry.source, get_kernel(entry.kernel), sandbox, options)
    assert time.monotonic() - began - result.seconds.get("wait", 0.0) < SECONDS_AT_MOST
    assert result.verdict is not Verdict.INTERNAL_ERROR
    return result


def assert_beaten(entry: Entry, result: GradingResult) -> None:
    """By its class; see the heads of the files."""
    speedup = result.speedup or 0.0
    if entry.group in MOST:
        assert not result.passed or speedup < MOST[entry.group][entry.kernel]
    if entry.group in NOT_PASSED:
        assert not result.passed
    if entry.group == "exfil":
        assert not exfiltrated(result)
    if entry.group == "control":
        assert result.verdict is Verdict.PASSED
    if entry.want is not None:
        assert result.verdict == entry.want


def exfiltrated(result: GradingResult) -> list[str]:
    """Lines of the host's own files in the record."""
    record = json.dumps(result.to_dict())
    paths = [path for path in map(Path, ("/etc/passwd", "/etc/hostname", "/etc/hosts")) if path.exists()]
    lines = [line for path in paths for line in path.read_text().split("\n")]
    return [line for line in lines if len(line) > 4 and line in record]


def options_for(entry: Entry) -> Options:
    """Small and short, so that all of it can be run at every change."""
    return {"mem": MEMORY, "batch": BATCH}.get(entry.group) or replace(
        QUICK if entry.group == "honest" else ATTACK, size=quick_size(entry.kernel)
    )


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_attacks_are_beaten_and_honest_code_gets_its_verdict(entry, local_sandbox):
    result = grade(entry, local_sandbox, options_for(entry))
    assert_beaten(entry, result)
    assert not exfiltrated(result)
    if entry.path.name.startswith(HIDERS):
        assert result.verdict is Verdict.MEMORY_LIMIT
        assert result.extra_mb == pytest.approx(3.0, abs=0.3)
    if entry.path.stem in SCRATCH_64:
        assert (result.verdict, result.correct) == (Verdict.MEMORY_LIMIT, True)
        assert result.extra_mb == pytest.approx(64.0, abs=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [entry for entry in ALL if entry.group not in ("batch", "mem")], ids=lambda entry: entry.name)
def test_attacks_are_beaten_at_the_kernels_own_size(entry, local_sandbox):
    assert_beaten(entry, grade(entry, local_sandbox, FULL))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("honest/h46_crash", ["SIGSEGV", "n = 17"]),
        ("honest/h10_assert_fails", ["SIGABRT", "n = 1"]),
        ("honest/h47_stack_overflow", ["SIGSEGV"]),
        ("honest/h48_trap", ["SIGILL", "n = 3"]),
        ("honest/h51_endless", ["n = 100"]),
        ("honest/h24_scratch_64mb", ["64.", "4.00"]),
        ("honest/h11_pthread", ["pthread_create"]),
        ("honest/h49_wrong_name", ["dot_f32"]),
        ("redteam/93_w_nested_trampoline", ["executable stack"]),
        ("redteam/13_ctor_forge", ["onstructors"]),
        ("redteam/87_w_write_canary", ["outside the output"]),
        ("redteam/33_nan_return", ["nan"]),
    ],
)
def test_the_detail_says_what_to_look_at(name, parts, local_sandbox):
    entry = next(entry for entry in ALL if entry.name == name)
    detail = grade(entry, local_sandbox, options_for(entry)).detail
    for part in parts:
        assert part in detail


def test_an_answer_does_not_choose_which_of_its_rounds_count(local_sandbox):
    entry = next(entry for entry in ALL if entry.name == "redteam/146_rounds_run_again")
    # on a busy host the judge wakes too late to see it, and then the round counts as it is
    tries = (grade(entry, local_sandbox, Options(rounds=15, processes=1, total_s=30)) for _ in range(5))
    seen = next((result for result in tries if result.verdict is Verdict.RUNTIME_ERROR), None)
    assert seen
    assert "ignalled the end of a call" in seen.detail


def is_quick(entry: Entry) -> bool:
    """One answer per verdict and kernel, and what needs no long benchmark."""
    same = [other for other in OF_KERNELS if (other.kernel, other.want) == (entry.kernel, entry.want)]
    return entry.want not in ("passed", "memory_limit", "time_limit") and same.index(entry) == 0


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, id=entry.name, marks=[] if is_quick(entry) else [pytest.mark.slow]) for entry in OF_KERNELS],
)
def test_an_answer_to_a_kernel_gets_its_verdict(entry, local_sandbox):
    result = grade(entry, local_sandbox, Options(total_s=60))
    assert result.verdict == entry.want, result.detail


def is_first_pick(entry: Entry) -> bool:
    """Of each template one kernel, another for each: the n-th of the catalog for the n-th template."""
    templates, kernels = sorted({other.path for other in OF_TEMPLATES}), list(load_catalog())
    return kernels[templates.index(entry.path) % len(kernels)] == entry.kernel


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, id=entry.name, marks=[] if is_first_pick(entry) else [pytest.mark.slow]) for entry in OF_TEMPLATES],
)
def test_an_attack_of_no_one_kernel_gets_its_verdict_on_each(entry, local_sandbox):
    result = grade(entry, local_sandbox, replace(ATTACK, size=quick_size(entry.kernel)))
    assert result.verdict == entry.want, result.detail


def test_every_file_of_the_corpus_is_graded():
    graded = {entry.path for entry in ALL + OF_KERNELS + OF_TEMPLATES}
    elsewhere = set((SUBMISSIONS / "faults").glob("*.c"))  # graded on hosts that are short of something
    assert graded == set(SUBMISSIONS.glob("*/*.c")) - elsewhere


def test_every_kernel_has_at_least_eight_wrong_answers_of_its_own():
    wrong = {
        kernel: {code_of(entry) for entry in OF_KERNELS if entry.kernel == kernel and is_wrong(entry)}
        for kernel in load_catalog()
    }
    few = {kernel: len(found) for kernel, found in wrong.items() if len(found) < WRONG_AT_LEAST}
    assert not few, (
        f"its checks reject too few plausible mistakes: write wrong answers (`// verdict: VERDICT | why`) into "
        f"tests/submissions/<kernel>/, {WRONG_AT_LEAST} at least; there are {few}"
    )


def is_wrong(entry: Entry) -> bool:
    return entry.want not in (None, Verdict.PASSED)


def code_of(entry: Entry) -> str:
    """Without the comment at its head, and however it is laid out: a copy under another name is no other answer."""
    return "".join(line.strip() for line in entry.source.split("\n") if not line.startswith("// "))


def test_every_wanted_verdict_is_one():
    for entry in ALL + OF_KERNELS + OF_TEMPLATES:
        assert entry.want is None or Verdict(entry.want)
        assert entry.kernel in load_catalog()


def test_every_attack_is_of_a_class_that_is_held_to_something():
    for entry in ALL:
        assert entry.group in CLASSES, f"{entry.path}: class={entry.group} is none of {', '.join(sorted(CLASSES))}"
        assert entry.group not in MOST or entry.kernel in MOST[entry.group], f"{entry.path}: MOST lacks {entry.kernel}"
        assert entry.group != "honest" or entry.want, f"{entry.path}: the first line must say want=VERDICT"

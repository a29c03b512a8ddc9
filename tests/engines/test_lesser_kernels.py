"""Kernels that lack a defence: grading goes on with what is left, and says so.

lesser_kernel.c makes calls fail and files vanish as on such a kernel; gVisor lacks most of them at once.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from grading.driver import parse_outcome
from grading.faults import Fault
from grading.harness_source import HarnessSource
from grading.result import Verdict
from grading.sandbox.local import ENVIRONMENT, host_arch, plain_uid, why_unavailable
from grading.sandbox.process import run_bounded
from grading.translation_unit import translation_unit
from kernels.catalog import get_kernel
from tests.engines import answers

DOT = get_kernel("dot_f32")
LIKE_GVISOR = ("no-landlock", "no-filter-flags", "no-counter-switch", "no-cpu-clock", "no-clear-refs")
BARE = ("no-landlock", "no-seccomp", "no-counter-switch", "no-cpu-clock", "no-clear-refs", "no-status")
# what the record calls it -> what must be missing for it to be absent
ABSENT = {
    "landlock": {"no-landlock"},
    "seccomp": {"no-seccomp", "no-status"},  # the kernel's own word for it stands in the status
    "cpu_clock": {"no-cpu-clock"},
    "memory_reset": {"no-clear-refs"},
    "hidden_clocks": {"no-counter-switch"},
}


@dataclass(frozen=True)
class LesserKernel:
    folder: Path
    lacking: tuple[str, ...] = ()

    def run(self, *command: str, timeout_s: float = 120):
        argv = [str(self.folder / "lesser_kernel"), *self.lacking, "--", *command]
        environment = ENVIRONMENT | {"TMPDIR": str(self.folder)}
        return run_bounded(argv, cwd=str(self.folder), env=environment, timeout_s=timeout_s, uid=plain_uid())

    def grade(self, source: str, *options: str):
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "answer.c").write_bytes(translation_unit(source, DOT))
        if (uid := plain_uid()) is not None:
            shutil.chown(work, uid, uid)
        quick = ["size=100000", "rounds=5", "processes=2", "mem_kb=4096", "unwalled=1", *options]
        return parse_outcome(self.run(str(self.folder / "harness" / "grade"), str(work), "dot_f32", *quick))

    def selftest(self) -> dict[str, bool]:
        done = self.run(str(self.folder / "harness" / "selftest"), "--json")
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def built(own_folders: Path) -> LesserKernel:
    if reason := why_unavailable(host_arch()):
        pytest.skip(reason)
    folder = own_folders / "lesser"
    folder.mkdir()
    program = folder / "lesser_kernel"
    source = Path(__file__).with_name("lesser_kernel.c")
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", str(source), "-o", str(program)], check=True)
    (folder / "build.sh").write_bytes(HarnessSource(DOT).script)
    subprocess.run(["sh", str(folder / "build.sh"), str(folder / "harness")], check=True, capture_output=True)
    if (uid := plain_uid()) is not None:
        shutil.chown(folder, uid, uid)
    kernel = LesserKernel(folder)
    if kernel.run("true").exit_code != 0:
        pytest.skip("this kernel does not let a filter ask (seccomp user notification)")
    return kernel


def named(lacking: tuple[str, ...]) -> str:
    return {LIKE_GVISOR: "like gVisor", BARE: "bare", (): "nothing missing"}.get(lacking, " ".join(lacking))


@pytest.fixture(params=[*((one,) for one in sorted(set(LIKE_GVISOR + BARE))), (), LIKE_GVISOR, BARE], ids=named)
def kernel(request: pytest.FixtureRequest, built: LesserKernel) -> LesserKernel:
    return LesserKernel(built.folder, request.param)


@pytest.fixture(params=[LIKE_GVISOR, BARE], ids=named)
def poor_kernel(request: pytest.FixtureRequest, built: LesserKernel) -> LesserKernel:
    return LesserKernel(built.folder, request.param)


def test_right_and_wrong_are_told_apart(poor_kernel):
    right = poor_kernel.grade(answers.RIGHT)
    assert right.verdict is Verdict.PASSED, right.detail
    assert right.samples is not None
    assert min(right.samples.answer_ns) > 0
    assert poor_kernel.grade(answers.WRONG).verdict is Verdict.WRONG_ANSWER
    assert poor_kernel.grade(answers.CRASH).verdict is Verdict.RUNTIME_ERROR


def test_an_endless_call_ends(poor_kernel):
    assert poor_kernel.grade(answers.ENDLESS, "call_s=1", "total_s=3").verdict is Verdict.TIME_LIMIT


def test_the_record_names_what_was_missing(kernel):
    outcome = kernel.grade(answers.RIGHT)
    assert outcome.verdict is Verdict.PASSED, outcome.detail
    assert outcome.defences == {name: not reasons & set(kernel.lacking) for name, reasons in ABSENT.items()}


def test_memory_is_judged_where_it_can_be_seen_and_is_no_number_elsewhere(poor_kernel):
    outcome = poor_kernel.grade(answers.GREEDY)
    if "no-status" in poor_kernel.lacking:
        assert (outcome.verdict, outcome.extra_mb) == (Verdict.PASSED, None)
    else:
        assert outcome.verdict is Verdict.MEMORY_LIMIT, outcome.detail
        assert outcome.extra_mb == pytest.approx(64, abs=0.5)


def test_the_selftest_finds_out(kernel):
    lacking = set(kernel.lacking)
    resets = not lacking & {"no-clear-refs", "no-status"}
    tries = (kernel.selftest() for _ in range(3))  # on a busy host the kernel's counters may lag once
    found = next((found for found in tries if found["memory_reset"] is resets), None) or kernel.selftest()
    assert found["landlock"] is ("no-landlock" not in lacking)
    assert found["seccomp"] is ("no-seccomp" not in lacking)
    assert found["cpu_clock"] is ("no-cpu-clock" not in lacking)
    assert found["memory_reset"] is resets
    assert found["huge_pages_off"] is ("no-counter-switch" not in lacking)
    assert found["sleep_seen"] is True


def test_the_selftest_has_one_line_a_defence(built):
    lines = built.run(str(built.folder / "harness" / "selftest")).stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == list(built.selftest())
    assert {line.split()[1] for line in lines} <= {"active", "absent"}


def test_without_the_clock_speeds_still_rank(built):
    slow = """
float dot_f32(const float *a, const float *b, size_t n)
{
    volatile double sum = 0;
    for (int again = 0; again < 10; again++) {
        sum = 0;
        for (size_t i = 0; i < n; i++) sum += (double)a[i] * b[i];
    }
    return sum;
}
"""
    kernel = LesserKernel(built.folder, LIKE_GVISOR)
    quick, late = kernel.grade(answers.RIGHT), kernel.grade(slow)
    assert late.verdict is Verdict.PASSED, late.detail
    assert sorted(late.samples.answer_ns)[2] > 5 * sorted(quick.samples.answer_ns)[2]


def test_a_broken_judge_is_a_fault_even_there(built):
    kernel = LesserKernel(built.folder, LIKE_GVISOR)
    with pytest.raises(Fault):
        kernel.grade(answers.RIGHT, "no_such_option=1")

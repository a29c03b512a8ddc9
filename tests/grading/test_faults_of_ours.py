"""What the machine does wrong is never a verdict, and what an answer prints never makes it the machine's fault."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from grading.blame import SHORT, fault_of
from grading.driver import parse_outcome
from grading.faults import Fault, HarnessBroken, MachineShort, SandboxGone
from grading.harness_source import HarnessSource
from grading.pipeline import Options, grade_source
from grading.result import Verdict
from grading.sandbox import local
from grading.sandbox.base import Completed
from grading.sandbox.local import LocalSandbox, host_arch
from grading.sandbox.process import descendants
from grading.translation_unit import translation_unit
from grading.version import HARNESS
from kernels.catalog import get_kernel
from tests.small_disk import leave, make_room, read_only, remount, small_disk, sweep

KERNEL = get_kernel("dot_f32")
QUICK = Options(size=4096, rounds=3, processes=1, batch=4)
HONEST = (Path(__file__).resolve().parents[1] / "submissions/faults/honest_dot_f32.c").read_text()
WRONG = "float dot_f32(const float *a, const float *b, size_t n) { return unknown; }"
# What compilers, linkers and systems print when a machine is at fault.
SENTENCES = (
    "No space left on device",
    "error writing to /sandbox/work/ccX.s: No space left on device",
    "fatal error: error writing to -: Disk quota exceeded",
    "cannot allocate memory",
    "virtual memory exhausted: Cannot allocate memory",
    "out of memory allocating 65536 bytes after a total of 1048576 bytes",
    "Killed signal terminated program cc1",
    "CPU time limit exceeded signal terminated program cc1",
    "File size limit exceeded signal terminated program as",
    "fork: Resource temporarily unavailable",
    "Read-only file system",
    "Input/output error",
    "Too many open files",
    "internal compiler error: Segmentation fault",
    "ld: final link failed: No space left on device",
    "collect2: fatal error: ld terminated with signal 9 [Killed]",
)
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="changes its user: root only")


@pytest.fixture(scope="module")
def harness():
    """The built harness, on this host."""
    with closing(LocalSandbox(host_arch())) as sandbox:
        sandbox.harness(HarnessSource(KERNEL))
        yield sandbox._harness


@pytest.fixture
def work(tmp_path_factory):
    """A folder for the driver, outside of what only root can enter."""
    folder = Path(tempfile.mkdtemp(prefix="faults-", dir="/tmp"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def driver(harness, work, source=HONEST, options=("size=4096", "rounds=3", "processes=1", "batch=4")):
    (work / "answer.c").write_bytes(translation_unit(source, KERNEL))
    return [str(harness / "grade"), str(work), KERNEL.name, *options]


def ended(process):
    stdout, stderr = process.communicate(timeout=120)
    return Completed(exit_code=process.returncode, stdout=stdout, stderr=stderr)


def started(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def is_named(pid, name):
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip() == name
    return False


def kill_the_first(process, name, wanted=1, signum=signal.SIGKILL):
    """Kill descendants of that name as they appear, `wanted` of them."""
    killed = set()
    while process.poll() is None and len(killed) < wanted:
        for pid in descendants(process.pid):
            if len(killed) < wanted and is_named(pid, name) and pid not in killed:  # a child of it has the same name
                with suppress(ProcessLookupError):
                    os.kill(pid, signum)
                    killed.add(pid)
    return len(killed)


# ---------- what an answer prints ----------


@pytest.mark.parametrize("sentence", SENTENCES)
def test_an_answer_that_prints_a_systems_sentence_does_not_compile(local_sandbox, sentence):
    result = grade_source(f"#error {sentence}\n", KERNEL, local_sandbox, QUICK)
    assert result.verdict is Verdict.COMPILE_ERROR
    assert result.detail.startswith(f"Does not compile: line 1: #error {sentence}")


def test_a_warning_or_a_message_with_such_sentences_changes_nothing(local_sandbox):
    said = "".join(f"#warning {sentence}\n#pragma message {json.dumps(sentence)}\n" for sentence in SENTENCES)
    assert grade_source(said + HONEST, KERNEL, local_sandbox, QUICK).passed
    failed = grade_source(said + WRONG, KERNEL, local_sandbox, QUICK)
    assert failed.verdict is Verdict.COMPILE_ERROR
    assert "'unknown' undeclared" in failed.detail


def test_what_an_answer_compiles_to_does_not_depend_on_the_clock(local_sandbox):
    clock = 'asm(".ifnc \\"" __TIME__ "\\",\\"00:00:00\\"\\n.error \\"a clock\\"\\n.endif");\n'
    assert grade_source(clock + HONEST, KERNEL, local_sandbox, QUICK).passed


def test_the_second_try_does_not_see_what_the_first_has_left(harness, work):
    trick = '#if !__has_include("answer.s") && !__has_include("control.c")\n#error first\n#endif\n'
    outcome = parse_outcome(ended(started(driver(harness, work, trick + HONEST))))
    assert outcome.verdict is Verdict.COMPILE_ERROR


# ---------- limits of our own ----------


def jail(harness, work, script, *, cpu_s=1, memory_mb=2000, file_mb=32, wall_s=60):
    limits = [str(value) for value in (wall_s, cpu_s, memory_mb, file_mb)]
    command = [harness / "jail", *limits, work, "ro:/usr", "ro:/lib", "ro:/lib64", "ro:/bin", "--", "sh", "-c", script]
    return subprocess.run(command, capture_output=True, check=False, timeout=90).returncode


SPIN = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"


def test_the_cpu_limit_is_the_whole_trees(harness, work):
    assert jail(harness, work, "while :; do :; done") == 123
    assert jail(harness, work, f"while :; do sh -c '{SPIN}'; done") == 123  # none of them reaches it alone
    assert jail(harness, work, "exit 3", cpu_s=15) == 3


def test_the_wall_limit_is_another_matter(harness, work):
    assert jail(harness, work, "sleep 30", wall_s=1) == 124


def test_a_limit_that_was_reached_is_named(add_kernel):
    from tests.grading.fakes import PASSED, FakeSandbox, printed

    failed = {"verdict": "compile_error", "units": None, "samples": None, "rounds": 0, "dirty": 0, "limit": "cpu"}
    log = {"compile": "answer.c:1:1: error: something else", "run": ""}
    said = PASSED | failed | {"detail": "the compiler reached its limit of 15 s of CPU time", "log": log}
    assert (
        grade_source("x", add_kernel, FakeSandbox(printed(said))).detail == "The compiler reached its limit of 15 s of CPU time."
    )


def test_an_object_that_is_too_large_is_the_answers_and_called_so(local_sandbox):
    source = HONEST + "\nconst unsigned char large[40 << 20] = { 1 };\n"
    result = grade_source(source, KERNEL, local_sandbox, QUICK)
    assert result.verdict is Verdict.COMPILE_ERROR
    assert "too large" in result.detail


# ---------- a machine that is short of something ----------


def grade_on(folder, monkeypatch, source=HONEST):
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with closing(LocalSandbox(host_arch())) as sandbox:
        return grade_source(source, KERNEL, sandbox, QUICK)


@pytest.mark.parametrize("points", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("looks_first", [True, False])
def test_a_full_disk_is_never_a_verdict(points, looks_first, tmp_path, monkeypatch, harness):
    """The second time without this process' own look, so that the driver's in the sandbox has to see it."""
    if not looks_first:
        monkeypatch.setattr(local, "require_room", lambda *args: None)
    with small_disk(Path(tempfile.mkdtemp(dir="/tmp")), 2048 + 64) as disk:
        for free_kb in sweep(points):
            leave(disk, free_kb)
            with pytest.raises(MachineShort) as fault:
                grade_on(disk, monkeypatch)
            assert re.search(r"make room there|No space left", fault.value.reason), fault.value.reason


def test_a_disk_that_fills_and_empties_meanwhile_is_never_a_verdict(tmp_path, monkeypatch, harness):
    """Room for the look before a grading, none a moment later, and some again at the end."""
    done = threading.Event()
    outcomes = []
    with small_disk(Path(tempfile.mkdtemp(dir="/tmp")), 300 << 10) as disk:

        def come_and_go():
            chance = random.Random(1)
            while not done.is_set():
                with suppress(OSError):
                    leave(disk, chance.choice((0, 4, 16, 64, 256, 1024)))
                time.sleep(chance.uniform(0.005, 0.05))
                make_room(disk)
                time.sleep(chance.uniform(0.005, 0.15))

        neighbour = threading.Thread(target=come_and_go)
        neighbour.start()
        try:
            for _ in range(12):
                try:
                    outcomes.append(grade_on(disk, monkeypatch).verdict)
                except Fault as fault:
                    outcomes.append(type(fault).__name__)
        finally:
            done.set()
            neighbour.join()
        assert set(outcomes) <= {"passed", "MachineShort", "HarnessBroken", "SandboxGone"}, outcomes
        assert grade_on(disk, monkeypatch).passed  # with room again


def test_a_read_only_or_vanished_folder_is_ours(monkeypatch):
    with small_disk(Path(tempfile.mkdtemp(dir="/tmp")), 400 << 10) as disk:
        remount(disk, "ro")
        with pytest.raises(MachineShort, match=r"[Rr]ead-only"):
            grade_on(disk, monkeypatch)
        remount(disk, "rw")
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with closing(LocalSandbox(host_arch())) as sandbox:
            assert grade_source(HONEST, KERNEL, sandbox, QUICK).passed
            with read_only(sandbox.folder), pytest.raises(MachineShort, match=r"[Rr]ead-only"):
                grade_source(HONEST, KERNEL, sandbox, QUICK)
            shutil.rmtree(sandbox.folder)
            with pytest.raises(Fault):
                grade_source(HONEST, KERNEL, sandbox, QUICK)
        assert grade_on(disk, monkeypatch).passed


# gcc waits and tries again for half a minute where it cannot start its parts
@needs_root
@pytest.mark.parametrize("limits", [(1, 2, 3, 8), pytest.param(range(1, 13), marks=pytest.mark.slow)])
def test_a_full_process_table_is_never_a_verdict(limits, harness, work):
    verdicts = set()
    for most in limits:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        work.chmod(0o777)
        command = ["prlimit", f"--nproc={most}", "setpriv", "--reuid", "61077", "--regid", "61077", "--clear-groups"]
        try:
            verdicts.add(parse_outcome(ended(started(command + driver(harness, work)))).verdict)
        except HarnessBroken:
            verdicts.add(None)
    assert verdicts == {None, Verdict.PASSED}


# ---------- killed from outside ----------


# keeps the assembler busy for longer than a look at the processes takes
LONG = '\nasm(".pushsection .rodata\\n.rept 1500000\\n.byte 1\\n.endr\\n.popsection");\n'


@pytest.mark.parametrize("name", ["cc1", "as", "ld"])
def test_a_tool_that_is_killed_from_outside_is_ours(harness, work, name):
    process = started(driver(harness, work, HONEST + LONG))
    assert kill_the_first(process, name) == 1
    with pytest.raises(HarnessBroken, match="did not when it was tried again"):
        parse_outcome(ended(process))


def test_a_compiler_that_is_always_killed_is_ours(harness, work, tmp_path):
    broken = Path(shutil.copytree(harness, work.parent / f"{work.name}-harness"))
    try:
        (broken / "cc").write_text("timeout -s KILL 0.001 gcc\n")
        with pytest.raises(HarnessBroken, match="fails for the reference too"):
            parse_outcome(ended(started(driver(broken, work))))
    finally:
        shutil.rmtree(broken)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU])
def test_an_answers_process_that_is_killed_from_outside_is_ours(harness, work, signum):
    slow = HONEST.replace("double s = 0;", "double s = 0; for (volatile long i = 0; i < 200000000; i++) {}")
    process = started(driver(harness, work, slow))
    assert kill_the_first_answer(process, signum)
    with pytest.raises(HarnessBroken, match="killed from outside by SIG"):
        parse_outcome(ended(process))


def kill_the_first_answer(process, signum):
    while process.poll() is None:
        for pid in descendants(process.pid):
            with suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes() == b"answer\0":
                    time.sleep(0.2)  # into its first calls
                    os.kill(pid, signum)
                    return True
    return False


def test_a_judge_that_is_killed_is_ours(harness, work):
    process = started(driver(harness, work))
    assert kill_the_first(process, f"judge_{KERNEL.name}"[:15]) == 1
    with pytest.raises(HarnessBroken, match="judge was killed by SIGKILL"):
        parse_outcome(ended(process))


# ---------- clocks, and this process ----------


def test_a_clock_that_jumps_changes_nothing(local_sandbox, monkeypatch):
    jumps = iter(range(10**6))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + (-1) ** next(jumps) * 1e6)
    result = grade_source(HONEST, KERNEL, local_sandbox, QUICK)
    assert result.passed
    assert all(0 <= value < 120 for value in result.seconds.values())


def test_the_harness_asks_no_clock_that_can_be_set():
    for path in sorted(HARNESS.glob("*.[ch]")):
        if path.name != "selftest.c":
            assert not re.search(r"CLOCK_REALTIME|\bgettimeofday\(|\btime\((?:0|NULL|&)", path.read_text()), path.name


@pytest.mark.parametrize("number", sorted(SHORT))
def test_a_system_error_of_ours_says_what_to_do(number):
    fault = fault_of(OSError(number, os.strerror(number), "/somewhere"), "cannot write")
    assert isinstance(fault, MachineShort)
    assert fault.needs_operator
    assert fault.reason == f"cannot write: {os.strerror(number)} (/somewhere): {SHORT[number]}"


def test_another_system_error_is_tried_again():
    assert isinstance(fault_of(FileNotFoundError(2, "No such file", "/x"), "cannot write"), SandboxGone)
    assert isinstance(fault_of(MemoryError(), "cannot grade"), MachineShort)

"""Room and memory taken away, beside Landlock, namespaces, bubblewrap, seccomp and root: never a verdict, and no wall falls.

The last rows of the table in docs/operations.md ("What isolates a grading") say the same in words.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grading.driver import Outcome
from grading.faults import Fault, MachineShort
from grading.isolation import NO_OUTER, OPEN, isolation_of
from grading.result import Verdict
from grading.sandbox.local import plain_uid
from tests.engines import answers
from tests.engines.test_missing_isolation import INCLUDES, SECRET, Harness, Host, harness, host
from tests.small_disk import leave, remount, small_disk

__all__ = ["harness", "host"]  # fixtures
CGROUPS = Path("/sys/fs/cgroup/memory")
# keeps the assembler busy for a second or so
LONG = answers.RIGHT + '\nasm(".pushsection .rodata\\n.rept 3000000\\n.byte 1\\n.endr\\n.popsection");\n'
LEAVE = "unwalled=1"  # of the operator, so that what is refused otherwise is tried, too


def is_claimed_open(host: Host) -> bool:
    claim = isolation_of(
        "bubblewrap" if host.bubblewrap else NO_OUTER, walled=host.bubblewrap, compiler=host.compiler, answer=host.answer
    )
    return OPEN in claim


@contextmanager
def on_disk(harness: Harness, size_kb: int) -> Iterator[Path]:
    """The folder that gradings work in, on a file system of that size."""
    with small_disk(harness.folder / "box", size_kb) as disk:
        yield disk


@pytest.mark.parametrize("size_kb", [256, 2048, 200 << 10])
def test_a_full_disk_is_never_a_verdict_whatever_isolates(harness: Harness, host: Host, size_kb: int):
    with on_disk(harness, size_kb):
        for source in (answers.RIGHT, INCLUDES):
            with pytest.raises(MachineShort, match="make room there") as raised:
                harness.grade(host, source, LEAVE)
            assert raised.value.needs_operator
            assert f"{SECRET}:1:" not in raised.value.log


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.6])
def test_a_disk_that_fills_meanwhile_is_never_a_verdict_whatever_isolates(harness: Harness, host: Host, after_s: float):
    """Passed, where it was quicker; else a fault that says what is the matter."""
    with on_disk(harness, 400 << 10) as disk:
        filling = threading.Timer(after_s, leave, (disk, 4))
        filling.start()
        outcome, said = graded(harness, host, LONG, [])
        filling.join()
        assert "make room there" in said if outcome is None else outcome.verdict is Verdict.PASSED, said or outcome


def test_a_read_only_disk_is_never_a_verdict_whatever_isolates(harness: Harness, host: Host):
    with on_disk(harness, 400 << 10), pytest.raises(MachineShort, match="cannot be written: Read-only file system") as raised:
        harness.grade(host, INCLUDES, LEAVE, ready=lambda disk: remount(disk, "ro"))
    assert raised.value.needs_operator


@contextmanager
def little_memory(limit_mb: int) -> Iterator[list[str]]:
    """A command that starts the rest in a group of processes that may have so much together, as a container has."""
    if os.getuid() != 0:
        pytest.skip("needs root: makes a cgroup")
    group = CGROUPS / f"arch-kernels-{secrets.token_hex(4)}"
    try:
        group.mkdir()
    except OSError as reason:
        pytest.skip(f"a memory cgroup cannot be made here: {reason.strerror}: not permitted")
    try:
        (group / "memory.limit_in_bytes").write_text(str(limit_mb << 20))
        if (uid := plain_uid()) is not None:
            os.chown(group / "cgroup.procs", uid, uid)
        yield ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(group / "cgroup.procs")]
    finally:
        for _ in range(100):
            try:
                group.rmdir()
                break
            except OSError:  # what was killed is still leaving
                time.sleep(0.05)


@pytest.mark.engine  # what is killed there counts for the whole host: a grading beside it would be graded again
@pytest.mark.parametrize("limit_mb", [8, 32, 100])
def test_a_container_with_little_memory_is_never_a_verdict_whatever_isolates(harness: Harness, host: Host, limit_mb: int):
    with little_memory(limit_mb) as before:
        holds_whatever_is_short(harness, host, before)


@pytest.mark.parametrize("limit_mb", [40, 120, 300])
def test_a_small_address_space_is_never_a_verdict_whatever_isolates(harness: Harness, host: Host, limit_mb: int):
    holds_whatever_is_short(harness, host, ["prlimit", f"--as={limit_mb << 20}"])


def holds_whatever_is_short(harness: Harness, host: Host, before: list[str]) -> None:
    """The right answer passes or is not judged; what includes a file compiles nowhere, and reads it only where claimed."""
    for source, verdict in ((answers.RIGHT, Verdict.PASSED), (INCLUDES, Verdict.COMPILE_ERROR)):
        outcome, said = graded(harness, host, source, before)
        if outcome is not None:
            assert outcome.verdict is verdict, outcome.detail
            assert outcome.compiler_walls == host.compiler
            said = outcome.log["compile"]
        assert f"{SECRET}:1:" not in said or is_claimed_open(host)


def graded(harness: Harness, host: Host, source: str, before: list[str]) -> tuple[Outcome | None, str]:
    """The outcome, or what the fault says."""
    try:
        return harness.grade(host, source, LEAVE, before=before), ""
    except Fault as fault:
        return None, fault.reason + fault.log


def test_a_machine_with_little_free_memory_is_never_a_verdict_whatever_isolates(harness: Harness, host: Host, tmp_path: Path):
    if not host.root or host.bubblewrap:
        pytest.skip("needs root: changes what /proc/meminfo says")
    said = tmp_path / "meminfo"
    said.write_text("MemTotal: 8000000 kB\nMemFree: 90000 kB\nMemAvailable:   100000 kB\n")
    before = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" /proc/meminfo && exec "$@"', str(said)]
    with pytest.raises(MachineShort, match="97 MB of the machine's memory are free") as raised:
        harness.grade(host, answers.RIGHT, LEAVE, before=before)
    assert raised.value.needs_operator

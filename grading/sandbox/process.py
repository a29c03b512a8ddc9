"""Run one command with a deadline, bounded output, and nothing left of it afterwards."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from grading.faults import SandboxTimeout
from grading.sandbox.base import OUTPUT_LIMIT_BYTES, Completed

READ_BYTES = 1 << 16
POLL_S = 0.05


def run_bounded(argv: Sequence[str], *, cwd: str, env: Mapping[str, str], timeout_s: float, uid: int | None = None) -> Completed:
    """Run argv to its end. Past timeout_s of wall time, or when anything is raised here, its whole process tree is killed.

    uid: run as this user and group, without supplementary groups (for root only).
    """
    with subprocess.Popen(
        argv,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches us alone: we decide what to end
        user=uid,
        group=uid,
        extra_groups=None if uid is None else [],
    ) as process:
        try:
            stdout, stderr = _read_both(process, time.monotonic() + timeout_s)
        except subprocess.TimeoutExpired:
            raise SandboxTimeout(f"{argv[-1][:60]} did not end within {timeout_s:.0f} s") from None
        finally:
            if process.poll() is None:  # else its number may be another process's by now
                kill_tree(process.pid)
            code = process.wait()
    return Completed(exit_code=code if code >= 0 else 128 - code, stdout=stdout, stderr=stderr)


def kill_tree(pid: int) -> None:
    """Kill all descendants of a process, then itself: descendants first, so that none escapes by losing its parent."""
    for _ in range(200):
        found = descendants(pid)
        if not found:
            break
        for descendant in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(descendant, signal.SIGKILL)
        time.sleep(0.002)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """All living descendants of a process."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        children = [child for child in _children(parent) if not _is_zombie(child)]
        found += children
        waiting += children
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return children


def _is_zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def _read_both(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes]:
    """What it prints until it ends; raises TimeoutExpired at the deadline."""
    assert process.stdout
    assert process.stderr
    kept = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in kept:
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        ended = False
        while selector.get_map():
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, 0)
            ready = selector.select(POLL_S)
            for key, _ in ready:
                data = os.read(key.fd, READ_BYTES)
                if not data:
                    selector.unregister(key.fileobj)
                kept[key.fileobj].extend(data[: OUTPUT_LIMIT_BYTES - len(kept[key.fileobj])])  # type: ignore[index]
            if ended and not ready:
                break  # ended, but a process that it left holds the pipe
            ended = process.poll() is not None
    process.wait(max(0.0, deadline - time.monotonic()))
    return bytes(kept[process.stdout]), bytes(kept[process.stderr])

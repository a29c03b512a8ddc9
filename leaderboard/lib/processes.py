"""Processes of this host: their names, whether they live, and that they do not outlive their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES = -3, 1 << 20  # malloc.h


def process_name(pid: int | None = None) -> str:
    """A name of this process that no other ever has: host, boot and pid namespace, pid, start time."""
    pid = pid or os.getpid()
    return f"{here()}:{pid}:{start_time(pid)}"


@cache
def here() -> str:
    """What tells this host's processes from those of any other host, boot or container."""
    return f"{host_and_boot()}.{os.stat('/proc/self/ns/pid').st_ino:x}"


def host_and_boot() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    return f"{socket.gethostname()[:60]}:{boot}"


def start_time(pid: int) -> int | None:
    """Clock ticks after boot at which a process began; None if it is gone, or dead and not yet collected."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_dead(name: str) -> bool:
    """True if the process of that name was one of this host and is gone; processes elsewhere are beyond our sight."""
    place, _, rest = name.rpartition(":")
    place, _, pid = place.rpartition(":")
    if place != here() or not pid.isdigit():
        return False
    started = start_time(int(pid))
    return started is None or str(started) != rest  # the name of one that had ended before it was named has no start time


def pid_of(name: str) -> int | None:
    """The pid behind a process name, if that process lives on this host."""
    if not name.startswith(here() + ":") or is_dead(name):
        return None
    return int(name.split(":")[-2])


def die_with_parent(sent: int = signal.SIGKILL) -> None:
    """From now on this process is killed when its parent dies, however that dies."""
    _prctl(PR_SET_PDEATHSIG, sent)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Raise SystemExit on SIGTERM, so that what this process holds is given back. For the main thread only."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)  # as a shell reports it

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def adopt_orphans() -> None:
    """Descendants whose parents die become children of this process, so that it can end them."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def return_large_blocks() -> None:
    """What is freed of long texts goes back to the system at once. glibc raises the size from which on it does so with each
    block that it frees, keeps them in its heap, and the process grows with every long answer that it has read."""
    with suppress(OSError, AttributeError):  # another C library has no such threshold
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def children_of(pid: int, *, zombies: bool = False) -> list[int]:
    """The processes whose parent is `pid`; those that are dead but not collected only if asked for."""
    return [found for found, state, parent, _ in all_processes() if parent == pid and (zombies or state not in "ZX")]


def group_of(pid: int) -> list[int]:
    """The living processes of the group that `pid` leads."""
    return [found for found, state, _, group in all_processes() if group == pid and state not in "ZX"]


def all_processes() -> Iterator[tuple[int, str, int, int]]:
    """(pid, state, parent, process group)"""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, group, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
            yield int(stat.parent.name), state, int(parent), int(group)

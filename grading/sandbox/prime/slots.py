"""A worker's place on this host, so that a worker that starts anew finds the sandbox of the one before it, and no two workers
ever share one.

A slot is a file, locked as long as its worker lives; its name is on the sandbox's label. What the file holds beside is only for
the sweep: the sandbox in use, and those that were given up.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grading.faults import SandboxUnavailable
from grading.sandbox.base import SLOTS
from grading.sandbox.checkout import checkout_id
from grading.sandbox.prime.settings import slots_folder

REMEMBERED = 50  # sandboxes given up: the service forgets them sooner


class Slot:
    """The first free slot of an architecture, ours until released or until this process ends."""

    def __init__(self, arch: str) -> None:
        self._path, self._descriptor = _take(arch)
        self.name = name_of(self._path)
        self.given_up = read_slot(self._path)[1]

    def remember(self, sandbox_id: str | None) -> None:
        """The sandbox in use from now on."""
        with suppress(OSError):
            text = json.dumps({"sandbox": sandbox_id, "given_up": self.given_up[-REMEMBERED:]})
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text.encode(), 0)

    def give_up(self, sandbox_id: str) -> None:
        """Never take this sandbox again, should it outlive its deletion."""
        self.given_up.append(sandbox_id)
        self.remember(None)

    def touch(self) -> None:
        """The slots in use now."""
        with suppress(OSError):
            os.utime(self._descriptor)

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def name_of(path: Path) -> str:
    return f"{checkout_id()}-{path.stem}"


def path_of(name: str) -> Path | None:
    """The file of a slot; None if it is another checkout's."""
    checkout, _, stem = name.partition("-")
    return slots_folder() / f"{stem}.json" if checkout == checkout_id() else None


def read_slot(path: Path) -> tuple[str | None, list[str]]:
    """The sandbox in use, and those given up; nothing of a file that is missing or damaged."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return known["sandbox"], [str(one) for one in known["given_up"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None, []


@contextmanager
def if_free(path: Path) -> Iterator[float | None]:
    """Seconds since a slot was last used, with the slot locked meanwhile; None while a worker holds it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield float("inf")
        return
    try:
        idle_s = time.time() - os.stat(descriptor).st_mtime if _lock(descriptor) else None
        yield idle_s
    finally:
        os.close(descriptor)


def _take(arch: str) -> tuple[Path, int]:
    folder = slots_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(SLOTS):
        path = folder / f"{arch}-{number}.json"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _lock(descriptor):
            return path, descriptor
        os.close(descriptor)
    raise SandboxUnavailable(f"{SLOTS} workers of this host have a Prime sandbox for {arch} already")


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

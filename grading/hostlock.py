"""One grading at a time on a host: benchmarks that share its cores and memory bus would measure each other.

The lock is flock() on one file that every user of the host can open. The kernel gives it up when its holder dies, however that
happens. Those who wait look every POLL_S and hold a shared lock on a second file meanwhile: a process that grades answer after
answer sees by it that somebody waits, and lets them go first.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "arch-kernels.lock"
POLL_S = 0.1
CALL_EVERY_S = 1.0
WAITING_SUFFIX = ".waiting"

_released = -POLL_S  # when this process last gave the lock up, by time.monotonic()


def lock_path() -> Path:
    """One file for all users of the host: in /run/lock if that is open to all, else in /tmp; or what ARCH_KERNELS_LOCK says."""
    if path := os.environ.get("ARCH_KERNELS_LOCK"):
        return Path(path)
    common = Path("/run/lock")
    with suppress(OSError):
        if common.stat().st_mode & 0o1777 == 0o1777:
            return common / NAME
    return Path("/tmp") / NAME


@contextmanager
def host_lock(on_wait: Callable[[float], None] | None = None) -> Iterator[float]:
    """Hold the host's one lock; yields the seconds waited for it.

    on_wait is called with the seconds waited so far, about once a second, so that a lease can be renewed meanwhile; what it
    raises ends the waiting.
    """
    global _released
    began = time.monotonic()
    _let_others_go_first(lock_path())
    descriptor = _try_lock(lock_path())
    if descriptor is None:
        descriptor = _wait(on_wait, began)
    try:
        yield time.monotonic() - began
    finally:
        os.close(descriptor)
        _released = time.monotonic()


def _wait(on_wait: Callable[[float], None] | None, began: float) -> int:
    """Look every POLL_S until the lock is ours."""
    called = began
    with _waiting(lock_path()):
        while (descriptor := _try_lock(lock_path())) is None:
            time.sleep(POLL_S)
            now = time.monotonic()
            if on_wait is not None and now - called >= CALL_EVERY_S:
                called = now
                on_wait(now - began)
    return descriptor


@contextmanager
def _waiting(path: Path) -> Iterator[None]:
    """Be seen as waiting."""
    descriptor = _open(path.with_name(path.name + WAITING_SUFFIX))
    try:
        with suppress(BlockingIOError):  # somebody looks just now: then we are not seen this once
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _let_others_go_first(path: Path) -> None:
    """Two looks' time for those that wait, by whoever has held the lock until just now."""
    if time.monotonic() - _released > POLL_S:
        return
    descriptor = _open(path.with_name(path.name + WAITING_SUFFIX))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(2 * POLL_S)
    finally:
        os.close(descriptor)


def _try_lock(path: Path) -> int | None:
    """The locked descriptor, or None while somebody else holds it."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):  # held; or swept away by a cleaner of /tmp while we waited: look again
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _open(path: Path) -> int:
    """Opened without O_CREAT where it exists: in a sticky folder Linux may refuse O_CREAT on another user's file, even to
    root."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    for _ in range(100):
        with suppress(FileNotFoundError):
            descriptor = os.open(path, flags)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise OSError(f"{path} is not a plain file")
            return descriptor
        with suppress(FileExistsError):
            created = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(created, 0o666)  # whatever the umask: other users lock it too
            return created
    raise OSError(f"{path} comes and goes: cannot lock it")

"""Decide whose fault it is. Measurement decides, never a log: an answer can print what a compiler or a system prints.

What goes wrong                                                -> what becomes of the answer
-------------------------------------------------------------    -----------------------------------------------------------
compiling, objcopy or linking used up our limit of CPU time,     compile_error; the detail names the limit
  of one file's size or of memory (jail.c, machine.c measure)
a build step failed otherwise, the reference builds, and the     compile_error; the detail is its own first error
  answer fails again (grade.c: settle)
a build step failed otherwise, and the reference fails too       HarnessBroken: graded again
... and the answer builds when it is tried again                 HarnessBroken: graded again
room, files or memory fell under the floor at any look           HarnessBroken: graded again
the kernel has killed a process for want of memory meanwhile     HarnessBroken: graded again
a build step was still at work after the wall fuse               HarnessBroken: graded again (the machine is busy)
jail, compiler or judge cannot be started (fork, exec, pipes)    HarnessBroken: graded again
the answer's process was ended by a signal that it cannot        HarnessBroken: graded again; runtime_error where it had
  bring upon itself (SIGKILL, SIGXCPU, SIGTERM ...)                taken more memory than it may
the judge was killed, has no memory, files, pipes or children    HarnessBroken: graded again
the reference or the empty call misbehaves                       HarnessBroken: graded again
the harness gave no record, or one that cannot be                HarnessBroken: graded again
a command ran past the fuse of the whole grading (wall time)     SandboxTimeout: graded again
before the grading: less room, files or memory than it needs     MachineShort: the architecture is parked
the work folder cannot be made, is read-only or has vanished     MachineShort: the architecture is parked
this process gets ENOSPC, EROFS, ENOMEM, EAGAIN ... (below)      MachineShort: the architecture is parked
another system error of this process                             SandboxGone: graded again
a tuned baseline fails its calibration                           CalibrationFailed: the architecture is parked

"Graded again" counts as an attempt of the row; "parked" does not, and ends by itself when the next try gets through. Only what is
found before the answer is touched may park, so no answer can stop an architecture. An answer cannot fill the disk either: what a
grading needs free (machine.h) is more than its own limits let it write.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grading.faults import Fault, MachineShort, SandboxGone

NEEDED_ROOM_MB = 256  # as in harness/machine.h
NEEDED_FILES = 64
CACHE_ROOM_MB = 32  # a built harness takes some 5 MB
# Errors that say what the machine is short of: they stay until somebody, or time, has changed something there.
SHORT = {
    errno.ENOSPC: "make room there",
    errno.EDQUOT: "raise the quota, or make room there",
    errno.EROFS: "mount it for writing",
    errno.ENOMEM: "end what takes the memory",
    errno.EAGAIN: "the process table is full: end processes, or raise the limit (ulimit -u, the cgroup's pids.max)",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "raise the system's limit of open files (fs.file-max)",
    errno.EIO: "the device fails: look at the system's log",
}


def fault_of(error: OSError | MemoryError, what: str) -> Fault:
    """A system error of this process, as a fault. `what` is what could not be done, as in "cannot start a command"."""
    if isinstance(error, MemoryError):
        return MachineShort(f"{what}: this machine has no memory left: end what takes it")
    place = f" ({error.filename})" if error.filename else ""
    said = f"{what}: {error.strerror or error}{place}"
    advice = SHORT.get(error.errno or 0)
    return MachineShort(f"{said}: {advice}") if advice else SandboxGone(said)


@contextmanager
def ours(what: str) -> Iterator[None]:
    """System errors inside are faults: this process never does an answer's bidding."""
    try:
        yield
    except (OSError, MemoryError) as error:
        raise fault_of(error, what) from error


def require_room(folder: Path, needed_mb: int = NEEDED_ROOM_MB, needed_files: int = NEEDED_FILES) -> None:
    """Raises MachineShort that says how much is free where, and how much is needed."""
    with ours(f"cannot look at {folder}"):
        free = os.statvfs(folder)
    free_kb = free.f_bavail * free.f_frsize >> 10
    if free.f_flag & os.ST_RDONLY:
        raise MachineShort(f"{folder} is on a read-only file system: {SHORT[errno.EROFS]}")
    if free_kb < needed_mb << 10:
        raise MachineShort(f"{free_kb} kB are free in {folder}, and a grading needs {needed_mb} MB: make room there")
    if free.f_files and free.f_favail < needed_files:
        raise MachineShort(f"{free.f_favail} more files fit in the file system of {folder}, and a grading needs {needed_files}")

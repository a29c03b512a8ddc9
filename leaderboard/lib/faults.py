"""Is it ours? The one place that tells faults of this host (disk, memory, database) from faults of what was sent to it.

A fault of the host says nothing about an upload, an answer or a request: the work is tried again when the host is well. Knows no
Django, because the upload command has none.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)
AGAIN = "it will be tried again"
_data: Path | None = None


@dataclass(frozen=True)
class HostFault:
    """What is wrong with the host: `key` is a short name for logs, `sentence` a clause for people."""

    key: str
    sentence: str

    @property
    def is_full(self) -> bool:
        return self.key == "disk-full"


DISK_FULL = HostFault("disk-full", "our disk is full")
DISK_BROKEN = HostFault("disk-broken", "our disk has an input/output error")
READ_ONLY = HostFault("read-only", "our data cannot be written to (read-only)")
FORBIDDEN = HostFault("forbidden", "our data folder belongs to another user or has wrong permissions")
FILES = HostFault("too-many-files", "our server has too many files open")
MEMORY = HostFault("out-of-memory", "our server is out of memory")
DATABASE_DOWN = HostFault("database-down", "our database does not answer")
DATABASE_BUSY = HostFault("database-busy", "our database is too busy")

BY_ERRNO = {
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: DISK_FULL,
    errno.EIO: DISK_BROKEN,
    errno.ESTALE: DISK_BROKEN,
    errno.ENODEV: DISK_BROKEN,
    errno.EROFS: READ_ONLY,
    errno.EMFILE: FILES,
    errno.ENFILE: FILES,
    errno.ENOMEM: MEMORY,
}
IN_OUR_FOLDERS = {errno.EACCES: FORBIDDEN, errno.EPERM: FORBIDDEN}  # a path of the person's own may be closed to us
# https://sqlite.org/rescode.html; extended codes have the primary one in their low byte.
BY_SQLITE = {
    sqlite3.SQLITE_FULL: DISK_FULL,
    sqlite3.SQLITE_IOERR: DISK_BROKEN,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: READ_ONLY,
    sqlite3.SQLITE_PERM: FORBIDDEN,
    sqlite3.SQLITE_NOMEM: MEMORY,
    sqlite3.SQLITE_BUSY: DATABASE_BUSY,
    sqlite3.SQLITE_LOCKED: DATABASE_BUSY,
    sqlite3.SQLITE_CORRUPT: DISK_BROKEN,
    sqlite3.SQLITE_NOTADB: DISK_BROKEN,
}
# https://www.postgresql.org/docs/current/errcodes-appendix.html: whole classes, then single codes.
BY_SQLSTATE_CLASS = {"08": DATABASE_DOWN, "53": DATABASE_BUSY, "57": DATABASE_DOWN, "58": DISK_BROKEN}
BY_SQLSTATE = {
    "53100": DISK_FULL,
    "53200": MEMORY,
    "25006": READ_ONLY,
    "55P03": DATABASE_BUSY,
    "40P01": DATABASE_BUSY,
    "57014": None,  # a query was cancelled: somebody asked for that
}


class NoRoom(Exception):
    """There is too little room for what is about to be written; refused before the disk is full."""

    def __init__(self, free: int, needed: int) -> None:
        super().__init__(f"{DISK_FULL.sentence}: {in_mb(free)} are free, {in_mb(needed)} are needed")
        self.free_bytes, self.needed_bytes = free, needed


def fault_of(error: BaseException | None) -> HostFault | None:
    """The host's fault behind an exception, or None if it is not the host's. Looks through what it was explicitly raised from,
    as Django wraps a driver's errors."""
    for cause in causes(error):
        if fault := _one(cause):
            return fault
    return None


def causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__


def _one(error: BaseException) -> HostFault | None:
    if isinstance(error, NoRoom):
        return DISK_FULL
    if isinstance(error, MemoryError):
        return MEMORY
    if isinstance(error, OSError):
        return _of_os(error)
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error)
    if type(error).__module__.partition(".")[0] == "psycopg":
        return _of_postgres(error)
    return None


def _of_os(error: OSError) -> HostFault | None:
    if error.errno in IN_OUR_FOLDERS:
        return IN_OUR_FOLDERS[error.errno] if is_ours(error.filename) else None
    return BY_ERRNO.get(error.errno or 0)


def _of_sqlite(error: sqlite3.Error) -> HostFault | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    # A log that cannot grow is an input/output error to SQLite, whatever the reason, and a database that could only be opened for
    # reading (leaderboard/storage/sqlite) is a read-only one: the disk says which.
    if (
        code & 0xFF in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        and (folder := data_folder())
        and is_full(folder)
    ):
        return DISK_FULL
    return BY_SQLITE.get(code & 0xFF)


def _of_postgres(error: BaseException) -> HostFault | None:
    state = getattr(error, "sqlstate", None)
    if state is None:  # it never spoke with the server, or lost it
        return DATABASE_DOWN if type(error).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout") else None
    return BY_SQLSTATE[state] if state in BY_SQLSTATE else BY_SQLSTATE_CLASS.get(state[:2])


def is_ours(path: object) -> bool:
    """Whether a path lies in the site's data folder."""
    folder = data_folder()
    if folder is None or not isinstance(path, (str, bytes, os.PathLike)):
        return False
    return Path(os.path.realpath(os.fsdecode(path))).is_relative_to(folder)


def our_folder(folder: Path) -> None:
    """Said by the settings of a site: where it writes."""
    global _data
    _data = Path(os.path.realpath(folder))


def data_folder() -> Path | None:
    """Where the site writes; None for a program that is no site."""
    return _data


def free_bytes(folder: Path | str) -> int:
    """What may still be written there by us (for a plain user without the blocks that are kept for root). Raises OSError."""
    return shutil.disk_usage(folder).free


FULL_BELOW = 64 << 10  # a write-ahead log grows by pages, its index by 32 kB


def is_full(folder: Path | str) -> bool:
    try:
        return free_bytes(folder) < FULL_BELOW
    except OSError:
        return False


def in_mb(size: int) -> str:
    """The size in megabytes of 2^20, with a decimal where that matters."""
    return f"{size / 2**20:,.1f} MB" if size < 100 << 20 else f"{size / 2**20:,.0f} MB"


def said(error: BaseException, what: str = AGAIN, needed: int = 0) -> str:
    """For people: "Our disk is full (0.0 MB are free, 3.1 MB are needed): it will be tried again." `needed`: bytes, if known."""
    fault = fault_of(error)
    assert fault is not None
    free = None
    for cause in causes(error):
        if isinstance(cause, NoRoom):
            free, needed = cause.free_bytes, cause.needed_bytes
    if free is None and fault.is_full and (folder := data_folder()):
        with suppress(OSError):
            free = free_bytes(folder)
    room = [f"{in_mb(free)} are free"] if free is not None else []
    room += [f"{in_mb(needed)} are needed"] if room and needed else []
    aside = f" ({', '.join(room)})" if room else ""
    sentence = fault.sentence[0].upper() + fault.sentence[1:]
    return f"{sentence}{aside}: {what}."


@contextmanager
def tolerated(what: str) -> Iterator[None]:
    """Go on without `what` while the host cannot do it; any other error is raised. Not within a transaction."""
    try:
        yield
    except Exception as error:
        fault = fault_of(error)
        if fault is None:
            raise
        log.warning("%s: %s", what, fault.sentence, exc_info=error)

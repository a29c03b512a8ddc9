"""Which errors are the host's, and which are of what was sent to it."""

from __future__ import annotations

import errno
import logging
import sqlite3
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import OperationalError

from leaderboard.bundles.types import BundleError
from leaderboard.lib import faults, log_once
from leaderboard.lib.faults import NoRoom, fault_of


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


def wrapped(cause: BaseException) -> OperationalError:
    """The error as Django raises it."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


def of_chain(cause: BaseException) -> RuntimeError:
    error = RuntimeError("it did not work")
    error.__cause__ = wrapped(cause)
    return error


OURS = {
    "disk-full": [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        wrapped(sqlite_error(sqlite3.SQLITE_FULL)),
        wrapped(psycopg.errors.DiskFull("could not extend file")),
        of_chain(psycopg.errors.DiskFull("could not extend file")),
        NoRoom(1, 2),
    ],
    "disk-broken": [
        OSError(errno.EIO, "Input/output error"),
        wrapped(sqlite_error(sqlite3.SQLITE_IOERR | 3 << 8)),
        wrapped(psycopg.errors.IoError("could not read block")),
        wrapped(sqlite_error(sqlite3.SQLITE_CORRUPT)),
    ],
    "read-only": [
        OSError(errno.EROFS, "Read-only file system"),
        wrapped(sqlite_error(sqlite3.SQLITE_READONLY | 5 << 8)),
        wrapped(psycopg.errors.ReadOnlySqlTransaction("cannot execute UPDATE in a read-only transaction")),
    ],
    "too-many-files": [OSError(errno.EMFILE, "Too many open files"), OSError(errno.ENFILE, "Too many open files in system")],
    "out-of-memory": [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        wrapped(psycopg.errors.OutOfMemory("out of memory")),
        wrapped(sqlite_error(sqlite3.SQLITE_NOMEM)),
    ],
    "database-down": [
        wrapped(psycopg.OperationalError("connection refused")),
        wrapped(psycopg.InterfaceError("the connection is closed")),
        wrapped(psycopg.errors.AdminShutdown("terminating connection")),
        wrapped(psycopg.errors.CannotConnectNow("the database system is starting up")),
    ],
    "database-busy": [wrapped(psycopg.errors.TooManyConnections("too many clients")), wrapped(sqlite_error(sqlite3.SQLITE_BUSY))],
}
THEIRS = [
    zipfile.BadZipFile("Bad CRC-32"),
    tarfile.ReadError("unexpected end of data"),
    OSError(errno.EINVAL, "Invalid argument"),  # a seek to before the beginning, as an archive asked for
    OSError("no errno at all"),
    EOFError(),
    ValueError("embedded null byte"),
    BundleError("More than 1000 models."),
    FileNotFoundError(errno.ENOENT, "No such file or directory"),
    PermissionError(errno.EACCES, "Permission denied", "/somebody/elses/file"),
    ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    wrapped(sqlite3.IntegrityError("UNIQUE constraint failed")),
    wrapped(psycopg.errors.UniqueViolation("duplicate key")),
    wrapped(psycopg.errors.QueryCanceled("canceling statement")),
    wrapped(psycopg.DataError("a NUL")),
    KeyError("a bug of ours"),
]


@pytest.mark.parametrize(("key", "error"), [(key, error) for key, errors in OURS.items() for error in errors])
def test_a_fault_of_the_host_is_known_however_it_is_wrapped(key: str, error: BaseException) -> None:
    fault = fault_of(error)
    assert fault is not None
    assert fault.key == key


@pytest.mark.parametrize("error", THEIRS, ids=lambda error: f"{type(error).__name__}: {error}"[:50])
def test_what_was_sent_is_not_the_hosts_fault(error: BaseException) -> None:
    assert fault_of(error) is None


def test_a_folder_of_ours_that_is_closed_to_us_is_our_fault(settings: Any) -> None:
    inside = PermissionError(errno.EACCES, "Permission denied", str(settings.DATA_DIR / "media" / "x"))
    assert fault_of(inside) is faults.FORBIDDEN


def test_what_sqlite_calls_an_input_output_error_is_a_full_disk_where_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    for code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        monkeypatch.setattr(faults, "free_bytes", lambda folder: 10 << 30)
        assert fault_of(sqlite_error(code)) in (faults.DISK_BROKEN, faults.READ_ONLY)
        monkeypatch.setattr(faults, "free_bytes", lambda folder: 0)
        assert fault_of(sqlite_error(code)) is faults.DISK_FULL


def test_the_sentence_says_what_is_free_and_what_is_needed() -> None:
    assert (
        faults.said(NoRoom(3 << 19, 3 << 20)) == "Our disk is full (1.5 MB are free, 3.0 MB are needed): it will be tried again."
    )
    assert faults.said(OSError(errno.EIO, "x"), "try later") == "Our disk has an input/output error: try later."


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.addFilter(log_once.OncePerMinute())
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    @property
    def said(self) -> list[str]:
        return [logging.Formatter().format(record) for record in self.records]


@pytest.fixture
def logger() -> logging.Logger:
    logger = logging.Logger("a test")
    logger.addHandler(Lines())
    return logger


def lines_of(logger: logging.Logger) -> list[str]:
    (handler,) = logger.handlers
    assert isinstance(handler, Lines)
    return handler.said


def test_a_fault_is_one_line_a_minute_and_says_how_many_more_there_were(
    logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(log_once.time, "monotonic", lambda: now)
    for _ in range(1000):
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError:
            logger.exception("could not beat")
        logger.error("down", exc_info=wrapped(psycopg.OperationalError("connection\nrefused")))
    logger.warning("something else")
    logger.warning("something else")
    assert lines_of(logger) == [
        "could not beat: our disk is full: OSError: [Errno 28] No space left on device",
        "down: our database does not answer: OperationalError: connection refused",
        "something else",
        "something else",
    ]
    now += 61
    logger.error("not kept: %s", OSError(errno.ENOSPC, "No space left on device"))
    assert lines_of(logger)[-1] == (
        "not kept: [Errno 28] No space left on device: our disk is full: OSError: [Errno 28] No space left on device"
        " (999 more in the last minute)"
    )


def test_a_bug_keeps_its_traceback(logger: logging.Logger) -> None:
    for _ in range(2):
        try:
            raise KeyError("a bug")
        except KeyError:
            logger.exception("it failed")
    assert [said.count("Traceback") for said in lines_of(logger)] == [1, 1]


def test_a_cache_that_cannot_be_written_or_read_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.core.cache.backends import filebased

    from leaderboard.storage.caches import ForgivingFiles

    cache = ForgivingFiles(str(tmp_path / "cache"), {})
    cache.set("key", "value")
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(kept.read_bytes()[:-7])
    assert cache.get("key", "nothing") == "nothing"

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(filebased.tempfile, "mkstemp", full)
    cache.set("other", "value")
    cache.add("other", "value")
    assert cache.get("other") is None


@pytest.mark.django_db
def test_a_database_that_is_away_is_a_503_for_people_and_for_programs(monkeypatch: pytest.MonkeyPatch, client: Any) -> None:
    def away(*_: object, **__: object) -> None:
        raise wrapped(psycopg.OperationalError("connection refused"))

    monkeypatch.setattr("leaderboard.views.board.board_of", away, raising=False)
    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", away)
    for address in (
        "/",
        "/api/kernels",
        "/export/results.csv",
        "/submissions/x/",
        "/figures/memory.json",
        "/submissions/x/record.json",
    ):
        response = client.get(address)
        assert response.status_code == 503, address
        assert response.headers["Retry-After"] == "60"
        assert "Our database does not answer" in response.content.decode()
        assert response.headers["Content-Type"].startswith(
            "application/json" if "json" in address or "/api/" in address else "text/html"
        )

"""The database is made ready by one process at a time: migrations, kernels and baselines, the first login.

Several roles start together, on one host or on many. On PostgreSQL the one that goes first holds an advisory lock of its session,
on the same connection that migrates: the lock ends with that connection, and so with whatever its holder had begun, however the
holder dies. On SQLite, which is on one host, it is a lock on a file in DATA_DIR.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Protocol

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from leaderboard.lib.processes import process_name
from leaderboard.services import accounts, standings
from leaderboard.services.catalog import Synced, sync_kernels
from leaderboard.services.housekeeping import ensure_schedule
from leaderboard.web import page_cache

KEY = 0x617263686B65726E  # "archkern": one number per purpose, for all who share the database
LOOK_S = 0.5
TELL_AGAIN_S = 60.0
LOST_CLIENT_S = 2  # PostgreSQL looks so often whether a client whose statement runs is still there
Say = Callable[[str], object]


class NotReady(Exception):
    """Another process has been preparing the database for longer than PREPARE_WAIT_S."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    synced: Synced
    password: str | None  # of the first login, when this process has made it


def prepare(say: Say) -> Prepared:
    """Bring the database to this version, alone; what others have done before is done. Raises NotReady."""
    wait_for_database(say)
    with alone(say):
        call_command("migrate", verbosity=0, interactive=False)
        synced = sync_kernels()
        ensure_schedule()
        if standings.follow_the_formula(lambda models: say(_of_another_formula(models))):
            page_cache.end()
        return Prepared(synced=synced, password=accounts.first_login())


def _of_another_formula(models: int) -> str:
    whose = f"{models} model{'s' * (models > 1)}"
    return f"Computing the scores and summaries of {whose} anew: they are of another formula of the score."


def wait_for_database(say: Say) -> None:
    told = False
    while True:
        try:
            connection.ensure_connection()
            return
        except OperationalError as error:
            if not told:
                say(f"Waiting for the database: {str(error).strip().splitlines()[0]}")
                told = True
            time.sleep(LOOK_S)


class Lock(Protocol):
    def taken(self) -> bool:
        """Try to get it, without waiting."""

    def holder(self) -> str:
        """Who has it, for people."""

    def free(self) -> None: ...


@contextmanager
def alone(say: Say) -> Iterator[None]:
    """Wait for whoever is at it, then hold the lock. Raises NotReady."""
    lock: Lock = AdvisoryLock() if connection.vendor == "postgresql" else FileLock()
    began = told = time.monotonic()
    waits = False
    while not lock.taken():
        now = time.monotonic()
        if now - began > settings.PREPARE_WAIT_S:
            raise NotReady(
                f"Another process ({lock.holder()}) still prepares the database after {settings.PREPARE_WAIT_S:g} s "
                "(PREPARE_WAIT_S): look what it does, end it if it hangs, and start again."
            )
        if not waits:
            say("Waiting: another process prepares the database.")
            waits = True
        elif now - told > TELL_AGAIN_S:
            told = now
            say(f"Still waiting after {now - began:.0f} s: {lock.holder()} prepares the database.")
        time.sleep(LOOK_S)
    if waits:
        say(f"Going on: the other process has ended after {time.monotonic() - began:.0f} s.")
    try:
        yield
    finally:
        lock.free()


class AdvisoryLock:
    """An advisory lock of the session of Django's own connection. It names its holder by the session's application_name."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            host, _, rest = process_name().partition(":")
            cursor.execute("SELECT set_config('application_name', %s, false)", [f"pid {rest.split(':')[-2]} on {host}"[:63]])
            if connection.pg_version >= 140000:  # type: ignore[attr-defined]
                # Else a statement of a killed holder goes on to its end before the lock is free.
                cursor.execute(f"SET client_connection_check_interval = '{LOST_CLIENT_S}s'")

    def taken(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [KEY])
            return bool(cursor.fetchone()[0])

    def holder(self) -> str:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT activity.application_name, activity.client_addr, activity.pid FROM pg_locks AS locks "
                "JOIN pg_stat_activity AS activity USING (pid) WHERE locks.locktype = 'advisory' AND locks.granted "
                "AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
                "AND locks.classid::bigint = %s AND locks.objid::bigint = %s AND locks.objsubid = 1",
                [KEY >> 32, KEY & 0xFFFFFFFF],
            )
            found = cursor.fetchone()
        if found is None:
            return "a process that has just ended"
        name, address, backend = found
        return f"{name or 'a process'} ({address or 'local socket'}, PostgreSQL's process {backend})"

    def free(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [KEY])
        except (DatabaseError, InterfaceError):
            connection.close()  # with it goes the lock


class FileLock:
    def __init__(self) -> None:
        self.file: IO[str] = (settings.DATA_DIR / "prepare.lock").open("a+")

    def taken(self) -> bool:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.file.seek(0)
        self.file.truncate()
        self.file.write(f"pid {process_name().split(':')[-2]}\n")
        self.file.flush()
        return True

    def holder(self) -> str:
        self.file.seek(0)
        return self.file.read().strip() or "a process"

    def free(self) -> None:
        self.file.close()

"""The database backend; settings name its package.

A database with a write-ahead log is opened by making two files beside it. On a full or read-only disk that fails, unless another
process has them open: then the file is opened as one that nobody changes, for reading, as SQLite calls it. That holds where no
log is left (the last process to end has merged it), since nobody can begin one meanwhile; the connection lasts for a request.
https://www.sqlite.org/wal.html#read_only_databases
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.db.backends.sqlite3 import base

from leaderboard.lib.faults import DATABASE_BUSY, fault_of

OWN = 0o600


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        name = str(conn_params["database"])
        is_file = not name.startswith(("file:", ":memory:"))
        if is_file:
            make_private(name)
        try:
            return super().get_new_connection(conn_params)
        except sqlite3.OperationalError as error:
            if not (is_file and fault_of(error) not in (None, DATABASE_BUSY) and is_whole(name)):
                raise
            kept: list[str] = self.init_commands  # type: ignore[has-type]
            self.init_commands = [command for command in kept if "journal_mode" not in command]
            return super().get_new_connection(conn_params | {"database": f"file:{quote(name)}?immutable=1"})


def make_private(name: str) -> None:
    """The log and its index get the mode of the file, so it is made before SQLite makes it."""
    if not os.path.exists(name):
        try:
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWN))
        except OSError:  # another process was faster, or there is no room: SQLite says which
            return


def is_whole(name: str) -> bool:
    """Whether the file has all that was written: no log beside it, or an empty one."""
    log = Path(name + "-wal")
    return os.path.exists(name) and os.path.getsize(name) > 0 and (not log.exists() or log.stat().st_size == 0)

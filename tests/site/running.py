"""A whole site in processes of its own, with the quick grader, for tests that kill them."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from leaderboard.lib.processes import children_of
from tests.conftest import ROOT

QUICK = {
    "ARCH_KERNELS_GRADER": "tests.site.fake_grader",
    "SANDBOX_ARM64": "local",
    "SWEEP_S": "1",
    "BEAT_S": "0.5",
    "HUNG_S": "8",
    "BACKOFF_S": "0.1",
    "GRADING_ATTEMPTS": "1000",
    "LOG_LEVEL": "WARNING",
}


class Site:
    """`manage.py supervise` on a data folder."""

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        self.data, self.options = data, options
        kept = {
            key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")
        }
        self.environment = kept | QUICK | {"DATA_DIR": str(data), "FAKE_GRADER_LOG": str(data / "begun.log")} | environment
        self.log = data / "output.log"
        self.process: subprocess.Popen[bytes] | None = None

    def manage(self, *command: str) -> str:
        argv = [sys.executable, "manage.py", *command]
        done = subprocess.run(argv, env=self.environment, cwd=ROOT.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        argv = [sys.executable, "manage.py", "supervise", *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                argv,
                env=self.environment,
                cwd=ROOT.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def descendants(self) -> list[int]:
        return list(below(self.pid))

    def kill(self) -> None:
        """All of it, with no chance to tidy up."""
        for pid in [self.pid, *self.descendants()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def end(self, number: int = signal.SIGTERM, within_s: float = 120) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(within_s)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.data / "db.sqlite3", timeout=20)) as database:
            return database.execute(sql).fetchall()

    def workers(self, cluster: str) -> list[int]:
        """The living worker processes of a cluster, as they reported themselves."""
        rows = self.query(f"select name from leaderboard_worker where cluster = '{cluster}' order by beat_at desc")
        living = set(self.descendants())
        return [pid for pid in (int(name.split(":")[-2]) for (name,) in rows) if pid in living]


def below(pid: int) -> Iterator[int]:
    for child in children_of(pid):
        yield from below(child)
        yield child


def alive(pids: list[int]) -> list[int]:
    living = []
    for pid in pids:
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                living.append(pid)
    return living


def wait_until(condition: Callable[[], object], within_s: float, what: str) -> float:
    """Seconds waited; fails with `what` after within_s."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < within_s, f"not within {within_s:g} s: {what}"
        time.sleep(0.1)
    return time.monotonic() - began


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

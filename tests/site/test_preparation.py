"""Roles that start together: one prepares the database, the others wait for it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.conftest import ROOT
from tests.site.postgres import Postgres
from tests.site.running import wait_until

ROLES = 3
SAYS_IT_WAITS = "Waiting: another process prepares the database."


class Role:
    """`manage.py prepare_database`, as every role begins."""

    def __init__(self, data: Path, **environment: str) -> None:
        data.mkdir(exist_ok=True)
        self.log = data / f"{len(list(data.iterdir()))}.log"
        kept = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE")}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "prepare_database"],
                env=kept | {"DATA_DIR": str(data), "SECRET_KEY": "any"} | environment,
                cwd=ROOT.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    def end(self) -> None:
        assert self.process.wait(120) == 0, self.output


def are_prepared(roles: list[Role]) -> None:
    for role in roles:
        role.end()
    outputs = [role.output for role in roles]
    assert sum("password" in output and "shown once" in output for output in outputs) == 1, outputs
    assert sum("0 gradings of baselines queued" not in output for output in outputs) == 1, outputs


@pytest.fixture
def server() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.remove()


def empty_database(server: Postgres, name: str) -> str:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.url.rpartition("/")[0] + f"/{name}"


def holder_of(url: str) -> int | None:
    """The backend that holds the lock."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted").fetchone()
    return row[0] if row else None


@pytest.mark.engine
def test_three_roles_start_at_once_on_an_empty_postgresql(server, tmp_path):
    for number in range(3):
        url = empty_database(server, f"round{number}")
        roles = [Role(tmp_path / f"{number}-{role}", DATABASE_URL=url) for role in range(ROLES)]
        are_prepared(roles)
        assert sum(SAYS_IT_WAITS in role.output for role in roles) >= 1
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT count(*) FROM auth_user").fetchone() == (1,)
        assert holder_of(url) is None


@pytest.mark.engine
def test_a_holder_that_is_killed_within_a_migration_is_followed_by_the_next(server, tmp_path):
    url = empty_database(server, "killed")
    first = subprocess.run(
        [sys.executable, "manage.py", "migrate", "auth", "0001", "-v0"],
        env=os.environ
        | {"DATA_DIR": str(tmp_path), "DATABASE_URL": url, "SECRET_KEY": "any", "DJANGO_SETTINGS_MODULE": ""}
        | {"DJANGO_SETTINGS_MODULE": "leaderboard.settings"},
        cwd=ROOT.parent,
        check=False,
    )
    assert first.returncode == 0
    with closing(psycopg.connect(url)) as in_the_way:
        in_the_way.execute("LOCK TABLE auth_user IN ACCESS EXCLUSIVE MODE")  # migrations that refer to it wait
        killed = Role(tmp_path / "killed", DATABASE_URL=url)
        wait_until(lambda: waits_for_a_table(url), 60, "it is within a migration")
        following = [Role(tmp_path / f"next-{role}", DATABASE_URL=url) for role in range(2)]
        wait_until(lambda: all(SAYS_IT_WAITS in role.output for role in following), 60, "the others say that they wait")
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
        wait_until(lambda: holder_of(url) and any("Going on" in role.output for role in following), 30, "the next takes over")
        in_the_way.rollback()
    are_prepared(following)


def waits_for_a_table(url: str) -> bool:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'relation' AND NOT granted").fetchone()
    return row is not None and row[0] > 0


@pytest.mark.engine
def test_who_waits_too_long_says_who_holds_it_and_ends(server, tmp_path):
    url = empty_database(server, "held")
    with psycopg.connect(url, autocommit=True, application_name="pid 12 on elsewhere") as connection:
        connection.execute(f"SELECT pg_advisory_lock({0x617263686B65726E})")
        role = Role(tmp_path / "data", DATABASE_URL=url, PREPARE_WAIT_S="1")
        assert role.process.wait(60) == 1
    assert "pid 12 on elsewhere" in role.output


def test_two_roles_on_one_data_folder_take_turns_on_sqlite(tmp_path):
    tmp_path.joinpath("prepare.lock").touch()
    with tmp_path.joinpath("prepare.lock").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write("pid 7\n")
        held.flush()
        late = Role(tmp_path, PREPARE_WAIT_S="0")
        assert late.process.wait(60) == 1
        assert "pid 7" in late.output
        roles = [Role(tmp_path), Role(tmp_path)]
        wait_until(lambda: all(SAYS_IT_WAITS in role.output for role in roles), 60, "both wait")
    are_prepared(roles)

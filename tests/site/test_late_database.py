"""A site that starts before its database."""

from __future__ import annotations

from contextlib import suppress
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from tests.site.postgres import Postgres
from tests.site.running import free_port, wait_until
from tests.site.test_chaos_prime import SiteOnPostgres, left


@pytest.mark.slow
@pytest.mark.engine
def test_a_worker_that_starts_before_its_database_waits_and_then_grades(tmp_path):
    database = Postgres()
    try:
        database.stop()
        site = SiteOnPostgres(tmp_path, "--no-web", DATABASE_URL=database.url, SECRET_KEY="any")
        site.start()
        try:
            wait_until(lambda: site.log.exists() and "Waiting for the database" in site.output, 60, "it waits")
            database.start()
            wait_until(lambda: "Admin login" in site.output, 60, "it goes on")
            wait_until(lambda: not left(site), 60, "the baselines are graded")
            assert site.end() == 0
        finally:
            site.kill()
    finally:
        database.remove()


THREADS = 8  # of the server, at most: two processes of four


def status(port: int) -> int:
    try:
        with urlopen(f"http://127.0.0.1:{port}/kernels/", timeout=20) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
    except (URLError, OSError):
        return 0


@pytest.mark.slow
@pytest.mark.engine
def test_a_database_that_restarts_costs_at_most_a_request_a_thread(tmp_path):
    database, port = Postgres(), free_port()
    try:
        asks_each_time = {"CONN_MAX_AGE": "600", "PAGES_KEPT_S": "0"}
        options = ("--port", str(port), "--clusters", "")
        site = SiteOnPostgres(tmp_path, *options, DATABASE_URL=database.url, SECRET_KEY="any", **asks_each_time)
        site.start()
        try:
            wait_until(lambda: status(port) == 200, 240, "it serves")
            for _ in range(4 * THREADS):
                assert status(port) == 200
            database.stop()
            assert status(port) == 503
            database.start()
            seen = [status(port) for _ in range(8 * THREADS)]
            assert sum(code != 200 for code in seen) <= THREADS, seen
            assert set(seen[-2 * THREADS :]) == {200}, seen
        finally:
            with suppress(ProcessLookupError):
                site.kill()
    finally:
        database.remove()

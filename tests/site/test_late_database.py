"""A site that starts before its database."""

from __future__ import annotations

import pytest

from tests.site.postgres import Postgres
from tests.site.running import wait_until
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

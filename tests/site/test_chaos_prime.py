"""Two hundred answers on sandboxes that vanish, calls that fail, processes and a database that die: each is graded, once."""

from __future__ import annotations

import os
import random
import time
from collections import Counter

import psycopg
import pytest

pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")

from kernels.catalog import load_catalog
from tests.site.bundles import lines
from tests.site.postgres import Postgres
from tests.site.prime_site import prime_double, surroundings
from tests.site.running import Site, wait_until
from tests.site.test_chaos import strike

ANSWERS = int(os.environ.get("CHAOS_ANSWERS", "200"))
KILLING_S = float(os.environ.get("CHAOS_S", "75"))
TROUBLE = "0.05"  # the share of calls that go wrong
GRADE_S = "0.15"


class SiteOnPostgres(Site):
    def query(self, sql):
        """The first answer: it may be restarting."""
        deadline = time.monotonic() + 30
        while True:
            try:
                with psycopg.connect(self.environment["DATABASE_URL"], connect_timeout=5) as database:
                    return database.execute(sql).fetchall()
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, "the database does not come back"
                time.sleep(0.2)


@pytest.fixture
def postgres():
    database = Postgres()
    yield database
    database.remove()


@pytest.mark.slow
@pytest.mark.chaos
@pytest.mark.engine
@pytest.mark.timeout(900)
def test_on_failing_sandboxes_and_a_failing_database_every_answer_is_graded_once(tmp_path, postgres, capsys):
    seed = int(os.environ.get("CHAOS_SEED", time.time()))
    chance, strikes = random.Random(seed), Counter()
    answers = tmp_path / "answers.jsonl"
    answers.write_bytes(lines(*two_hundred()))
    with prime_double("--canned", GRADE_S, "--chaos", TROUBLE, "--seed", str(seed)) as double:
        environment = surroundings(double, tmp_path) | {
            "DATABASE_URL": postgres.url,
            "SECRET_KEY": "of this test",
            "LEASE_S": "10",
        }
        site = SiteOnPostgres(tmp_path, "--no-web", **environment)
        site.start()
        try:
            wait_until(lambda: site.log.exists() and "Admin login" in site.output, 90, "the site is prepared")
            site.manage("import_bundle", str(answers))
            end = time.monotonic() + KILLING_S
            while time.monotonic() < end and left(site):
                time.sleep(chance.uniform(0.5, 4.0))
                strikes[strike_at(site, postgres, chance)] += 1
            took = wait_until(lambda: not left(site), 300, "all is graded")
        finally:
            site.kill()
        calls = double.state()
    per_pair = site.query(
        "select count(*), sum(is_current::int) from leaderboard_result r join leaderboard_submission s on s.id = r.submission_id "
        "where s.identity not like 'baseline:%' group by r.submission_id, r.arch"
    )
    ((attempts, most),) = site.query("select sum(attempt), max(attempt) from leaderboard_result")
    troubles = Counter(call["trouble"] for call in calls["calls"] if call["trouble"])
    with capsys.disabled():
        print(
            f"\nseed {seed}: {len(per_pair)} results of {ANSWERS} answers on 2 architectures; {attempts} attempts, at most {most}"
            f" for one; struck: {dict(strikes)}; wrong calls: {dict(troubles)} of {len(calls['calls'])}; sandboxes made:"
            f" {calls['made']}, left: {len(calls['running'])}; drained {took:.0f} s after the last strike"
        )
    assert Counter(per_pair) == {(1, 1): 2 * ANSWERS}
    assert site.query("select distinct state, verdict, kernel_score >= 0.5, double, public from leaderboard_result") == [
        ("done", "passed", True, True, False)
    ]
    assert troubles
    assert strikes.total() > 5


def two_hundred():
    kernels = list(load_catalog().values())
    for number in range(ANSWERS):
        kernel = kernels[number % len(kernels)]
        yield {"model": "stub/chaos", "kernel": kernel.name, "answer": kernel.reference_source, "raw": True, "rollout": number}


def left(site):
    return site.query("select count(*) from leaderboard_result where state != 'done'")[0][0]


def strike_at(site, postgres, chance):
    if chance.random() > 0.2:
        return strike(site, chance)
    postgres.stop()
    time.sleep(chance.uniform(0, 3))
    postgres.start()
    return "database"

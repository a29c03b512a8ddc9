"""Whatever is killed, every submission is recorded exactly once on each architecture."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress

import pytest

from kernels.catalog import load_catalog
from tests.conftest import RUNS
from tests.site.running import Site, alive, wait_until

BASELINES = 2 * len(load_catalog())
KILLING_S = float(os.environ.get("CHAOS_S", "75"))
BUNDLES = ("plain-7b--null--8cb61393", "portable-70b--null--14e0c972", "simd-x--null--d50891c8")


@pytest.mark.slow
@pytest.mark.chaos
@pytest.mark.timeout(600)
def test_random_kills_lose_nothing_and_double_nothing(tmp_path, capsys):
    seed = int(os.environ.get("CHAOS_SEED", time.time()))
    chance = random.Random(seed)
    site = Site(tmp_path, "--no-web", FAKE_GRADER_SLEEP="0.35")
    kills: Counter[str] = Counter()
    site.start()
    try:
        wait_until(lambda: site.log.exists() and "Admin login" in site.output, 60, "the site is prepared")
        for name in BUNDLES:
            site.manage("import_bundle", str(RUNS / f"arch-kernels-v1--stub--{name}"))
        submissions = site.query("select count(*) from leaderboard_submission")[0][0]
        end = time.monotonic() + KILLING_S
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.2, 3.0))
            kills[strike(site, chance)] += 1
        took = wait_until(
            lambda: not site.query("select 1 from leaderboard_result where state != 'done' limit 1"), 200, "all is graded"
        )
    finally:
        site.kill()
    per_pair = site.query(
        "select s.identity like 'baseline:%', count(*), sum(r.is_current) from leaderboard_result r "
        "join leaderboard_submission s on s.id = r.submission_id group by r.submission_id, r.arch"
    )
    begun = len((tmp_path / "begun.log").read_text().splitlines())
    attempts = site.query("select sum(attempt), max(attempt) from leaderboard_result")[0]
    with capsys.disabled():
        print(
            f"\nseed {seed}: {submissions} submissions, {len(per_pair)} results, {begun} gradings begun, {attempts[0]} attempts "
            f"(at most {attempts[1]} for one), drained {took:.0f} s after the last kill; kills: {dict(kills)}"
        )
    assert len(per_pair) == 2 * submissions == 2 * (BASELINES + 39 + 20 + 26)
    assert {n for baseline, n, _ in per_pair if not baseline} == {1}  # a baseline is graded again when somebody edits its code
    assert {current for _, _, current in per_pair} == {1}
    assert site.query("select count(*) from leaderboard_result where verdict = '' or failure != ''")[0][0] == 0
    answers = site.query("select sum(answers) from leaderboard_standing")[0][0]
    assert answers == 2 * submissions
    assert kills["worker"] + kills["any process"] > 5


def strike(site: Site, chance: random.Random) -> str:
    """Kill something. Returns what it was."""
    what = chance.choices(["worker", "any process", "a cluster", "supervisor", "everything"], [6, 5, 2, 1, 1])[0]
    if what == "worker":
        targets = [pid for name in ("amd64", "arm64", "housekeeping") for pid in site.workers(name)]
        kill(chance.choice(targets or [0]))
    elif what == "any process":
        kill(chance.choice(site.descendants() or [0]))
    elif what == "a cluster":
        children = [pid for pid in site.descendants() if with_group(pid) == pid]
        if children:
            with suppress(ProcessLookupError):
                os.killpg(chance.choice(children), signal.SIGKILL)
    elif what == "supervisor":
        family = site.descendants()
        kill(site.pid)
        assert site.process is not None
        site.process.wait()
        wait_until(lambda: not alive(family), 120, "the children die with their supervisor")
        site.start()
    else:
        site.kill()
        site.start()
    return what


def with_group(pid: int) -> int:
    with suppress(ProcessLookupError):
        return os.getpgid(pid)
    return 0


def kill(pid: int) -> None:
    if pid:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

"""What `make demo PRIME_DOUBLE=1` does: both architectures' clusters at work on a double that really runs commands."""

from __future__ import annotations

import pytest

pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")

from tests.site.prime_site import prime_double, surroundings
from tests.site.running import Site, wait_until


@pytest.mark.slow
def test_both_architectures_grade_on_the_double_and_nothing_of_it_is_public(tmp_path):
    with prime_double() as double:
        site = Site(tmp_path, "--no-web", **surroundings(double, tmp_path))
        site.start()
        try:
            wait_until(lambda: site.log.exists() and "Admin login" in site.output, 90, "the site is prepared")
            done = "select distinct arch from leaderboard_result where state = 'done'"
            wait_until(lambda: len(site.query(done)) == 2, 180, "each architecture has a result")
            assert site.query("select distinct double, public from leaderboard_result where state = 'done'") == [(1, 0)]
            assert site.query("select count(*) from leaderboard_standing") == [(0,)]
            assert len(double.state()["running"]) == 2
            assert site.end() == 0
            assert len(double.state()["running"]) == 2  # left to the next workers
        finally:
            site.kill()

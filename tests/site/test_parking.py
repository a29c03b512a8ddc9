"""What only an operator can mend parks the architecture: nothing is scored, nothing lost, and the site names what to do."""

from __future__ import annotations

import pytest

pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")

from leaderboard import tasks
from leaderboard.models import Result
from leaderboard.queue.status import queue_status
from leaderboard.worker import grader
from tests.doubles.prime.canned import CannedDouble
from tests.prime.conftest import surroundings  # noqa: F401  # a fixture

pytestmark = pytest.mark.django_db(transaction=True)
ARCH = "arm64"


@pytest.fixture
def double(surroundings, monkeypatch, settings):  # noqa: F811
    settings.GRADER = "leaderboard.worker.grader"
    settings.SANDBOXES = {"amd64": "prime", "arm64": "prime"}
    with CannedDouble(grade_s=0.0) as double:
        for name, value in double.environment.items():
            monkeypatch.setenv(name, value)
        restart()
        yield double
        restart()


def restart():
    """What a worker's process keeps in mind is gone with it."""
    for arch in list(grader._kept):
        grader.close(arch)
    tasks._parked.clear()


def seen(client):
    (entry,) = (entry for entry in client.get("/api/queue").json()["archs"] if entry["arch"] == ARCH)
    return entry


def test_without_the_key_nothing_is_scored_and_with_it_the_rest_is_graded(queue, double, monkeypatch, client):
    key = double.environment["PRIME_API_KEY"]
    monkeypatch.delenv("PRIME_API_KEY")
    for _ in range(3):
        queue("float dot_f32;", arch=ARCH)
    tasks.tick(ARCH)
    entry = seen(client)
    assert (entry["queued"], entry["running"], entry["parked"], entry["workers"]) == (0, 0, 3, 0)
    assert "PRIME_API_KEY" in entry["reason"]
    assert "PRIME_API_KEY" in client.get("/queue/").content.decode()
    assert not Result.objects.done().exists()
    monkeypatch.setenv("PRIME_API_KEY", key)
    restart()
    tasks.tick(ARCH)
    assert Result.objects.done().filter(is_current=True, verdict="passed", attempt=1).count() == 3
    assert [arch["parked"] for arch in queue_status(private=True)["archs"]] == [0, 0]


@pytest.mark.parametrize(("status", "named"), [("401", "PRIME_API_KEY"), ("402", "credit"), ("403", "PRIME_API_KEY")])
def test_a_wrong_key_or_no_credit_parks_and_costs_no_attempt(queue, double, client, status, named):
    rows = [queue("float dot_f32;", arch=ARCH) for _ in range(2)]
    double.troubles.plan("create", status, times=99)
    tasks.tick(ARCH)
    entry = seen(client)
    assert (entry["parked"], entry["queued"]) == (2, 0)
    assert named in entry["reason"]
    for row in rows:
        row.refresh_from_db()
        assert (row.state, row.attempt, row.verdict) == ("queued", 0, "")


def test_grading_resumes_by_itself_once_there_is_credit(queue, double, monkeypatch):
    monkeypatch.setattr(tasks, "PARKED_FOR_S", 0.0)
    queue("float dot_f32;", arch=ARCH)
    double.troubles.plan("create", "402", times=99)
    tasks.tick(ARCH)
    assert Result.objects.queued().count() == 1
    double.troubles.clear()
    tasks.tick(ARCH)
    assert Result.objects.done().count() == 1


def test_a_passing_fault_of_the_service_costs_an_attempt_and_no_score(queue, double, settings):
    settings.BACKOFF_S = 0.0
    row = queue("float dot_f32;", arch=ARCH)
    double.troubles.plan("execute", "vanish", times=1, after=3)
    tasks.tick(ARCH)
    tasks.tick(ARCH)
    row.refresh_from_db()
    assert (row.state, row.verdict) == ("done", "passed")
    assert row.attempt <= 2

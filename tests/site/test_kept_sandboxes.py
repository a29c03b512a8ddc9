"""A worker's sandbox outlives the worker: the next one takes it over."""

from __future__ import annotations

import pytest

pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")

from leaderboard import tasks
from leaderboard.models import Result
from leaderboard.worker import grader
from tests.prime.conftest import surroundings  # noqa: F401  # a fixture
from tests.site.test_parking import ARCH, double  # noqa: F401  # a fixture

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_worker_that_stops_leaves_its_sandbox_to_the_next_one(queue, double, monkeypatch):  # noqa: F811
    queue("float dot_f32;", arch=ARCH)

    def stopped(*_, **__):
        raise SystemExit(0)

    with monkeypatch.context() as patch:
        patch.setattr(tasks.recording, "record_result", stopped)
        with pytest.raises(SystemExit):
            tasks.tick(ARCH)
    assert Result.objects.queued().get().attempt == 0
    (sandbox,) = double.running
    grader._kept.pop(ARCH)._places.slot.release()  # the process ends: its slot is free, nothing was closed
    tasks.tick(ARCH)
    assert Result.objects.done().count() == 1
    assert double.running == [sandbox]
    assert double.made == 1
    assert all("double" in result.machine.facts and not result.public for result in Result.objects.done())


def test_a_leaked_sandbox_is_swept_and_one_in_use_is_not(queue, double):  # noqa: F811
    queue("float dot_f32;", arch=ARCH)
    tasks.tick(ARCH)
    (sandbox,) = double.running
    grader.sweep()
    assert double.running == [sandbox]
    grader._kept[ARCH]._places.slot.give_up(sandbox.id)  # its deletion failed
    grader.sweep()
    assert double.running == []

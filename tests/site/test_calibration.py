"""A new sandbox is measured before it grades, once; what a drifting one grades is marked, and the admin is told."""

from __future__ import annotations

import logging

import pytest

from leaderboard import tasks
from leaderboard.models import Calibration, Result
from tests.site import fake_grader

pytestmark = pytest.mark.django_db(transaction=True)


def grade_on(place, queue):
    fake_grader.real.add("amd64")
    fake_grader.places["amd64"] = place
    row = queue()
    tasks.tick("amd64")
    row.refresh_from_db()
    assert row.state == "done"
    return row


def test_a_machine_is_measured_once_and_not_at_every_answer(queue):
    for _ in range(3):
        grade_on("first", queue)
    assert fake_grader.calibrated == ["amd64"]
    calibration = Calibration.objects.get()
    assert calibration.limits == {"read_bandwidth": 9.0}
    assert calibration.machine == Result.objects.first().machine


def test_what_a_slower_machine_grades_is_marked_and_the_log_and_the_admin_tell(queue, caplog, admin_client):
    for number in range(3):
        assert not grade_on(f"usual {number}", queue).drifting
    fake_grader.slow.add("amd64")
    with caplog.at_level(logging.WARNING):
        marked = grade_on("slower", queue)
    assert marked.drifting
    assert marked.kernel_score is not None  # marked, not taken away
    assert "dot_f32 is 0.70 times the usual 100" in caplog.text
    page = admin_client.get("/admin/leaderboard/calibration/?drifting__exact=1").content.decode()
    assert "dot_f32 is 0.70 times the usual 100" in page
    assert "crc32_ieee is" not in page
    fake_grader.slow.clear()
    assert not grade_on("usual again", queue).drifting


def test_nothing_is_measured_where_nothing_counts(queue):
    queue()
    tasks.tick("amd64")
    assert fake_grader.calibrated == []
    assert Result.objects.done().count() == 1


def test_a_machine_that_cannot_be_measured_grades_all_the_same_and_is_not_asked_again(queue):
    fake_grader.unmeasurable.add("amd64")
    for _ in range(2):
        assert not grade_on("odd", queue).drifting
    assert fake_grader.calibrated == ["amd64"]
    assert not Calibration.objects.exists()

"""A machine that is short of something, or whose baselines fail, parks the architecture: nothing is scored, nothing is lost."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import OperationalError

from grading.pipeline import grade_source
from grading.sandbox import local
from leaderboard import tasks
from leaderboard.models import Calibration, Result
from leaderboard.services.leases import Leases
from leaderboard.worker import grader
from tests.grading.test_faults_of_ours import HONEST, QUICK
from tests.site import fake_grader
from tests.small_disk import leave, make_room, small_disk, sweep

pytestmark = pytest.mark.django_db(transaction=True)
ARCH = local.host_arch()


@pytest.fixture(autouse=True)
def nothing_is_parked():
    restart()
    yield
    restart()


def restart():
    tasks._parked.clear()
    tasks._failed_calibrations.clear()
    for arch in list(grader._kept):
        grader.close(arch)


def entry(client, arch="amd64"):
    return next(entry for entry in client.get("/api/queue").json()["archs"] if entry["arch"] == arch)


def test_a_short_machine_parks_with_the_reason_and_all_is_graded_afterwards(queue, client, monkeypatch):
    monkeypatch.setattr(tasks, "PARKED_FOR_S", 0.0)
    fake_grader.short_of["amd64"] = "8 kB are free in /tmp, and a grading needs 256 MB: make room there"
    rows = [queue() for _ in range(3)]
    for _ in range(9):  # more often than a row may be tried
        tasks.tick("amd64")
    assert not Result.objects.done().exists()
    assert "8 kB are free in /tmp" in entry(client)["reason"]
    assert entry(client)["failed"] == 0
    fake_grader.short_of.clear()
    tasks.tick("amd64")
    assert Result.objects.done().filter(verdict="passed", attempt=1).count() == len(rows)


def test_nothing_is_graded_where_a_tuned_baseline_fails_until_it_passes(queue, client, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(tasks.time, "monotonic", lambda: now[0])
    fake_grader.real.add("amd64")
    fake_grader.uncalibrated["amd64"] = "the tuned baseline of dot_f32 does not pass here: wrong_answer"
    for _ in range(2):
        queue()
    tasks.tick("amd64")
    assert fake_grader.graded == []
    assert entry(client)["parked"] == 2
    assert "tuned baseline of dot_f32" in entry(client)["reason"]
    tried = [fake_grader.calibrated.copy()]
    for _ in range(10):  # a try after 1, 2, 4 minutes
        now[0] += 61
        tasks.tick("amd64")
    tried.append(fake_grader.calibrated.copy())
    assert len(tried[1]) - len(tried[0]) == 3
    assert fake_grader.graded == []
    fake_grader.uncalibrated.clear()
    now[0] += tasks.PARKED_FOR_MOST_S
    tasks.tick("amd64")
    assert Result.objects.done().filter(verdict="passed").count() == 2
    assert Calibration.objects.count() == 1


@pytest.mark.parametrize("points", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_with_room_again_every_row_is_graded_and_none_was_scored(points, queue, client, monkeypatch, settings):
    settings.GRADER, settings.SANDBOXES = "leaderboard.worker.grader", {"amd64": "", "arm64": ""} | {ARCH: "local"}
    monkeypatch.setattr(tasks, "PARKED_FOR_S", 0.0)
    monkeypatch.setattr(grader, "is_real", lambda arch: False)  # calibrating would take its time
    monkeypatch.setattr(grader, "grade_source", lambda *what: grade_source(*what, QUICK))
    with small_disk(Path(tempfile.mkdtemp(dir="/tmp")), 400 << 10) as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        row = queue(HONEST, arch=ARCH)
        for free_kb in sweep(points):
            leave(disk, free_kb)
            tasks.tick(ARCH)
            assert not Result.objects.done().exists()
            assert "are free in" in entry(client, ARCH)["reason"]
        make_room(disk)
        tasks.tick(ARCH)
        row.refresh_from_db()
        assert (row.state, row.verdict, row.attempt) == ("done", "passed", 1), row.detail
        grader.close(ARCH)


def full_disk(*_: object, **__: object) -> None:
    driver = sqlite3.OperationalError("database or disk is full")
    driver.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise OperationalError("database or disk is full") from driver


def test_a_row_that_can_be_neither_recorded_nor_given_back_goes_back_with_room_and_no_attempt_counts(queue, monkeypatch):
    row = queue()
    with monkeypatch.context() as full:
        full.setattr(tasks.recording, "record_result", full_disk)
        full.setattr(Leases, "_put_back", full_disk)
        tasks.tick("amd64")
        row.refresh_from_db()
        assert (row.state, row.attempt) == ("running", 1)
    tasks._parked.clear()
    tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.verdict, row.attempt) == ("done", "passed", 1)


def test_nothing_is_begun_while_the_database_has_no_room(queue, client, monkeypatch):
    monkeypatch.setattr(tasks, "connection", SimpleNamespace(vendor="sqlite"))  # whose database is on this disk
    queue()
    with monkeypatch.context() as full:
        full.setattr(tasks.room, "BESIDE", 1 << 60)
        tasks.tick("amd64")
    assert fake_grader.graded == []
    assert "our disk is full" in entry(client)["reason"].lower()
    tasks.tick("amd64")
    assert Result.objects.done().count() == 1

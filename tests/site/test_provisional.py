"""Results by emulation or from a double stand in for measured ones: they never count, and make way for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grading.sandbox import registry
from grading.sandbox.registry import Backend
from leaderboard import tasks
from leaderboard.models import Machine, Result, Standing
from leaderboard.services import moderation, provisional, visibility
from leaderboard.worker import grader
from tests.site import fake_grader

DOUBLE = {"cpu_model": "Double", "double": True}

THERE = {"open": lambda arch, _: None, "why_unavailable": lambda arch: None, "check": lambda arch: None}


@pytest.mark.django_db
def test_what_was_graded_on_a_double_is_never_public(grade, client):
    result = grade(machine=DOUBLE)
    assert (result.double, result.public, result.is_current) == (True, False, True)
    assert not Standing.objects.exists()
    assert not Machine.objects.public().exists()
    for page in ("", "record.json"):
        shown = client.get(f"/submissions/{result.submission.uid}/{page}").content.decode()
        assert "passed on amd64" not in shown
        assert '"verdict"' not in shown
    assert result.submission.uid not in client.get("/export/results.csv?history=1").getvalue().decode()
    visibility._show([result.submission_id], True)
    result.refresh_from_db()
    assert not result.public


@pytest.mark.django_db
def test_a_double_never_takes_the_place_of_a_measured_result(grade):
    measured = grade(speedup=2.0)
    doubled = grade(again=measured, machine=DOUBLE, speedup=9.0)
    measured.refresh_from_db()
    assert (measured.is_current, doubled.is_current) == (True, False)
    assert not doubled.flagged


@pytest.mark.django_db
@pytest.mark.parametrize("marks", [{"emulated": True, "kernel_score": None}, {"machine": DOUBLE}])
def test_a_real_sandbox_grades_what_stood_in_once(grade, marks):
    result = grade(arch="arm64", **marks)
    grade(arch="amd64")
    assert provisional.requeue_provisional("arm64") == 1
    assert provisional.requeue_provisional("arm64") == 0  # under way
    row = Result.objects.queued().get()
    assert (row.submission_id, row.arch, row.public) == (result.submission_id, "arm64", True)
    result.refresh_from_db()
    assert result.is_current  # until the measured one is there
    Result.objects.filter(pk=row.pk).update(state="failed")
    assert provisional.requeue_provisional("arm64") == 0  # a person has to look at it


@pytest.mark.django_db
def test_what_was_measured_once_is_left_alone(grade):
    emulated = grade(arch="arm64", emulated=True, kernel_score=None)
    measured = grade(again=emulated, arch="arm64")
    moderation.invalidate([measured], "a broken fan")
    emulated.refresh_from_db()
    assert emulated.is_current
    assert provisional.requeue_provisional("arm64") == 0


@pytest.mark.django_db(transaction=True)
def test_a_worker_replaces_them_only_where_its_sandbox_measures(grade):
    grade(arch="arm64", emulated=True, kernel_score=None)
    tasks.tick("arm64")
    assert fake_grader.graded == []
    fake_grader.real.add("arm64")
    tasks.tick("arm64")
    tasks.tick("arm64")
    assert len(fake_grader.graded) == 1
    assert Result.objects.current().get().emulated is False


def test_which_sandboxes_measure(settings, monkeypatch):
    monkeypatch.setattr(grader, "why_sandbox_unavailable", lambda name, arch: None)
    settings.SANDBOXES = {"amd64": "local", "arm64": "emulated"}
    assert (grader.is_real("amd64"), grader.is_real("arm64")) == (True, False)
    settings.SANDBOXES = {"amd64": "prime", "arm64": "prime"}
    kinds = registry.BACKENDS
    monkeypatch.setitem(kinds, "prime", replace(kinds["prime"], is_double=lambda: True))
    assert not grader.is_real("amd64")
    monkeypatch.setitem(kinds, "prime", replace(kinds["prime"], is_double=lambda: False))
    assert grader.is_real("amd64")
    monkeypatch.setattr(grader, "why_sandbox_unavailable", lambda name, arch: "PRIME_API_KEY is not set")
    assert not grader.is_real("amd64")


def test_a_sandbox_is_told_by_what_it_says_of_itself_whatever_its_name(settings, monkeypatch, caplog):
    kinds = {
        "one": Backend(**THERE, emulates=True),
        "two": Backend(**THERE, is_double=lambda: True, sweep=lambda: ["box"]),
        "three": Backend(**THERE),
    }
    monkeypatch.setattr(registry, "BACKENDS", kinds)
    real = {}
    for name in kinds:
        settings.SANDBOXES = {"amd64": name}
        real[name] = grader.is_real("amd64")
    assert real == {"one": False, "two": False, "three": True}
    settings.SANDBOXES = {"amd64": "two", "arm64": "two"}
    caplog.set_level("INFO")
    grader.sweep()
    assert [record.message for record in caplog.records] == ["ended the leaked two sandbox box"]  # once a sandbox


@pytest.mark.django_db
def test_housekeeping_ends_leaked_sandboxes_now_and_then(monkeypatch):
    monkeypatch.setattr(tasks, "_swept_at", float("-inf"))
    tasks.sweep_sandboxes()
    tasks.sweep_sandboxes()
    assert fake_grader.swept == [1]

from __future__ import annotations

import fcntl
import signal
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from django_q.exceptions import TimeoutException
from django_q.models import OrmQ, Schedule, Task

from grading.hostlock import host_lock
from grading.sandbox.registry import Backend
from leaderboard import tasks
from leaderboard.models import Result, Worker
from leaderboard.queue.status import queue_status
from leaderboard.services import housekeeping, queueing
from leaderboard.worker import grader, leases
from tests.site import fake_grader
from tests.site.conftest import claim


@pytest.fixture(autouse=True)
def nothing_is_parked():
    tasks._parked.clear()


def status(arch="amd64", **options):
    return next(entry for entry in queue_status(**options)["archs"] if entry["arch"] == arch)


# The worker's thread writes too: it has to see the rows, so these tests commit.
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_tick_grades_everything_that_is_due(queue):
    for _ in range(3):
        queue()
    tasks.tick("amd64")
    assert Result.objects.done().count() == 3
    assert status() | {"left_s": None} == {
        "arch": "amd64",
        "queued": 0,
        "running": 0,
        "failed": 0,
        "parked": 0,
        "workers": 1,
        "graded": 3,
        "oldest_s": None,
        "reason": None,
        "left_s": None,
        "answers": [],
    }


def test_a_tick_that_has_run_its_time_hands_over_to_the_next(queue, settings):
    settings.TICK_S = 0.01
    queue("sleep 0.05")
    queue()
    OrmQ.objects.all().delete()
    tasks.tick("amd64")
    assert Result.objects.done().count() == 1
    assert OrmQ.objects.filter(key="amd64").exists()


def test_a_reply_without_an_answer_gets_its_verdict(queue):
    row = queue(None)
    tasks.tick("amd64")
    row.refresh_from_db()
    assert row.verdict == "no_answer"


def test_a_lost_sandbox_is_never_a_verdict(queue):
    row = queue("gone")
    tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.verdict, row.attempt, row.failure) == ("queued", "", 1, "the sandbox is gone")
    assert row.not_before is not None


@pytest.mark.parametrize(("source", "reason"), [("bug", "KeyError"), ("internal", "internal")])
def test_a_bug_of_ours_is_never_a_verdict(queue, source, reason):
    row = queue(source)
    tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.verdict) == ("queued", "")
    assert reason in row.failure


def test_without_a_sandbox_rows_are_parked_with_the_reason(queue, settings):
    settings.SANDBOXES = {"amd64": "local", "arm64": ""}
    queue(arch="arm64")
    entry = status("arm64")
    assert (entry["queued"], entry["parked"], entry["workers"]) == (0, 1, 0)
    assert entry["reason"] == "no arm64 sandbox configured"


def test_a_worker_without_its_sandbox_touches_no_row_and_says_why(queue):
    fake_grader.unavailable["amd64"] = "gcc is not installed"
    row = queue()
    tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.attempt) == ("queued", 0)
    assert (status()["parked"], status()["reason"]) == (1, "gcc is not installed")
    fake_grader.unavailable.clear()
    tasks.tick("amd64")
    assert Result.objects.done().count() == 1


def test_an_operators_fault_parks_the_architecture_and_costs_no_attempt(queue):
    row, other = queue("operator"), queue()
    tasks.tick("amd64")
    row.refresh_from_db()
    other.refresh_from_db()
    assert (row.state, row.attempt, other.state) == ("queued", 0, "queued")
    assert (status()["parked"], status()["reason"]) == (2, "set PRIME_API_KEY")
    tasks.tick("amd64")
    assert len(fake_grader.graded) == 1  # not tried again at every wake-up


def test_grading_goes_on_once_the_operator_has_mended_it(queue, monkeypatch):
    monkeypatch.setattr(tasks, "PARKED_FOR_S", 0.0)
    row = queue("operator")
    tasks.tick("amd64")
    type(row.submission).objects.update(source="speedup 2")
    tasks.tick("amd64")
    row.refresh_from_db()
    assert row.state == "done"


def test_a_renewal_that_the_database_keeps_waiting_does_not_keep_the_worker(settings, monkeypatch):
    settings.BEAT_S = 0.01
    monkeypatch.setattr(leases, "JOIN_S", 0.2)
    began, released, real = threading.Event(), threading.Event(), leases.Presence.beat

    def beat(self):
        if threading.current_thread() is threading.main_thread():
            return real(self)
        began.set()
        released.wait(60)

    monkeypatch.setattr(leases.Presence, "beat", beat)
    start = time.monotonic()
    try:
        with leases.presence("amd64"):
            assert began.wait(30)
        assert not released.is_set()
        assert time.monotonic() - start < 30
    finally:
        released.set()


def test_the_lease_is_renewed_while_grading(queue, settings):
    settings.BEAT_S, settings.LEASE_S = 0.05, 0.2
    row = queue("sleep 0.6")
    seen = []
    real = tasks.recording.record_result

    def look(token, graded, **more):
        seen.append(Result.objects.get(pk=row.pk).lease_until > timezone.now())
        return real(token, graded, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks.recording, "record_result", look)
        tasks.tick("amd64")
    assert seen == [True]
    assert Result.objects.done().count() == 1


def test_the_lease_is_renewed_while_waiting_for_the_hosts_lock(queue, settings, monkeypatch, tmp_path):
    settings.BEAT_S, settings.LEASE_S = 0.05, 0.2
    monkeypatch.setenv("ARCH_KERNELS_LOCK", str(tmp_path / "lock"))
    row, seen = queue(), []
    held = (tmp_path / "lock").open("w")
    fcntl.flock(held, fcntl.LOCK_EX)  # somebody else grades

    def let_go():
        row.refresh_from_db()
        seen.append((row.state, row.lease_until > timezone.now()))
        connection.close()
        held.close()

    def grade(kernel, source, arch):
        with host_lock() as waited_s:
            seen.append(waited_s > 0.5)
        return fake_grader.record(kernel, arch)

    monkeypatch.setattr(fake_grader, "grade", grade)
    timer = threading.Timer(0.8, let_go)
    timer.start()
    tasks.tick("amd64")
    timer.join()
    assert seen == [("running", True), True]
    row.refresh_from_db()
    assert (row.state, row.attempt) == ("done", 1)


def test_a_stopped_worker_puts_its_row_back_at_once(queue, monkeypatch):
    row = queue()
    monkeypatch.setattr(fake_grader, "grade", lambda *args: (_ for _ in ()).throw(SystemExit(0)))
    with pytest.raises(SystemExit):
        tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.attempt) == ("queued", 0)


def test_a_worker_stopped_right_after_it_claimed_a_row_gives_it_back_too(queue, monkeypatch):
    row = queue()
    real = leases.take

    def take_and_be_stopped(arch, worker):
        real(arch, worker)
        raise SystemExit(0)

    monkeypatch.setattr(leases, "take", take_and_be_stopped)
    with pytest.raises(SystemExit):
        tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.attempt) == ("queued", 0)


def test_a_grading_that_hangs_costs_an_attempt(queue, monkeypatch):
    row = queue()
    monkeypatch.setattr(fake_grader, "grade", lambda *args: (_ for _ in ()).throw(TimeoutException))
    with pytest.raises(TimeoutException):
        tasks.tick("amd64")
    row.refresh_from_db()
    assert (row.state, row.attempt) == ("queued", 1)
    assert "did not end" in row.failure


def test_sigterm_ends_a_worker_in_the_middle_of_its_work():
    before = signal.getsignal(signal.SIGTERM)
    try:
        tasks.stop_gracefully()
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("seen_before")
def test_the_sweep_requeues_what_the_dead_held_and_wakes_whoever_has_work(queue):
    claim(queue(), lease_s=-1)
    OrmQ.objects.all().delete()
    tasks.sweep()
    assert Result.objects.queued().count() == 1
    assert OrmQ.objects.filter(key="amd64").exists()
    assert Worker.objects.filter(cluster="housekeeping").exists()


def test_each_cluster_of_an_architecture_is_woken_by_a_message_of_its_own(db):
    for cluster in ("amd64", "amd64-2", "amd64-2"):
        queueing.wake(cluster)
    assert sorted(message.key for message in OrmQ.objects.all()) == ["amd64", "amd64-2"]
    assert {message.args() for message in OrmQ.objects.all()} == {("amd64",)}


def test_the_sweep_leaves_clusters_without_work_alone(queue):
    tasks.sweep()
    assert not OrmQ.objects.exists()


def test_the_sweep_forgets_old_workers_and_old_failures():
    long_ago = timezone.now() - timedelta(days=30)
    Worker.objects.create(name="old", cluster="amd64", beat_at=long_ago)
    Task.objects.create(id="0" * 32, name="t", func="f", started=long_ago, stopped=long_ago, success=False)
    tasks.sweep()
    assert not Worker.objects.filter(name="old").exists()
    assert not Task.objects.exists()


def test_clusters_without_a_supervisor_are_woken_by_the_schedule():
    housekeeping.ensure_schedule()
    housekeeping.ensure_schedule()
    schedule = Schedule.objects.get()
    assert (schedule.func, schedule.cluster) == ("leaderboard.tasks.sweep", "housekeeping")


def test_a_row_cancelled_in_the_moment_it_was_claimed_is_skipped(queue, monkeypatch):
    row = queue()
    real = leases.take

    def take_and_lose(arch, worker):
        lease = real(arch, worker)
        Result.objects.filter(pk=row.pk).delete()
        return lease

    monkeypatch.setattr(leases, "take", take_and_lose)
    tasks.tick("amd64")
    assert fake_grader.graded == []


# Emulation


@pytest.fixture
def emulated(settings):
    settings.SANDBOXES = {"amd64": "local", "arm64": "emulated"}


def test_emulated_gradings_wait_for_those_that_measure(queue, emulated):
    measured, rows = queue(), queue(arch="arm64")
    Worker.objects.create(name="w", cluster="amd64", beat_at=timezone.now())
    tasks.tick("arm64")
    assert fake_grader.graded == []
    tasks.tick("amd64")
    tasks.tick("arm64")
    assert [arch for _, _, arch in fake_grader.graded] == ["amd64", "arm64"]
    assert Result.objects.done().count() == 2
    assert measured.pk != rows.pk


@pytest.mark.parametrize(("here", "waits"), [(True, True), (False, False)])
def test_emulated_gradings_wait_only_for_what_takes_this_hosts_cores(here, waits, queue, settings, monkeypatch):
    there = {"open": lambda arch, _: None, "why_unavailable": lambda arch: None, "check": lambda arch: None}
    kinds = {"a": Backend(**there, on_this_host=lambda: here), "b": Backend(**there, emulates=True)}
    monkeypatch.setattr("grading.sandbox.registry.BACKENDS", kinds)
    settings.SANDBOXES = {"amd64": "a", "arm64": "b"}
    queue()
    queue(arch="arm64")
    Worker.objects.create(name="w", cluster="amd64", beat_at=timezone.now())
    tasks.tick("arm64")
    assert (fake_grader.graded == []) is waits


def test_emulated_gradings_do_not_wait_for_an_architecture_that_is_parked(queue, emulated):
    queue()
    queue(arch="arm64")
    Worker.objects.create(name="w", cluster="amd64", reason="gcc is not installed", beat_at=timezone.now())
    tasks.tick("arm64")
    assert Result.objects.done().get().arch == "arm64"


def test_a_demo_emulates_for_a_while_then_parks_what_is_left(queue, emulated, monkeypatch):
    monkeypatch.setattr(grader, "why_sandbox_unavailable", lambda name, arch: None)
    monkeypatch.setattr(fake_grader, "why_unavailable", grader.why_unavailable)
    monkeypatch.setenv(grader.EMULATED_UNTIL, str(time.time() + 0.3))
    queue("sleep 0.5", arch="arm64")
    queue(arch="arm64")
    tasks.tick("arm64")
    assert Result.objects.done().count() == 1
    entry = status("arm64")
    assert (entry["queued"], entry["running"], entry["parked"]) == (0, 0, 1)
    assert "SANDBOX_ARM64=emulated make demo" in entry["reason"]


# What the queue says


def test_queued_rows_without_a_worker_say_so(queue):
    queue()
    assert status()["reason"] == "no amd64 worker is running"
    assert status()["queued"] == 1
    assert status()["oldest_s"] >= 0


def test_private_rows_are_counted_only_for_those_who_may_know(queue):
    queue(public=False)
    claim(queue(public=False))
    assert (status()["queued"], status()["running"], status()["answers"]) == (0, 0, [])
    entry = status(private=True)
    assert (entry["queued"], entry["running"]) == (1, 1)


def test_a_running_answer_is_named(queue):
    row = queue()
    claim(row)
    (answer,) = status()["answers"]
    assert (answer["submission"], answer["kernel"], answer["attempt"]) == (row.submission.uid, "dot_f32", 1)


def test_the_queue_is_described_in_few_queries(queue, django_assert_max_num_queries):
    for _ in range(5):
        queue()
    with django_assert_max_num_queries(12):
        queue_status()

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django_q.models import OrmQ

from leaderboard.lib.processes import here
from leaderboard.models import Result, Submission
from leaderboard.services import queueing, recording
from leaderboard.worker import leases
from tests.site import fake_grader
from tests.site.conftest import claim


def test_work_is_taken_by_priority_and_then_in_the_order_it_came(queue):
    first, second, urgent = queue(), queue(), queue()
    queueing.prioritise(Result.objects.filter(pk=urgent.pk), 5)
    taken = [leases.take("amd64", "w").result_id for _ in range(3)]
    assert taken == [urgent.pk, first.pk, second.pk]
    assert leases.take("amd64", "w") is None


def test_a_worker_takes_only_rows_of_its_architecture(queue):
    queue(arch="arm64")
    assert leases.take("amd64", "w") is None
    assert leases.take("arm64", "w") is not None


def test_a_row_is_claimed_once(queue):
    row = queue()
    claim(row)
    with pytest.raises(AssertionError):
        claim(row)


@pytest.mark.django_db(transaction=True)
def test_eight_workers_at_once_take_every_row_exactly_once(queue):
    rows = {queue().pk for _ in range(40)}
    taken: list[int] = []

    def work() -> None:
        while lease := leases.take("amd64", "w"):
            taken.append(lease.result_id)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(rows)


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_finish_the_same_row_record_it_once(queue):
    row = queue()
    token = claim(row)
    answers: list[object] = []

    def finish() -> None:
        answers.append(recording.record_result(token, fake_grader.record("dot_f32", "amd64")))
        connection.close()

    threads = [threading.Thread(target=finish) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(answer is not None for answer in answers) == 1
    assert Result.objects.done().count() == 1


def test_a_submission_is_queued_once_an_architecture_however_often_it_is_asked_for(make):
    submission = make()
    assert queueing.enqueue([submission]) == 2
    assert queueing.enqueue([submission]) == 0
    assert Result.objects.queued().count() == 2


def test_the_database_itself_refuses_a_second_open_row(queue):
    row = queue()
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


def test_after_a_fault_of_ours_a_row_waits_longer_each_time_and_is_failed_in_the_end(queue, settings):
    settings.GRADING_ATTEMPTS, settings.BACKOFF_S = 3, 10.0
    row = queue()
    waits = []
    for _ in range(2):
        assert queueing.requeue(claim(row), "the sandbox is gone")
        row.refresh_from_db()
        assert (row.state, row.verdict, row.failure) == ("queued", "", "the sandbox is gone")
        waits.append((row.not_before - timezone.now()).total_seconds())
        assert leases.take("amd64", "w") is None
        Result.objects.update(not_before=None)
    assert waits == pytest.approx([10, 30], abs=1)
    queueing.requeue(claim(row), "the sandbox is gone")
    row.refresh_from_db()
    assert (row.state, row.verdict, row.kernel_score, row.attempt) == ("failed", "", None, 3)


def test_a_failed_row_is_revived_with_a_new_budget_and_never_doubled(queue, settings):
    settings.GRADING_ATTEMPTS = 1
    row = queue()
    queueing.requeue(claim(row), "gone")
    assert queueing.regrade(Submission.objects.all(), ["amd64"]) == 1
    row.refresh_from_db()
    assert (row.state, row.attempt, row.failure) == ("queued", 0, "")
    assert Result.objects.count() == 1


def test_a_worker_that_is_stopped_gives_its_row_back_without_losing_an_attempt(queue):
    row = queue()
    assert queueing.release(claim(row))
    row.refresh_from_db()
    assert (row.state, row.attempt, row.lease_token) == ("queued", 0, None)


@pytest.mark.usefixtures("seen_before")
def test_an_expired_lease_is_requeued_and_its_late_worker_records_nothing(queue):
    row = queue()
    late = claim(row, lease_s=-1)
    assert queueing.RESULTS.reclaim() == 1
    assert recording.record_result(late, fake_grader.record("dot_f32", "amd64")) is None
    assert recording.record_result(claim(row), fake_grader.record("dot_f32", "amd64", speedup=3)).speedup == 3
    assert Result.objects.done().count() == 1


def test_a_lease_that_is_kept_is_left_alone(queue):
    claim(queue())
    assert queueing.RESULTS.reclaim() == 0


def test_a_row_of_a_dead_process_of_this_host_is_requeued_at_once(queue):
    row = queue()
    claim(row, worker=f"{here()}:4194305:1")
    assert queueing.RESULTS.reclaim() == 1
    row.refresh_from_db()
    assert row.state == "queued"
    assert "disappeared" in row.failure


@pytest.mark.usefixtures("seen_before")
def test_a_row_that_kills_its_worker_every_time_is_failed_in_the_end(queue, settings):
    settings.GRADING_ATTEMPTS = 2
    row = queue()
    for _ in range(2):
        claim(row, lease_s=-1)
        queueing.RESULTS.reclaim()
    row.refresh_from_db()
    assert row.state == "failed"
    assert "attempt 2 of 2" in row.failure


def test_a_renewed_lease_outlives_its_first_end(queue):
    row = queue()
    token = claim(row, lease_s=-1)
    assert queueing.RESULTS.renew(token)
    assert queueing.RESULTS.reclaim() == 0


def test_a_cancelled_row_is_gone_and_what_its_worker_brings_is_dropped(queue):
    row = queue()
    token = claim(row)
    assert queueing.cancel(Result.objects.filter(pk=row.pk)) == 1
    assert recording.record_result(token, fake_grader.record("dot_f32", "amd64")) is None


def test_done_results_cannot_be_cancelled(grade):
    grade()
    assert queueing.cancel(Result.objects.all()) == 0
    assert Result.objects.done().count() == 1


def test_grading_again_keeps_the_old_result_current_until_the_new_one_is_there(grade):
    old = grade(speedup=2)
    queueing.regrade(Submission.objects.all(), ["amd64"])
    old.refresh_from_db()
    assert old.is_current
    new = grade(speedup=3, again=old)
    old.refresh_from_db()
    assert (old.is_current, new.is_current) == (False, True)
    assert Result.objects.count() == 2


def test_one_wake_up_waits_for_a_cluster_however_many_rows_are_queued(queue):
    for _ in range(5):
        queue()
    assert OrmQ.objects.filter(key="amd64").count() == 1


def test_a_wake_up_that_a_dead_cluster_took_along_does_not_hold_back_the_next(queue):
    queue()
    OrmQ.objects.update(lock=timezone.now() + timedelta(hours=1))
    queueing.wake("amd64")
    assert OrmQ.objects.filter(key="amd64").count() == 2


def test_a_rolled_back_import_wakes_nobody(make):
    submission = make()
    with transaction.atomic():
        queueing.enqueue([submission])
        transaction.set_rollback(True)
    assert not OrmQ.objects.exists()
    assert not Result.objects.exists()

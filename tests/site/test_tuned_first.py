"""Nothing of a kernel is graded before its tuned baseline, whatever the priorities."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Kernel, Result, Submission
from leaderboard.services import catalog, priorities, queueing, recording
from leaderboard.worker import leases
from tests.site import fake_grader

pytestmark = pytest.mark.django_db

Taken = tuple[str, str]  # model, kernel


def work(most: int = 1000, arch: str = "amd64") -> list[Taken]:
    """Grade until nothing is due; what was graded, in order."""
    done = []
    while len(done) < most and (lease := leases.take(arch, "w")):
        row = Result.objects.select_related("kernel", "model").get(pk=lease.result_id)
        recording.record_result(lease.token, fake_grader.record(row.kernel.name, arch))
        done.append((row.model.name, row.kernel.name))
    return done


def change_tuned(**values: Any) -> None:
    rows = Result.objects.queued().filter(submission__identity="baseline:tuned:dot_f32", arch="amd64")
    assert rows.update(**values) == 1


@pytest.fixture
def baselines(db: Any) -> None:
    catalog.sync_kernels()


def test_an_answer_that_was_moved_first_is_preceded_by_the_tuned_baseline_of_its_kernel_alone(baselines, make):
    queueing.enqueue([make(model="lab/a", kernel="mandel_count")], ["amd64"])
    queueing.prioritise(Result.objects.filter(model__name="lab/a"), priorities.STAFF_FIRST)
    assert work(2) == [("tuned", "mandel_count"), ("lab/a", "mandel_count")]


def test_nothing_of_a_kernel_is_taken_while_its_tuned_baseline_backs_off(baselines, make):
    Result.objects.exclude(kernel__name="dot_f32").delete()
    queueing.enqueue([make(model="lab/a")], ["amd64"])
    change_tuned(not_before=timezone.now() + timedelta(minutes=1))
    assert work() == []  # naive neither
    change_tuned(not_before=timezone.now() - timedelta(minutes=1))
    assert work() == [("tuned", "dot_f32"), ("lab/a", "dot_f32"), ("naive", "dot_f32")]


def test_nothing_of_a_kernel_is_taken_while_another_worker_is_at_its_tuned_baseline(baselines, make):
    Result.objects.exclude(kernel__name="dot_f32").delete()
    queueing.enqueue([make(model="lab/a")], ["amd64"])
    lease = leases.take("amd64", "another")
    assert lease is not None
    assert leases.take("amd64", "w") is None
    recording.record_result(lease.token, fake_grader.record("dot_f32", "amd64"))
    assert work() == [("lab/a", "dot_f32"), ("naive", "dot_f32")]


def test_answers_to_other_kernels_do_not_wait_for_it(baselines, make):
    queueing.enqueue([make(model="lab/a"), make(model="lab/a", kernel="sort_u32")], ["amd64"])
    change_tuned(not_before=timezone.now() + timedelta(minutes=1))
    done = work()
    assert ("lab/a", "sort_u32") in done
    assert "dot_f32" not in {kernel for _, kernel in done}


def test_a_tuned_baseline_that_failed_for_good_holds_up_nothing(baselines, make):
    queueing.enqueue([make(model="lab/a")], ["amd64"])
    change_tuned(state="failed")
    assert ("lab/a", "dot_f32") in work()


def test_grading_the_tuned_baseline_again_holds_up_nothing(baselines, make):
    work()
    queueing.regrade(Submission.objects.filter(identity="baseline:tuned:dot_f32"), ["amd64"])
    queueing.prioritise(Result.objects.queued(), priorities.STAFF_LAST)
    queueing.enqueue([make(model="lab/a")], ["amd64"])
    assert work() == [("lab/a", "dot_f32"), ("tuned", "dot_f32")]


def test_in_a_new_measurement_answers_wait_for_its_baseline_again(baselines, make, monkeypatch):
    queueing.enqueue([make(model="lab/a")], ["amd64"])
    work()
    monkeypatch.setattr(catalog, "measurement", lambda spec: "2.1")
    Kernel.objects.update(measurement="2.1")
    queueing.regrade(Submission.objects.filter(model__name="lab/a"), ["amd64"])
    queueing.prioritise(Result.objects.queued(), priorities.STAFF_FIRST)
    catalog.sync_kernels()
    assert work(2) == [("tuned", "dot_f32"), ("lab/a", "dot_f32")]


def test_the_tuned_baseline_of_one_architecture_says_nothing_of_the_other(baselines, make):
    queueing.enqueue([make(model="lab/a")])
    queueing.prioritise(Result.objects.filter(model__name="lab/a"), priorities.STAFF_FIRST)
    work(arch="arm64")
    assert work(2) == [("tuned", "dot_f32"), ("lab/a", "dot_f32")]

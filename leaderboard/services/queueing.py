"""Into the queue, out of it, and back into it. The Result row is the job; a message only wakes a cluster up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import groupby, islice, product
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task

from grading.architectures import ARCHS
from leaderboard.models import Result, Submission
from leaderboard.services import priorities, standings
from leaderboard.services.leases import Leases, no_pause

log = logging.getLogger(__name__)

CHUNK = 500
Priority = int | Callable[[Submission], int]  # the same for all, or one for each


def enqueue(submissions: Iterable[Submission], archs: Iterable[str] = ARCHS, priority: Priority = priorities.ANSWER) -> int:
    """Queue a grading of each submission on each architecture, unless one is under way; a failed one starts afresh.

    Returns how many were queued. Submissions need their kernel at hand (select_related).
    """
    archs, queued, rest = tuple(archs), 0, iter(submissions)
    while chunk := list(islice(rest, CHUNK)):
        with transaction.atomic():
            standings.lock_models(submission.model_id for submission in chunk)
            for each, rows in _by_priority(chunk, priority):
                queued += _enqueue_chunk(rows, archs, each)
            for arch in archs:
                wake(arch)
    return queued


def _by_priority(chunk: list[Submission], priority: Priority) -> list[tuple[int, list[Submission]]]:
    """The submissions of each priority, the highest first, in their order."""
    if isinstance(priority, int):
        return [(priority, chunk)]
    of = {submission.pk: priority(submission) for submission in chunk}
    chunk = sorted(chunk, key=lambda submission: -of[submission.pk])
    return [(each, list(rows)) for each, rows in groupby(chunk, key=lambda submission: of[submission.pk])]


class NewAnswers:
    """The priority of answers that come in: a model's first one to a kernel goes before the rest.

    One object serves a whole import, so that each pair of model and kernel is looked up once. First is what has no result of
    the kernel's present measurement beside it, neither done nor under way. Submissions need their kernel at hand.
    """

    def __init__(self) -> None:
        self._begun: set[tuple[int, int]] = set()

    def __call__(self, submission: Submission) -> int:
        pair = submission.model_id, submission.kernel_id
        if pair in self._begun:
            return priorities.ANSWER
        self._begun.add(pair)
        others = Result.objects.filter(
            model=submission.model_id, kernel=submission.kernel_id, measurement=submission.kernel.measurement
        )
        return priorities.ANSWER if others.exists() else priorities.first_answer(submission.kernel)


def _enqueue_chunk(chunk: list[Submission], archs: tuple[str, ...], priority: int) -> int:
    # Asked for again under the lock: a submission may have been deleted, or hidden, since the caller read it.
    public = dict(Submission.objects.filter(pk__in=[submission.pk for submission in chunk]).values_list("pk", "public"))
    jobs = Result.objects.filter(submission__in=public, arch__in=archs)
    revived = revive(jobs.failed(), priority)
    under_way = set(jobs.open().values_list("submission_id", "arch"))
    fresh = [
        Result(
            submission=submission,
            kernel_id=submission.kernel_id,
            model_id=submission.model_id,
            arch=arch,
            public=public[submission.pk],
            priority=priority,
            kernel_version=submission.kernel.version,
            measurement=submission.kernel.measurement,
        )
        for submission, arch in product(chunk, archs)
        if submission.pk in public and (submission.pk, arch) not in under_way
    ]
    Result.objects.bulk_create(fresh)
    return len(fresh) + revived


def revive(failed: QuerySet[Result], priority: int | None = None) -> int:
    """Failed rows back into the queue, with a new budget of attempts."""
    values: dict[str, object] = {"state": Result.State.QUEUED, "attempt": 0, "failure": "", "not_before": None}
    if priority is not None:
        values["priority"] = priority
    archs = set(failed.values_list("arch", flat=True))
    revived = failed.filter(state=Result.State.FAILED).update(**values)
    for arch in archs:
        wake(arch)
    return revived


def regrade(
    submissions: QuerySet[Submission],
    archs: Iterable[str] = ARCHS,
    priority: Priority = priorities.ANSWER,
    on_chunk: Callable[[int], None] = lambda done: None,
) -> int:
    """Queue submissions again; what they have stays, and stays current until the new result is there."""
    archs, queued = tuple(archs), 0
    ids = list(submissions.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        chunk = Submission.objects.filter(pk__in=ids[start : start + CHUNK]).select_related("kernel").light().order_by("pk")
        queued += enqueue(chunk.filter(kernel__retired=False), archs, priority)
        on_chunk(len(chunk))
    return queued


def cancel(jobs: QuerySet[Result]) -> int:
    """Take jobs that are not done out of the queue. A worker that is at one of them finds it gone and drops its grading."""
    cancelled, _ = jobs.exclude(state=Result.State.DONE).delete()
    return cancelled


def prioritise(jobs: QuerySet[Result], priority: int) -> int:
    return jobs.filter(state=Result.State.QUEUED).update(priority=priority)


# What becomes of a row that was claimed and not graded


def release(token: UUID, reason: str = "") -> bool:
    """Back as if it had never been claimed: the worker stops, or its architecture is parked."""
    return RESULTS.give_back(token, reason)


def give_back(*workers: str) -> int:
    """Release the rows that these workers hold: they are shutting down and have lost track of them."""
    return RESULTS.give_back_of(*workers)


def requeue(token: UUID, reason: str) -> bool:
    """Back after a fault of ours, to be tried again a little later; after the last attempt it is failed, visibly."""
    return RESULTS.retry(token, reason)


def backoff_s(attempt: int) -> float:
    """10 s after the first attempt, then three times as long each time."""
    return float(settings.BACKOFF_S * 3 ** (attempt - 1))


RESULTS = Leases(
    Result,
    what="grading",
    reason="failure",
    advice="It is not retried, and it is no verdict. Once the cause is fixed (the log of its cluster may name it), an operator "
    "chooses “Retry gradings that failed on our side” in the admin.",
    waiting=Q(state=Result.State.QUEUED),
    holding=Q(state=Result.State.RUNNING),
    attempts=lambda: settings.GRADING_ATTEMPTS,
    claimed={"state": Result.State.RUNNING, "started_at": Now()},
    freed={"state": Result.State.QUEUED},
    given_up={"state": Result.State.FAILED},
    pause_s=backoff_s,
    pause_after_death_s=no_pause,  # a new worker has a new sandbox, and other rows to grade
)


# Waking


def work_of(cluster: str) -> str:
    """An architecture, or "housekeeping": a host's further clusters of an architecture are called amd64-2, amd64-3, ..."""
    return cluster.partition("-")[0]


def wake(cluster: str) -> None:
    """Send a cluster its wake-up, unless one is waiting for it already. Within a transaction it is sent with the commit."""
    waiting = OrmQ.objects.filter(key=cluster, lock__lte=timezone.now())  # a lock ahead of now: taken by a cluster
    if not waiting.exists():
        task = "leaderboard.tasks.sweep" if cluster == "housekeeping" else "leaderboard.tasks.tick"
        args = () if cluster == "housekeeping" else (work_of(cluster),)
        async_task(task, *args, cluster=cluster)

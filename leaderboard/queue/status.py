"""What the queue looks like: the one answer behind /queue/, /api/queue and `manage.py queue`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from grading.architectures import ARCHS
from leaderboard.models import Result, Worker
from leaderboard.models.querysets import ResultQuerySet


@dataclass(kw_only=True)
class ArchStatus:
    arch: str
    queued: int = 0
    running: int = 0
    failed: int = 0
    parked: int = 0  # rows that wait for an operator: their architecture has no usable sandbox; not counted in queued
    workers: int = 0
    graded: int = 0  # submissions with a current result
    oldest_s: float | None = None  # how long the oldest waiting row has waited
    reason: str | None = None  # why nothing moves
    left_s: float | None = None  # expected, from the last gradings and the workers there are
    answers: list[dict[str, Any]] = field(default_factory=list)  # what runs now


def queue_status(*, private: bool = False) -> dict[str, list[dict[str, Any]]]:
    """{"archs": [...]}, one entry per architecture, ready for JSON. private: for those who may know of private rows, too."""
    now = timezone.now()
    rows = Result.objects.all() if private else Result.objects.public()
    counts, workers = rows.counts_by_arch(), living_workers()
    return {"archs": [asdict(arch_status(arch, rows.for_archs([arch]), counts, workers, now)) for arch in ARCHS]}


def living_workers() -> list[tuple[str, str]]:
    """(cluster, what keeps it from grading) of every worker that has reported itself lately."""
    return list(Worker.objects.alive(alive_for_s()).values_list("cluster", "reason"))


def alive_for_s() -> float:
    """A worker that has not said anything for so long does not count: three missed beats, or wake-ups of an idle one."""
    return 3 * max(float(settings.BEAT_S), float(settings.SWEEP_S), 5.0)


def arch_status(
    arch: str, rows: ResultQuerySet, counts: dict[tuple[str, str], int], workers: list[tuple[str, str]], now: datetime
) -> ArchStatus:
    status = arch_counts(arch, counts, workers)
    status.graded = rows.current().count()
    if waiting := status.queued + status.parked:
        status.oldest_s = oldest_s(rows, now)
        status.left_s = left_s(rows, waiting, status.workers)
    if status.running:
        status.answers = running_answers(rows, now)
    return status


def arch_counts(arch: str, counts: dict[tuple[str, str], int], workers: list[tuple[str, str]]) -> ArchStatus:
    """How many rows are where, and why nothing moves; asks the database nothing."""
    reasons = [reason for cluster, reason in workers if cluster == arch]
    waiting = counts.get((arch, Result.State.QUEUED), 0)
    status = ArchStatus(
        arch=arch,
        queued=waiting,
        running=counts.get((arch, Result.State.RUNNING), 0),
        failed=counts.get((arch, Result.State.FAILED), 0),
        workers=sum(not reason for reason in reasons),
    )
    if not settings.SANDBOXES[arch] and not status.workers:
        status.reason = f"no {arch} sandbox configured"
        status.queued, status.parked = 0, waiting
    elif reasons and all(reasons):
        status.reason = reasons[0]
        status.queued, status.parked = 0, waiting
    elif not reasons and waiting:
        status.reason = f"no {arch} worker is running"
    return status


def oldest_s(rows: ResultQuerySet, now: datetime) -> float | None:
    oldest = rows.queued().aggregate(oldest=Min("created_at"))["oldest"]
    return round((now - oldest).total_seconds(), 1) if oldest else None


def left_s(rows: ResultQuerySet, waiting: int, workers: int) -> float | None:
    """Rows waiting times the mean time of the last 20 gradings, shared by the workers."""
    last = rows.done().order_by("-pk").values_list("started_at", "graded_at")[:20]  # by time it would sort every row
    took = [(graded - started).total_seconds() for started, graded in last if started and graded]
    return round(waiting * sum(took) / len(took) / workers, 1) if took and workers else None


def running_answers(rows: ResultQuerySet, now: datetime) -> list[dict[str, Any]]:
    running = rows.running().select_related("submission", "kernel", "model").light()
    return [
        {
            "submission": row.submission.uid,
            "model": str(row.model),
            "kernel": row.kernel.name,
            "since_s": round((now - row.started_at).total_seconds(), 1),
            "attempt": row.attempt,
        }
        for row in running.order_by("started_at")
    ]

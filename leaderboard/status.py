"""The queue as everybody may see it: counts over public rows only, per architecture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from leaderboard.models import Result, Worker
from leaderboard.queue_status import alive_for_s
from leaderboard.selection import ARCHS

PACE_OVER = 20  # gradings
NOT_DONE = (Result.State.QUEUED, Result.State.RUNNING, Result.State.FAILED)


@dataclass(frozen=True, kw_only=True)
class ArchStatus:
    """One architecture's queue. Rows without a usable sandbox are `parked`, not `queued`; `reason` says why."""

    arch: str
    queued: int
    running: int
    failed: int
    parked: int
    workers: int
    oldest_s: float | None  # how long the oldest waiting row has waited
    reason: str | None
    graded: int = 0  # filled in by with_progress()
    left_s: float | None = None

    @property
    def total(self) -> int:
        return self.graded + self.queued + self.running + self.parked + self.failed

    @property
    def waiting(self) -> int:
        return self.queued + self.running

    @property
    def segments(self) -> list[tuple[str, str, str]]:
        """The progress bar: CSS class suffix, x, width, in per cent."""
        parts, done = [], 0
        for name, n in ((self.arch, self.graded), ("running", self.running), ("parked", self.parked)):
            if n:
                parts.append((name, f"{100 * done / self.total:.2f}%", f"{100 * n / self.total:.2f}%"))
                done += n
        return parts

    def as_json(self) -> dict[str, Any]:
        """What /api/queue says of it."""
        names = ("arch", "queued", "running", "failed", "parked", "workers", "oldest_s", "reason")
        return {name: getattr(self, name) for name in names}


def queue_status(now: datetime | None = None) -> list[ArchStatus]:
    """Both architectures; three queries, whatever is graded."""
    now = now or timezone.now()
    public = Result.objects.public()
    counts = public.filter(state__in=NOT_DONE).counts_by_arch()  # named, so that the index on state serves
    oldest = dict(public.queued().order_by().values_list("arch").annotate(Min("created_at")))
    reasons = _reasons_of_workers(now)
    return [_arch_status(arch, counts, oldest.get(arch), reasons.get(arch, []), now) for arch in ARCHS]


def with_progress(statuses: list[ArchStatus]) -> list[ArchStatus]:
    """The same with how many answers are graded: a count of all current results, so only where somebody looks at it."""
    current = Result.objects.public().current().for_archs(status.arch for status in statuses)
    graded = dict(current.order_by().values_list("arch").annotate(Count("pk")))
    return [replace(status, graded=graded.get(status.arch, 0)) for status in statuses]


def pace_s(arch: str) -> float | None:
    """How long a grading took, on average over the last ones; None where there was none."""
    last = Result.objects.public().done().for_archs([arch]).order_by("-id").values_list("started_at", "graded_at")[:PACE_OVER]
    took = [(graded - started).total_seconds() for started, graded in last if started and graded]
    return sum(took) / len(took) if took else None


def _arch_status(
    arch: str, counts: dict[tuple[str, str], int], oldest: datetime | None, reasons: list[str], now: datetime
) -> ArchStatus:
    waiting = counts.get((arch, "queued"), 0)
    parked_because = _parked_because(arch, reasons)
    return ArchStatus(
        arch=arch,
        queued=0 if parked_because else waiting,
        running=counts.get((arch, "running"), 0),
        failed=counts.get((arch, "failed"), 0),
        parked=waiting if parked_because else 0,
        workers=sum(not reason for reason in reasons),
        oldest_s=None if oldest is None else round((now - oldest).total_seconds(), 1),
        reason=parked_because or (f"no {arch} worker is running" if waiting and not reasons else None),
    )


def _parked_because(arch: str, reasons: list[str]) -> str | None:
    """Why none can be graded: no sandbox is set up here, or every worker says that its own is unusable."""
    if not settings.SANDBOXES[arch] and "" not in reasons:
        return f"no {arch} sandbox configured"
    return reasons[0] if reasons and all(reasons) else None


def _reasons_of_workers(now: datetime) -> dict[str, list[str]]:
    """Of each cluster's living workers what keeps them from grading; an empty text where nothing does."""
    found: dict[str, list[str]] = {}
    for cluster, reason in Worker.objects.alive(now - timedelta(seconds=alive_for_s())).values_list("cluster", "reason"):
        found.setdefault(cluster, []).append(reason)
    return found

"""The queue on pages: what status.py says of it, with what templates need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.lib import stale_cache
from leaderboard.models import Result
from leaderboard.queue.status import ArchStatus, arch_counts, living_workers, queue_status

NOT_DONE = (Result.State.QUEUED, Result.State.RUNNING, Result.State.FAILED)


@dataclass(kw_only=True)
class Progress(ArchStatus):
    """One architecture's queue, public rows only."""

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


def progress() -> list[Progress]:
    """Both architectures, with everything that /queue/ shows."""
    return [Progress(**status) for status in queue_status()["archs"]]


def pending(archs: Iterable[str]) -> list[Progress]:
    """The status of those architectures that have something to come. Cheap: it is part of the leaderboard."""
    counts = Result.objects.public().filter(state__in=NOT_DONE).counts_by_arch()  # named, so that the index on state serves
    if not counts:
        return []
    workers = living_workers()
    statuses = [Progress(**vars(arch_counts(arch, counts, workers))) for arch in archs]
    for status in statuses:
        if status.waiting:
            status.graded = Result.objects.public().current().for_archs([status.arch]).count()
    stale_cache.moving.set(stale_cache.moving.get() or any(status.waiting for status in statuses))
    return [status for status in statuses if status.waiting or status.parked]

"""Provisional results: by emulation, or from a test double of a service. A real sandbox grades them anew."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from leaderboard.models import Result, Submission
from leaderboard.services import priorities, queueing

AT_ONCE = 500


def requeue_provisional(arch: str) -> int:
    """Queue the submissions that have only provisional results on an architecture. Returns how many.

    Those that are under way, failed on our side, or were measured once already are left alone, so that nothing is queued twice.
    """
    return sum(_requeue(arch, mark) for mark in ("emulated", "double"))


def _requeue(arch: str, mark: str) -> int:
    others = Result.objects.filter(submission=OuterRef("submission"), arch=arch)
    better = others.filter(~Q(state=Result.State.DONE) | Q(emulated=False, double=False))
    alone = Result.objects.current().filter(arch=arch, kernel__retired=False, **{mark: True}).exclude(Exists(better))
    ids = list(alone.order_by("id").values_list("submission", flat=True)[:AT_ONCE])
    if not ids:
        return 0
    return queueing.regrade(Submission.objects.filter(pk__in=ids).select_related("model"), [arch], _priority)


def _priority(submission: Submission) -> int:
    model = submission.model
    return priorities.baseline(model.name, submission.kernel) if model.is_baseline else priorities.ANSWER

"""How far a bundle's answers are graded: what its page in the admin and the HTTP API both tell."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from leaderboard.models import Bundle, Result
from leaderboard.services import queueing


def progress(bundle: Bundle) -> list[dict[str, Any]]:
    """Per architecture how many of its answers are graded, and how many wait."""
    rows = Result.objects.filter(submission__entries__bundle=bundle).order_by()
    done = dict(rows.current().values_list("arch").annotate(n=Count("pk")))
    waiting = dict(rows.open().values_list("arch").annotate(n=Count("pk")))
    failed = dict(rows.failed().values_list("arch").annotate(n=Count("pk")))
    return [
        {"arch": arch, "done": done.get(arch, 0), "waiting": waiting.get(arch, 0), "failed": failed.get(arch, 0)}
        for arch in queueing.ARCHS
    ]


def verdicts(bundle: Bundle) -> list[tuple[str, str, int]]:
    """(architecture, verdict, count) of its current results."""
    rows = Result.objects.filter(submission__entries__bundle=bundle).current().order_by("arch", "verdict")
    return list(rows.values_list("arch", "verdict").annotate(n=Count("pk")))

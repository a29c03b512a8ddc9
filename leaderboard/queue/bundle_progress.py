"""How far a bundle's answers are graded: what its page in the admin and the HTTP API both tell."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.core.cache import cache
from django.db.models import Count

from grading.architectures import ARCHS
from grading.result import Verdict
from leaderboard.models import Bundle, BundleEntry, Result
from leaderboard.queue.status import arch_counts, living_workers

ORDER = [*Verdict]
LARGE, LARGE_FOR_S = 10_000, 10
Counts = dict[tuple[str, str, bool, str], int]  # by (architecture, state, current, verdict)


def counts(bundle: Bundle) -> Counts:
    """All there is to know. Whoever watches a very large bundle sees it as it was some seconds ago."""
    if bundle.answers < LARGE:
        return counted(bundle)
    found = cache.get_or_set(f"bundle-{bundle.pk}", lambda: counted(bundle), LARGE_FOR_S)
    return found or {}


def counted(bundle: Bundle) -> Counts:
    """Count in one query: a bundle may have two hundred thousand results."""
    brought = BundleEntry.objects.filter(bundle=bundle).order_by().values("submission")
    rows = Result.objects.filter(submission__in=brought).order_by()  # without the long rows of submissions between
    groups = rows.values_list("arch", "state", "is_current", "verdict").annotate(n=Count("pk"))
    return {(arch, state, current, verdict): n for arch, state, current, verdict, n in groups}


def progress(bundle: Bundle, known: Counts | None = None) -> list[dict[str, Any]]:
    """Per architecture how many of its answers are graded, and how many wait."""
    totals: defaultdict[tuple[str, str], int] = defaultdict(int)
    for (arch, state, current, _), n in (counts(bundle) if known is None else known).items():
        if current:
            totals[arch, "done"] += n
        elif state in (Result.State.QUEUED, Result.State.RUNNING):
            totals[arch, "waiting"] += n
        elif state == Result.State.FAILED:
            totals[arch, "failed"] += n
    return [{"arch": arch, **{key: totals[arch, key] for key in ("done", "waiting", "failed")}} for arch in ARCHS]


def verdicts(bundle: Bundle, known: Counts | None = None) -> list[tuple[str, str, int]]:
    """(architecture, verdict, count) of its current results, in the verdicts' order."""
    totals: defaultdict[tuple[str, str], int] = defaultdict(int)
    for (arch, _, current, verdict), n in (counts(bundle) if known is None else known).items():
        if current:
            totals[arch, verdict] += n
    return [(arch, verdict, n) for (arch, verdict), n in sorted(totals.items(), key=lambda item: (item[0][0], place(item[0][1])))]


def place(verdict: str) -> tuple[int, str]:
    return (ORDER.index(Verdict(verdict)) if verdict in ORDER else len(ORDER), verdict)


def verdict_table(rows: list[tuple[str, str, int]]) -> list[dict[str, Any]]:
    """A row for each verdict, with a count for each architecture; what passed comes first."""
    found = {(arch, verdict): n for arch, verdict, n in rows}
    names = sorted({verdict for _, verdict, _ in rows}, key=lambda name: (name != Verdict.PASSED, place(name)))
    return [{"verdict": name, "cells": [(arch, found.get((arch, name), 0)) for arch in ARCHS]} for name in names]


def moving(bundle: Bundle, known: Counts | None = None) -> list[dict[str, Any]]:
    """The bundle's progress, and why an architecture does not move: a private bundle is in no public count."""
    workers = living_workers()
    rows = progress(bundle, known)
    statuses = [arch_counts(row["arch"], {(row["arch"], "queued"): row["waiting"]}, workers) for row in rows]
    return [
        row
        | {
            "total": sum(row[key] for key in ("done", "waiting", "failed")),
            "parked": status.parked > 0,
            "reason": status.reason if row["waiting"] else None,
        }
        for row, status in zip(rows, statuses, strict=True)
    ]

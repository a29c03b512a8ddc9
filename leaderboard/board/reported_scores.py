"""Scores reported by the runs themselves, beside ours: the same grader in another place should agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from grading.result import FIELDS
from leaderboard.lib.formatting import three_digits
from leaderboard.models import Bundle, BundleEntry, Result, Submission

MAX_RUNS = 4  # runs beside each other
ORDER = ("verdict", "kernel_score", "speedup", "sol_ms", "ref_ms", "throughput_m", "extra_mb", "peak_mb")
FLAGS = {"answer_parsed", "compiled", "correct", "within_memory", "passed"}
NOT_SHOWN = {"arch"}  # stands in the head


@dataclass(frozen=True)
class Row:
    """One score as text: a value per run, then one per architecture."""

    name: str
    values: list[str]


@dataclass(frozen=True)
class ReportedScores:
    runs: list[BundleEntry]
    current: Sequence[Result]
    rows: list[Row]


def reported_scores(submission: Submission, current: Sequence[Result], bundles: QuerySet[Bundle]) -> ReportedScores | None:
    """What the runs in these bundles said of it. None where none of them has scored the answer."""
    entries = BundleEntry.objects.filter(submission=submission, bundle__in=bundles).exclude(scores={})
    runs = list(entries.select_related("bundle").order_by("bundle_id")[:MAX_RUNS])
    if not runs:
        return None
    names = dict.fromkeys(ORDER) | {name: None for run in runs for name in run.scores}
    rows = [
        Row(name, [_text(name, run.scores.get(name)) for run in runs] + [_text(name, _ours(result, name)) for result in current])
        for name in names
        if name not in NOT_SHOWN and any(name in run.scores for run in runs)
    ]
    return ReportedScores(runs, current, rows)


def _ours(result: Result, name: str) -> Any:
    """Our figure of the same name, and so of the same meaning."""
    return getattr(result, name, None) if name in FIELDS else None


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if name in FLAGS and value in (0, 1):
        return "yes" if value else "no"
    return three_digits(value)

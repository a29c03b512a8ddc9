"""The leaderboard and its two figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from grading.architectures import ARCHS
from leaderboard.board import verdicts
from leaderboard.board.aggregates import BEST_OF
from leaderboard.board.rows import METRICS, Row, board_lines, board_rows, waiting_models
from leaderboard.board.selection import BOTH, SCALES, Selection, with_selection
from leaderboard.board.summaries import Summaries
from leaderboard.exports.columns import SHOWN
from leaderboard.figures import charts
from leaderboard.figures.forest import forest
from leaderboard.models import Result
from leaderboard.queue.page import pending
from leaderboard.views.choices import choices, suite_choices

SORT_LABELS = {
    "score": "score",
    "pass": "pass rate",
    "speedup": "speedup",
    "memory": "memory",
    "throughput": "throughput",
    "fast": "fast_p",
    "best": "best of k",
}
P_CHOICES = (1.0, 1.41, 2.0, 4.0, 8.0)


@with_selection(arch="amd64")
def leaderboard(request: HttpRequest, selection: Selection) -> HttpResponse:
    """Models by architecture, as a forest plot in a table, with the charts below."""
    summaries = Summaries(selection.kernels, suite=selection.suite)
    rows = board_rows(selection, summaries)
    kernels = summaries.active_kernels
    wanted, statuses = len(selection.kernels or kernels), pending(selection.archs)
    waiting = waiting_models(rows, selection) if any(status.waiting for status in statuses) else frozenset()
    table = forest(board_lines(rows, selection.archs), selection, wanted, waiting)
    query = selection.query()
    context = {
        "section": "board",
        "selection": selection,
        "query": query,
        "rows": rows,
        "table": table,
        "caption": _caption(rows),
        "provisional": bool(waiting),
        "has_incomplete": any(row.is_incomplete for row in table.rows),
        "kernel_count": len(kernels),
        "all_kernels": kernels,
        "all_kernels_query": selection.query(kernels=()),
        "all_models_query": selection.query(models=()),
        "kernels_label": _kernels_label(selection, len(kernels)),
        "suite_choices": suite_choices(selection, summaries.all_kernels),
        "arch_choices": choices(selection, "arch", {**{arch: arch for arch in ARCHS}, BOTH: "side by side"}),
        "sort_choices": choices(selection, "sort", SORT_LABELS),
        "p_choices": choices(selection, "p", {p: f"{p:g}×" for p in P_CHOICES}) if selection.sort == "fast" else [],
        "k_choices": choices(selection, "k", {k: str(k) for k in BEST_OF}) if selection.sort == "best" else [],
        "as_of": summaries.as_of,
        "paper_columns": ",".join(SHOWN),
        "p_values": P_CHOICES,
        "fast_folded": (2, 4, 5),  # columns that a phone does without
        "scale_choices": choices(selection, "scale", {name: name for name in SCALES}),
        "fast_rows": [_fast_row(row) for row in rows],
        "flagged": _flagged(selection, summaries),
        "filtered": bool(selection.kernels or selection.models),
        "has_lines": any(column.lines for column in table.columns),
        "has_intervals": any(row.summary.speedup.low is not None for row in rows),
        "groups": verdicts.FAILURE_GROUPS,
        "verdict_names": (*verdicts.FAILURES, verdicts.PASSED),
        "statuses": statuses,
        "speedup_figure": f"{reverse('figure_speedup')}?{query}",
        "memory_figure": f"{reverse('figure_memory')}?{query}",
    }
    return render(request, "leaderboard/board.html", context)


@with_selection(arch="amd64")
def speedup_figure(request: HttpRequest, selection: Selection) -> HttpResponse:
    return JsonResponse(charts.speedup_of_models(board_rows(selection), selection.archs, selection.scale))


@with_selection(arch="amd64")
def memory_figure(request: HttpRequest, selection: Selection) -> HttpResponse:
    return JsonResponse(charts.memory_of_models(board_rows(selection), selection.archs))


def _flagged(selection: Selection, summaries: Summaries) -> int:
    """How many results of the selection wait for an operator's review.

    The database is asked for the flag alone: with more to choose from it would walk through all current results instead of the
    few that are flagged.
    """
    measured = {kernel.pk: kernel.measurement for kernel in summaries.all_kernels}
    kernels, models = set(summaries.kernels), {model.pk for model in selection.models}
    flagged = Result.objects.filter(flagged=True, arch__in=selection.archs).order_by()
    rows = flagged.values_list("is_current", "public", "measurement", "kernel_id", "model_id")
    return sum(
        current
        and public
        and measurement == measured[kernel]
        and (not kernels or kernel in kernels)
        and (not models or model in models)
        for current, public, measurement, kernel, model in rows
    )


def _fast_row(row: Row) -> dict[str, Any]:
    """fast_p at every p as a step line in a box of 100 by 24, and as numbers at some."""
    values = [estimate.value or 0.0 for _, estimate in row.summary.fast]
    width = 100 / len(values)
    steps = " ".join(f"{'L' if i else 'M'}{i * width:.1f} {23 - 22 * v:.1f}H{(i + 1) * width:.1f}" for i, v in enumerate(values))
    return {"model": row.model, "arch": row.arch, "path": steps, "at": [row.summary.fast_at(p) for p in P_CHOICES]}


def _kernels_label(selection: Selection, total: int) -> str:
    if not selection.kernels:
        return f"All {total} kernels"
    if len(selection.kernels) == 1:
        return selection.kernels[0].name
    return f"{len(selection.kernels)} of {total} kernels"


def _caption(rows: Sequence[Row]) -> str:
    """The table's caption, for example "12 models and 2 baselines, 340 graded answers."."""
    models = {row.model for row in rows if not row.model.is_baseline}
    baselines = {row.model for row in rows if row.model.is_baseline}
    if not models:
        return "Baselines only: no answer of a model is graded yet."
    answers = sum(row.summary.answers for row in rows if not row.model.is_baseline)
    who = " and ".join(_count(len(found), noun) for found, noun in ((models, "model"), (baselines, "baseline")) if found)
    return f"{who}, {_count(answers, 'graded answer')}."


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


assert set(SORT_LABELS) == set(METRICS)

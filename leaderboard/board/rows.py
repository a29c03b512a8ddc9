"""The leaderboard's rows: a summary per model and architecture, in order, with ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from django.db.models import Q

from grading.statistics import Estimate
from leaderboard.board.aggregates import EMPTY, Summary
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.models import LanguageModel, Result


@dataclass(frozen=True, kw_only=True)
class Metric:
    """Something to rank by. `key` is its name in addresses."""

    key: str
    label: str
    unit: str
    higher_is_better: bool
    value: Callable[[Summary], Estimate]

    @property
    def arrow(self) -> str:
        return "↑" if self.higher_is_better else "↓"


METRICS = {
    metric.key: metric
    for metric in (
        Metric(key="score", label="Score", unit="0 to 1", higher_is_better=True, value=lambda s: s.score),
        Metric(key="pass", label="Pass rate", unit="95 % interval", higher_is_better=True, value=lambda s: s.pass_rate),
        Metric(key="speedup", label="Speedup", unit="geom. mean", higher_is_better=True, value=lambda s: s.speedup),
        Metric(
            key="memory",
            label="Peak memory",
            unit="MiB, of limit, of reference",
            higher_is_better=False,
            value=lambda s: s.extra,
        ),
        Metric(key="throughput", label="Throughput", unit="M units/s", higher_is_better=True, value=lambda s: s.throughput),
        Metric(key="fast", label="fast_p", unit="95 % interval", higher_is_better=True, value=lambda s: EMPTY),
        Metric(key="best", label="Best of k", unit="score, 95 % interval", higher_is_better=True, value=lambda s: EMPTY),
    )
}
ALWAYS_SHOWN = ("score", "pass", "speedup")  # the fourth column of the table is memory, or what else is ranked by


def metric_of(selection: Selection) -> Metric:
    """The figure that the selection ranks by; fast_p at its p, best of k at its k."""
    metric = METRICS[selection.sort]
    if metric.key == "fast":
        return replace(metric, label=f"fast, p = {selection.p:g}", value=lambda s: s.fast_at(selection.p))
    if metric.key == "best":
        return replace(metric, label=f"Best of {selection.k}", value=lambda s: s.best_at(selection.k))
    return metric


def strata_of(selection: Selection) -> str:
    """The name, as aggregates.strata understands it, of the figure that models are compared by for their ranks."""
    return {"fast": f"fast:{selection.p:g}", "best": f"best:{selection.k}"}.get(selection.sort, selection.sort)


def shown_metrics(selection: Selection) -> list[Metric]:
    """The columns of the table."""
    own = metric_of(selection)
    fourth = METRICS["memory"] if own.key in ALWAYS_SHOWN else own
    return [*(METRICS[key] for key in ALWAYS_SHOWN), fourth]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One model on one architecture. Baselines have no rank, and what is not complete has none."""

    model: LanguageModel
    arch: str
    summary: Summary
    rank: tuple[int, int] | None = None
    is_complete: bool = True  # it has a graded answer to every kernel of the selection


@dataclass(frozen=True, kw_only=True)
class Line:
    """One model, with its row on every chosen architecture (None where it has no answer there)."""

    model: LanguageModel
    rows: dict[str, Row | None]


def board_rows(selection: Selection, summaries: Summaries | None = None) -> list[Row]:
    """Every (model, architecture) with rankable answers, best first within an architecture; n/a sorts last, ties by name.

    Models without a graded answer to every kernel are below all others, have no rank and affect nobody's: their
    figures are over other kernels than theirs.

    Callers that pass `summaries` (of the selection's kernels) can check their `as_of` for staleness.
    """
    summaries = summaries or Summaries(selection.kernels, suite=selection.suite)
    chosen = {model.pk for model in selection.models}
    found = {arch: summaries.of(arch) for arch in selection.archs}
    ids = {pk for of_arch in found.values() for pk in of_arch if not chosen or pk in chosen}
    models = LanguageModel.objects.in_bulk(ids)
    rows = []
    for arch, of_arch in found.items():
        own = [Row(model=models[pk], arch=arch, summary=summary) for pk, summary in of_arch.items() if pk in models]
        rows += _ranked(own, selection, summaries)
    return rows


def board_lines(rows: Iterable[Row], archs: Sequence[str]) -> list[Line]:
    """One line per model, in the order of the first architecture; models that have answers on another one only come after."""
    by_model: dict[LanguageModel, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_model[row.model][row.arch] = row
    lines = [Line(model=model, rows={arch: found.get(arch) for arch in archs}) for model, found in by_model.items()]
    return sorted(lines, key=lambda line: next(i for i, arch in enumerate(archs) if line.rows[arch]))  # sorted() is stable


def waiting_models(rows: Iterable[Row], selection: Selection) -> frozenset[tuple[int, str]]:
    """The (model, architecture) of those rows that are not complete and have public answers in the queue."""
    missing = [Q(model=row.model.pk, arch=row.arch) for row in rows if not row.is_complete]
    if not missing:
        return frozenset()
    queued = Result.objects.public().open().filter(reduce(or_, missing)).filter(selection.in_suite).order_by()
    return frozenset(queued.values_list("model_id", "arch").distinct())


def _ranked(rows: list[Row], selection: Selection, summaries: Summaries) -> list[Row]:
    """The rows of one architecture."""
    metric, wanted = metric_of(selection), len(selection.kernels or summaries.active_kernels)
    rows = [replace(row, is_complete=row.summary.kernels >= wanted) for row in rows]
    models = [
        row for row in rows if row.is_complete and not row.model.is_baseline and metric.value(row.summary).value is not None
    ]
    places = summaries.ranks(models[0].arch, strata_of(selection), [row.model for row in models]) if models else {}
    placed = [replace(row, rank=places.get(row.model.pk)) for row in rows]

    def order(row: Row) -> tuple[bool, bool, float, str]:
        value = metric.value(row.summary).value
        number = 0.0 if value is None else value
        return (not row.is_complete, value is None, -number if metric.higher_is_better else number, row.model.name)

    return sorted(placed, key=order)

"""The leaderboard's rows: Standing cells summed up per model and architecture, in order, with ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from leaderboard.aggregates import Summary, ranks, summarise
from leaderboard.models import LanguageModel, Standing
from leaderboard.selection import Selection


@dataclass(frozen=True, kw_only=True)
class Metric:
    """Something to rank by. `key` is its name in addresses."""

    key: str
    label: str
    unit: str
    higher_is_better: bool
    value: Callable[[Summary], float | None]

    @property
    def arrow(self) -> str:
        return "↑" if self.higher_is_better else "↓"


METRICS = {
    metric.key: metric
    for metric in (
        Metric(key="score", label="Score", unit="0 to 1", higher_is_better=True, value=lambda s: s.score.value),
        Metric(key="pass", label="Pass rate", unit="95 % interval", higher_is_better=True, value=lambda s: s.pass_rate.value),
        Metric(key="speedup", label="Speedup", unit="geom. mean", higher_is_better=True, value=lambda s: s.speedup.value),
        Metric(key="memory", label="Peak memory", unit="MiB, share of limit", higher_is_better=False, value=lambda s: s.extra_mb),
    )
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One model on one architecture. Baselines have no rank."""

    model: LanguageModel
    arch: str
    summary: Summary
    rank: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Line:
    """One model, with its row on every chosen architecture (None where it has no answer there)."""

    model: LanguageModel
    rows: dict[str, Row | None]


def board_rows(selection: Selection) -> list[Row]:
    """Every (model, architecture) with rankable answers, best first within an architecture; n/a sorts last, ties by name."""
    cells: dict[tuple[LanguageModel, str], list[Standing]] = defaultdict(list)
    standings = Standing.objects.comparable().filter(selection.filters, answers__gt=0).select_related("model", "kernel")
    for standing in standings.order_by("model_id", "kernel_id", "arch"):
        cells[standing.model, standing.arch].append(standing)
    rows = [
        Row(model=model, arch=arch, summary=summarise((cell, cell.kernel.memory_limit_mb) for cell in its_cells))
        for (model, arch), its_cells in cells.items()
    ]
    metric = METRICS[selection.sort]
    return [row for arch in selection.archs for row in _ranked([row for row in rows if row.arch == arch], metric)]


def board_lines(rows: Iterable[Row], archs: Sequence[str]) -> list[Line]:
    """One line a model, in the order of the first architecture; models that have answers on another one only come after."""
    by_model: dict[LanguageModel, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_model[row.model][row.arch] = row
    lines = [Line(model=model, rows={arch: found.get(arch) for arch in archs}) for model, found in by_model.items()]
    return sorted(lines, key=lambda line: next(i for i, arch in enumerate(archs) if line.rows[arch]))  # sorted() is stable


def _ranked(rows: list[Row], metric: Metric) -> list[Row]:
    models = [row for row in rows if not row.model.is_baseline]
    places = ranks(models, lambda row: metric.value(row.summary), descending=metric.higher_is_better)
    placed = [replace(row, rank=place) for row, place in zip(models, places, strict=True)]
    everyone = placed + [row for row in rows if row.model.is_baseline]

    def order(row: Row) -> tuple[bool, float, str]:
        value = metric.value(row.summary)
        number = 0.0 if value is None else value
        return (value is None, -number if metric.higher_is_better else number, row.model.name)

    return sorted(everyone, key=order)

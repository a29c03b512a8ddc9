"""The leaderboard's table as a forest plot: where marks, intervals and reference lines stand on each column's axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from grading.statistics import Estimate
from kernels.spec import BASELINES
from leaderboard.board import verdicts
from leaderboard.board.rows import Line, Metric, Row, shown_metrics
from leaderboard.board.selection import Selection
from leaderboard.figures import scales
from leaderboard.lib import formatting


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A column's axis, the same in every row. Positions are per cent of its width, as text for an SVG attribute."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def at(self, value: float | None) -> str | None:
        if value is None or (self.logarithmic and value <= 0):
            return None
        scale: Callable[[float], float] = math.log if self.logarithmic else float
        share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return f"{100 * min(1.0, max(0.0, share)):.1f}%"

    @property
    def labels(self) -> list[tuple[str | None, str]]:
        return [(self.at(value), text) for value, text in self.ticks]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What one architecture puts into a cell: a number, its interval, its mark."""

    arch: str
    text: str
    small: str = ""
    x: str | None = None
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A failure bar: segments from the left, the rest passed."""

    arch: str
    segments: tuple[tuple[str, str, str], ...]  # CSS class suffix, x, width
    text: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Column:
    metric: Metric
    axis: Axis | None
    query: str  # ranks by this column
    lines: tuple[tuple[str, str], ...] = ()  # baseline's name, position


@dataclass(frozen=True, kw_only=True)
class Cell:
    column: Column
    entries: tuple[Entry, ...]


@dataclass(frozen=True, kw_only=True)
class TableRow:
    line: Line
    note: str  # provider, weights, and what is missing
    ranks: tuple[tuple[str, str], ...]  # architecture, "3–10"
    cells: tuple[Cell, ...]
    bars: tuple[Bar, ...]
    is_incomplete: bool  # on the architecture that orders the table: it stands below the rule


@dataclass(frozen=True, kw_only=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]


Waiting = frozenset[tuple[int, str]]  # model, architecture


def forest(lines: Sequence[Line], selection: Selection, kernels: int, waiting: Waiting = frozenset()) -> Table:
    """Everything that the leaderboard's template prints. kernels: how many a complete model has answered; waiting: which models
    have answers in the queue of which architecture."""
    shares = Axis(low=0, high=1, ticks=((0, "0"), (0.5, "50"), (1, "100")))
    axes = {
        "score": Axis(low=0, high=1, ticks=((0, "0"), (0.5, "0.5"), (1, "1"))),
        "pass": shares,
        "speedup": speedup_axis(row.summary.speedup for line in lines for row in line.rows.values() if row),
        "fast": shares,
        "best": Axis(low=0, high=1, ticks=((0, "0"), (0.5, "0.5"), (1, "1"))),
    }
    columns = tuple(
        Column(
            metric=metric,
            axis=axes.get(metric.key),
            query=selection.query(sort=metric.key),
            lines=_baseline_lines(lines, selection.archs[0], metric, axes.get(metric.key)),
        )
        for metric in shown_metrics(selection)
    )
    return Table(columns=columns, rows=tuple(_table_row(line, selection.archs, columns, kernels, waiting) for line in lines))


def speedup_axis(estimates: Iterable[Estimate]) -> Axis:
    """An axis from one power of two to another, from 1× to the full score's speedup at least; at most four ticks."""
    values = scales.in_sight([(e.value, e.low, e.high) for e in estimates])
    low = min(0, math.floor(math.log2(min(values, default=1.0)) + 0.05))
    high = max(scales.FURTHEST, math.ceil(math.log2(max(values, default=1.0)) - 0.05))
    step = max(1, math.ceil((high - low) / 3))
    ticks = tuple((2.0**k, f"{2.0**k:g}×") for k in range(low, high + 1, step))
    return Axis(low=2.0 ** (low - 0.3), high=2.0 ** (high + 0.3), ticks=ticks, logarithmic=True)


def _baseline_lines(lines: Sequence[Line], arch: str, metric: Metric, axis: Axis | None) -> tuple[tuple[str, str], ...]:
    if axis is None:
        return ()
    found = []
    for line in lines:
        row = line.rows.get(arch)
        if row and line.model.is_baseline and line.model.name in BASELINES:
            position = axis.at(metric.value(row.summary).value)
            if position:
                found.append((line.model.name, position))
    return tuple(found)


def _table_row(line: Line, archs: Sequence[str], columns: Sequence[Column], kernels: int, waiting: Waiting) -> TableRow:
    rows = [(arch, line.rows.get(arch)) for arch in archs]
    return TableRow(
        line=line,
        note=_note(line, kernels, waiting),
        ranks=tuple((arch, rank_text(row)) for arch, row in rows),
        cells=tuple(Cell(column=column, entries=tuple(_entry(arch, row, column) for arch, row in rows)) for column in columns),
        bars=tuple(failure_bar(arch, row.summary.verdicts, row.summary.answers) for arch, row in rows if row),
        is_incomplete=not next(row for _, row in rows if row).is_complete,
    )


def _note(line: Line, kernels: int, waiting: Waiting) -> str:
    """Who made the model, and how many kernels it has answered where that is not all: its score is over those only.

    It is provisional while answers of it wait to be graded.
    """
    model = line.model
    parts = ["baseline" if model.is_baseline else "", model.provider, model.get_weights_display() if model.weights else ""]
    for arch, row in line.rows.items():
        where = f" on {arch}" if len(line.rows) > 1 else ""
        if row is None:
            parts.append(f"nothing graded{where}")
        elif not row.is_complete:
            provisional = "provisional, " if (line.model.pk, arch) in waiting else ""
            parts.append(f"{provisional}{row.summary.kernels} of {kernels} kernels{where}")
    return ", ".join(part for part in parts if part)


def rank_text(row: Row | None) -> str:
    """1, or 3–5 where models share a rank; a dash for baselines."""
    if row is None or row.rank is None:
        return formatting.MISSING
    low, high = row.rank
    return f"{low}" if low == high else f"{low}–{high}"


def _entry(arch: str, row: Row | None, column: Column) -> Entry:
    if row is None:
        return Entry(arch=arch, text=formatting.MISSING)
    estimate = column.metric.value(row.summary)
    text, small = TEXTS[column.metric.key](estimate)
    if column.metric.key == "memory":
        shares = (formatting.percent(row.summary.extra_share), formatting.times(row.summary.share_of_reference.value))
        small = ", ".join(share for share in shares if share != formatting.MISSING)
    elif row.model.is_baseline:  # graded once a kernel: the interval would describe the choice of kernels only
        estimate, small = Estimate(estimate.value), ""
    if column.axis is None:
        return Entry(arch=arch, text=text, small=small)
    at = column.axis.at
    return Entry(arch=arch, text=text, small=small, x=at(estimate.value), low=at(estimate.low), high=at(estimate.high))


def _score(own: Estimate) -> tuple[str, str]:
    return formatting.score(own.value), formatting.span(own.low, own.high, digits=2)


def _share(own: Estimate) -> tuple[str, str]:
    return formatting.percent(own.value), formatting.span(own.low, own.high, unit=100, digits=0)


TEXTS: Mapping[str, Callable[[Estimate], tuple[str, str]]] = {
    "score": _score,
    "pass": _share,
    "fast": _share,
    "best": _score,
    "speedup": lambda own: (formatting.times(own.value), formatting.span(own.low, own.high)),
    "throughput": lambda own: (formatting.three_digits(own.value), formatting.span(own.low, own.high)),
    "memory": lambda own: (formatting.mib(own.value), ""),
}


def failure_bar(arch: str, counts: Mapping[str, int], answers: int) -> Bar:
    """Failures in their four groups, always in the same order; every verdict is named in the label."""
    segments, done = [], 0
    for group in verdicts.FAILURE_GROUPS:
        n = group.count(counts)
        if n and answers:
            segments.append((group.key, f"{100 * done / answers:.1f}%", f"{100 * n / answers:.1f}%"))
            done += n
    label = f"{arch}: {done} of {answers} failed: {verdicts.describe(counts)}" if done else f"{arch}: none of {answers} failed"
    return Bar(arch=arch, segments=tuple(segments), text=f"{done} of {answers}", label=label)

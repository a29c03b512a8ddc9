"""One function from rows to a plotly figure each.

A figure is plain JSON: {"data": [...], "layout": {...}}. Colours are names of the style sheet's tokens ("var(--amd64)"), which the
browser resolves, so that one figure serves both themes. layout.meta holds what the browser needs to lay it out for its own
width (static/js/charts.js): the rows' names, the reference lines' labels, fewer ticks for a phone.
"""

from __future__ import annotations

import html
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard import numbers
from leaderboard.aggregates import Estimate, Summary
from leaderboard.answers import Answer, Group, frontier
from leaderboard.board import Row
from leaderboard.models import LanguageModel

Figure = dict[str, Any]

SYMBOLS = {"amd64": "circle", "arm64": "diamond"}
DASHES = {"naive": "dot", "tuned": "dash"}
FRONTIER_DASHES = {"amd64": "solid", "arm64": "dash"}
PAGE_MB = 4096 / 2**20  # the smallest growth of memory that can be seen
FULL_SCORE_SPEEDUP = 8.0
ROW_PX, STRIP_ROW_PX, SAMPLE_ROW_PX, SCATTER_PX = 30, 28, 52, 400
TOP_PX, BOTTOM_PX, RIGHT_PX = 24, 46, 14
LETTER_PX = 6.6  # of 12 px type, on average: the browser measures


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis: its range and ticks in data units, its title with the direction that is better."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str
    short: str
    logarithmic: bool = True

    def layout(self) -> dict[str, Any]:
        place: Callable[[float], float] = math.log10 if self.logarithmic else float
        return {
            "type": "log" if self.logarithmic else "linear",
            "range": [place(self.low), place(self.high)],
            "tickvals": [value for value, _ in self.ticks],
            "ticktext": [text for _, text in self.ticks],
            "title": {"text": self.title, "font": _font("var(--soft)"), "standoff": 8},
            "gridcolor": "var(--rule)",
            "linecolor": "var(--ink)",
            "showline": True,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": "var(--ink)",
            "zeroline": False,
            "fixedrange": True,
        }


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A line through all rows at x, named above the plot."""

    x: float
    label: str
    dash: str
    width: float = 1.25


# The charts ----------------------------------------------------------------------------------------------------------------


def speedup_of_models(rows: Sequence[Row], archs: Sequence[str]) -> Figure:
    """Geometric-mean speedup of every model, one mark an architecture; baselines as lines."""
    return _models(
        rows,
        archs,
        value=lambda summary: summary.speedup,
        text=numbers.times,
        scale=lambda values: powers_of_two(
            values,
            "geometric-mean speedup over passed answers (log scale) · further right is faster",
            "geometric-mean speedup, log",
        ),
        extra=(Reference(x=FULL_SCORE_SPEEDUP, label="full score 8×", dash="solid", width=1),),
        better_first=True,
    )


def memory_of_models(rows: Sequence[Row], archs: Sequence[str]) -> Figure:
    """Geometric-mean extra memory of every model, one mark an architecture; baselines as lines."""
    return _models(
        rows,
        archs,
        value=lambda summary: Estimate(value=summary.extra_mb),
        text=lambda value: f"{numbers.mib(value)} MiB",
        scale=lambda values: memory_scale(
            values,
            "geometric-mean extra peak memory of passed answers (log scale) · further left is leaner",
            "extra peak memory, log",
        ),
        better_first=False,
    )


def answers_of_models(
    groups: Sequence[tuple[str, Group]], arch: str, baselines: Mapping[str, float], values: Iterable[float]
) -> Figure:
    """Every passed answer to a kernel on one architecture, one row a model, a tick at the model's median.

    groups: models' names with their answers, best first. baselines: speedup by name. values: all speedups of both architectures, so that the two axes agree.
    """
    names, marks, medians = [], [], []
    for y, (name, group) in enumerate(groups):
        names.append(f"{name}  {len(group.passed)}/{len(group.answers)}")
        marks += [
            (answer, y + _dodge(k))
            for k, answer in enumerate(sorted(group.passed, key=lambda a: a.speedup or 0))
            if answer.speedup
        ]
        if group.median is not None:
            medians.append((group.median, y))
    data = [_medians(medians), _marks([m[0] for m in marks], [m[1] for m in marks], arch, [answer_text(m[0]) for m in marks])]
    references = [
        Reference(x=value, label=f"{name} {numbers.times(value)}", dash=DASHES.get(name, "dashdot"))
        for name, value in baselines.items()
    ]
    scale = powers_of_two([*values, *baselines.values()], "speedup (log scale) · further right is faster", "speedup, log")
    return _row_chart(names, data, scale, references, STRIP_ROW_PX)


def answers_of_kernels(groups: Mapping[tuple[str, str], Group], kernels: Sequence[str], archs: Sequence[str]) -> Figure:
    """Every passed answer of a model, one row a kernel, amd64 above arm64."""
    data = []
    for arch in archs:
        shift = _shift(arch, archs)
        passed = [
            (a, y + shift)
            for y, name in enumerate(kernels)
            if (name, arch) in groups
            for a in groups[name, arch].passed
            if a.speedup
        ]
        medians = [(groups[name, arch].median, y + shift) for y, name in enumerate(kernels) if (name, arch) in groups]
        data.append(_medians([(m, y) for m, y in medians if m is not None], size=12))
        data.append(
            _marks([a for a, _ in passed], [y for _, y in passed], arch, [answer_text(a, kernel=True) for a, _ in passed])
        )
    values = [speedup for group in groups.values() for speedup in group.speedups]
    scale = powers_of_two(values, "speedup (log scale) · further right is faster", "speedup, log")
    references = [
        Reference(x=1, label="naive 1×", dash="dot"),
        Reference(x=FULL_SCORE_SPEEDUP, label="full score 8×", dash="solid", width=1),
    ]
    return _row_chart(list(kernels), data, scale, references, ROW_PX)


def memory_against_speed(answers: Sequence[Answer], archs: Sequence[str], limit_mb: float) -> Figure:
    """Extra memory against speedup of every passed answer to a kernel; a step line joins those that nothing beats on both."""
    passed = [a for a in answers if a.passed and a.speedup and a.extra_mb is not None]
    x = powers_of_two([a.speedup for a in passed if a.speedup], "speedup (log scale) · further right is faster", "speedup, log")
    y = memory_scale(
        [limit_mb, *(a.extra_mb for a in passed if a.extra_mb)], "extra memory (log) · lower is better", "extra memory, log"
    )
    data = []
    for arch in reversed(archs):
        points = frontier(a for a in passed if a.arch == arch)
        if points:
            steps = [
                (points[0][0], limit_mb),
                *((speed, max(extra, PAGE_MB)) for speed, extra in points),
                (x.low, max(points[-1][1], PAGE_MB)),
            ]
            line = {"shape": "vh", "color": f"var(--{arch})", "width": 1.5, "dash": FRONTIER_DASHES[arch]}
            data.append(_trace("lines", [s[0] for s in steps], [s[1] for s in steps], line=line, hoverinfo="skip"))
    for arch in archs:
        own = [a for a in passed if a.arch == arch]
        data.append(_marks(own, [max(a.extra_mb or 0, PAGE_MB) for a in own], arch, [answer_text(a) for a in own]))
    limit = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": limit_mb,
        "y1": limit_mb,
        "layer": "below",
        "line": {"color": "var(--memory)", "width": 2},
    }
    label = _note(
        f"limit {limit_mb:g} MiB",
        xref="paper",
        x=0,
        xanchor="left",
        y=math.log10(limit_mb),
        yanchor="bottom",
        xshift=4,
        font=_font("var(--memory)"),
    )
    layout = _layout(x, SCATTER_PX, left=66) | {"yaxis": y.layout() | {"ticks": ""}, "shapes": [limit], "annotations": [label]}
    return {"data": data, "layout": layout | {"meta": {"narrow": _narrow(x)}}}


def samples(answer_ns: Sequence[float], reference_ns: Sequence[float], arch: str, process: Sequence[int] = ()) -> Figure:
    """Every counted round as its distance from the median of its row, in per cent: the answer's above, the reference's below."""
    names, data, everything = [], [], []
    marks = (
        (answer_ns, "answer", {"color": f"var(--{arch})", "symbol": SYMBOLS[arch], "opacity": 0.8}),
        (reference_ns, "reference", {"color": "var(--base)", "symbol": "square-open"}),
    )
    for row, (times_ns, name, marker) in enumerate(marks):
        middle = statistics.median(times_ns)
        names.append(f"{name} {numbers.milliseconds(middle / 1e6)}")
        distances = [100 * (ns / middle - 1) for ns in times_ns]
        everything += distances
        texts = [
            f"<b>round {k + 1}</b>{f', process {process[k] + 1}' if k < len(process) else ''}<br>{name} {numbers.milliseconds(ns / 1e6)} ({distance:+.1f} %)"
            for k, (ns, distance) in enumerate(zip(times_ns, distances, strict=True))
        ]
        data.append(
            _trace(
                "markers", distances, [row + _jitter(k) for k in range(len(times_ns))], text=texts, marker=marker | {"size": 7}
            )
        )
    scale = per_cent_scale(
        everything, "time of a round, against the median of its row · further left is faster", "time against the row's median"
    )
    return _row_chart(names, data, scale, [Reference(x=0, label="median", dash="solid", width=1)], SAMPLE_ROW_PX)


# Scales --------------------------------------------------------------------------------------------------------------------


def powers_of_two(values: Iterable[float], title: str, short: str) -> Scale:
    """Ticks at powers of two, from below the smallest value to above the largest; 1× and 8× are always there."""
    known = [value for value in values if value > 0]
    low = min(0, math.floor(math.log2(min(known, default=1.0)) + 0.05))
    high = max(3, math.ceil(math.log2(max(known, default=8.0)) - 0.05))
    ticks = tuple((2.0**k, f"{2.0**k:g}×") for k in range(low, high + 1))
    return Scale(low=2.0 ** (low - 0.35), high=2.0 ** (high + 0.35), ticks=ticks, title=title, short=short)


def memory_scale(values: Iterable[float], title: str, short: str) -> Scale:
    """MiB, ticks at powers of four from one page on."""
    high = max(0, math.ceil(math.log(max([PAGE_MB, *values])) / math.log(4)))
    ticks = tuple((4.0**k, _bytes(4.0**k)) for k in range(-4, high + 1))
    return Scale(low=PAGE_MB / 1.5, high=4.0 ** (high + 0.25), ticks=ticks, title=title, short=short)


def per_cent_scale(values: Iterable[float], title: str, short: str) -> Scale:
    """Linear, around 0; four to seven round ticks."""
    known = [*values, -1.0, 1.0]
    low, high = min(known), max(known)
    pad = 0.06 * (high - low)
    step = _round_step((high - low) / 5)
    ticks = tuple(
        (k * step, f"{k * step:+g} %".replace("-", "−") if k else "0")
        for k in range(math.ceil(low / step), math.floor(high / step) + 1)
    )
    return Scale(low=low - pad, high=high + pad, ticks=ticks, title=title, short=short, logarithmic=False)


def _round_step(rough: float) -> float:
    base = 10.0 ** math.floor(math.log10(rough))
    return next(factor * base for factor in (1, 2, 5, 10) if factor * base >= rough)


def _bytes(mib: float) -> str:
    return "1 page" if mib == PAGE_MB else f"{mib * 1024:g} KiB" if mib < 1 else f"{mib:g} MiB"


# Parts ---------------------------------------------------------------------------------------------------------------------


def _models(
    rows: Sequence[Row],
    archs: Sequence[str],
    *,
    value: Callable[[Summary], Estimate],
    text: Callable[[float | None], str],
    scale: Callable[[list[float]], Scale],
    extra: tuple[Reference, ...] = (),
    better_first: bool,
) -> Figure:
    """A row chart of models, best of the first architecture on top; the first architecture's baselines as lines."""
    known = [(row, estimate) for row in rows if (estimate := value(row.summary)).value is not None]
    order: dict[LanguageModel, float] = {}
    for arch in archs:
        for row, estimate in known:
            if row.arch == arch and not row.model.is_baseline:
                order.setdefault(row.model, estimate.value or 0.0)
    models = sorted(order, key=lambda model: (-order[model] if better_first else order[model], model.name))
    data = []
    for arch in archs:
        own = [(row, estimate) for row, estimate in known if row.arch == arch and not row.model.is_baseline]
        texts = [_model_text(row, estimate, text) for row, estimate in own]
        ys = [models.index(row.model) + _shift(arch, archs) for row, _ in own]
        data.append(_estimates([estimate for _, estimate in own], ys, arch, texts))
    lines = [
        Reference(x=estimate.value, label=f"{row.model.slug} {text(estimate.value)}", dash=DASHES.get(row.model.slug, "dashdot"))
        for row, estimate in known
        if row.model.is_baseline and row.arch == archs[0] and estimate.value is not None
    ]
    ends = [end for _, e in known for end in (e.value, e.low, e.high) if end is not None]
    return _row_chart([str(model) for model in models], data, scale(ends), [*extra, *lines], ROW_PX)


def _model_text(row: Row, estimate: Estimate, text: Callable[[float | None], str]) -> str:
    interval = f", 95 % interval {numbers.span(estimate.low, estimate.high)}" if estimate.low is not None else ""
    return f"<b>{_safe(str(row.model))}</b> on {row.arch}<br>{text(estimate.value)}{interval}<br>{row.summary.passed} of {row.summary.answers} answers passed"


def answer_text(answer: Answer, *, kernel: bool = False) -> str:
    """What hovering over an answer's mark says. All of it is in the table behind the figure, too."""
    who = answer.kernel if kernel else answer.model
    interval = f", 95 % interval {numbers.span(answer.low, answer.high)}" if answer.low is not None else ""
    return f"<b>{_safe(who)}</b>, rollout {answer.rollout}, {answer.arch}<br>{numbers.times(answer.speedup)}{interval}<br>{numbers.mib(answer.extra_mb)} MiB extra"


def _safe(text: str) -> str:
    """plotly.js reads a little HTML in its texts: names must not be it."""
    return html.escape(text, quote=False)


def _trace(mode: str, x: Sequence[float], y: Sequence[float], **more: Any) -> dict[str, Any]:
    trace = {"type": "scatter", "mode": mode, "x": list(x), "y": list(y), "cliponaxis": False, **more}
    return trace | {"hovertemplate": "%{text}<extra></extra>"} if "text" in more else trace


def _marks(answers: Sequence[Answer], y: Sequence[float], arch: str, texts: Sequence[str]) -> dict[str, Any]:
    marker = {"color": f"var(--{arch})", "symbol": SYMBOLS[arch], "size": 7, "opacity": 0.85}
    return _trace("markers", [a.speedup or 0.0 for a in answers], y, text=list(texts), marker=marker, name=arch)


def _estimates(estimates: Sequence[Estimate], y: Sequence[float], arch: str, texts: Sequence[str]) -> dict[str, Any]:
    values = [e.value or 0.0 for e in estimates]
    bars = {
        "type": "data",
        "symmetric": False,
        "array": [(e.high - v) if e.high is not None else 0 for e, v in zip(estimates, values, strict=True)],
        "arrayminus": [(v - e.low) if e.low is not None else 0 for e, v in zip(estimates, values, strict=True)],
        "thickness": 2,
        "width": 0,
        "color": f"var(--{arch})",
    }
    marker = {"color": f"var(--{arch})", "symbol": SYMBOLS[arch], "size": 9}
    return _trace("markers", values, y, text=list(texts), marker=marker, error_x=bars, name=arch)


def _medians(points: Sequence[tuple[float, float]], size: int = 18) -> dict[str, Any]:
    marker = {"symbol": "line-ns-open", "size": size, "line": {"width": 2}, "color": "var(--ink)"}
    return _trace("markers", [p[0] for p in points], [p[1] for p in points], marker=marker, hoverinfo="skip")


def _row_chart(
    names: Sequence[str], data: list[dict[str, Any]], scale: Scale, references: Sequence[Reference], row_px: int
) -> Figure:
    """Names down, values across; reference lines below the marks, their labels above the plot."""
    safe = [_safe(name) for name in names]
    left = 14 + LETTER_PX * max((len(name) for name in names), default=0)
    layout = _layout(scale, TOP_PX + BOTTOM_PX + row_px * len(names), left=left)
    layout["yaxis"] = {
        "range": [len(names) - 0.4, -0.6],
        "tickvals": list(range(len(names))),
        "ticktext": safe,
        "gridcolor": "var(--rule)",
        "zeroline": False,
        "fixedrange": True,
        "ticks": "",
    }
    layout["shapes"] = [
        {
            "type": "line",
            "layer": "below",
            "xref": "x",
            "yref": "paper",
            "x0": r.x,
            "x1": r.x,
            "y0": 0,
            "y1": 1,
            "line": {"color": "var(--soft)", "width": r.width, "dash": r.dash},
        }
        for r in references
    ]
    layout["annotations"] = [
        _note(
            r.label,
            name="reference",
            xref="x",
            x=math.log10(r.x) if scale.logarithmic else r.x,
            yref="paper",
            y=1,
            yanchor="bottom",
            yshift=3,
            font=_font("var(--soft)"),
        )
        for r in references
    ]
    layout["meta"] = {"rows": safe, "row_px": row_px, "narrow": _narrow(scale)}
    return {"data": data, "layout": layout}


def _layout(x: Scale, height: float, *, left: float) -> dict[str, Any]:
    return {
        "xaxis": x.layout(),
        "height": height,
        "margin": {"l": left, "r": RIGHT_PX, "t": TOP_PX, "b": BOTTOM_PX},
        "showlegend": False,
        "paper_bgcolor": "var(--paper)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": _font("var(--ink)"),
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": "var(--paper)", "bordercolor": "var(--ink)", "font": _font("var(--ink)"), "align": "left"},
    }


def _narrow(scale: Scale) -> dict[str, Any]:
    """The axis on a phone: a short title, every second or third tick."""
    every = max(1, math.ceil(len(scale.ticks) / 5))
    start = next((i for i, (value, _) in enumerate(scale.ticks) if value in (0, 1)), 0) % every  # 1× and 0 stay
    kept = scale.ticks[start::every]
    return {"title": scale.short, "tickvals": [value for value, _ in kept], "ticktext": [text for _, text in kept]}


def _note(text: str, **where: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, **where}


def _font(color: str) -> dict[str, Any]:
    return {"size": 12, "color": color}


def _shift(arch: str, archs: Sequence[str]) -> float:
    """Two architectures in one row: amd64 above, arm64 below."""
    return 0.0 if len(archs) == 1 else (-0.17 if arch == archs[0] else 0.17)


def _dodge(k: int) -> float:
    return (-0.13, 0.0, 0.13)[k % 3]


def _jitter(k: int) -> float:
    """The same for the same round, spread evenly: the golden ratio's multiples modulo 1."""
    return 0.44 * ((k * 0.6180339887498949) % 1 - 0.5)

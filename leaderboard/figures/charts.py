"""One function from rows to a plotly figure each; what they share is in plots.py and scales.py."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from grading.result import PAGE_MB
from grading.scoring import FULL_SCORE_SPEEDUP
from grading.statistics import Estimate
from leaderboard.board.aggregates import Summary
from leaderboard.board.answers import Answer, Group, frontier
from leaderboard.board.architecture_ratios import ModelRatios
from leaderboard.board.head_to_head import ArchComparison
from leaderboard.board.rows import Row
from leaderboard.figures import plots, scales
from leaderboard.figures.plots import Figure, Reference, Trace
from leaderboard.lib import formatting
from leaderboard.lib.text import isolated
from leaderboard.models import LanguageModel

DASHES = {"naive": "dot", "tuned": "dash"}  # another baseline: dashdot
FRONTIER_DASHES = {"amd64": "solid", "arm64": "dash"}
RATIO_SYMBOLS = {"naive": "square-open", "tuned": "triangle-up"}
RATIO_ROW_PX = 36
HEAT_ROW_PX, HEAT_PX = 26, 420
ROW_PX, STRIP_ROW_PX, SAMPLE_ROW_PX, SCATTER_PX = 30, 28, 52, 400
NAIVE = Reference(x=1, label="naive 1×", dash="dot")
FULL_SCORE = Reference(x=FULL_SCORE_SPEEDUP, label=f"full score {FULL_SCORE_SPEEDUP:g}×", dash="solid", width=1)
SPEEDUP_TITLES = ("speedup (log scale) · further right is faster", "speedup, log")


def speedup_of_models(rows: Sequence[Row], archs: Sequence[str], scale_name: str = "log") -> Figure:
    """Geometric-mean speedup of every model, one mark per architecture; baselines as lines."""

    def scale(values: list[float]) -> scales.Scale:
        title = f"geometric-mean speedup over passed answers ({scale_name} scale) · further right is faster"
        return scales.SPEEDUPS[scale_name](values, title, f"geometric-mean speedup, {scale_name}")

    return _models(
        rows, archs, value=lambda s: s.speedup, text=formatting.times, scale=scale, more=[FULL_SCORE], higher_is_better=True
    )


def memory_of_models(rows: Sequence[Row], archs: Sequence[str]) -> Figure:
    """Geometric-mean extra memory of every model, one mark per architecture; baselines as lines."""
    title = "geometric-mean extra peak memory of passed answers (log scale) · further left is leaner"

    def scale(values: list[float]) -> scales.Scale:
        return scales.memory(values, title, "extra peak memory, log")

    return _models(rows, archs, value=lambda s: s.extra, text=_mib, scale=scale, more=[], higher_is_better=False)


def answers_of_models(
    groups: Sequence[tuple[str, Group]],
    arch: str,
    baselines: Mapping[str, float],
    values: Iterable[float],
    limit: float | None = None,
) -> Figure:
    """Every passed answer to a kernel on one architecture, one row per model, a tick at the model's median.

    groups: models' names with their answers, best first. baselines: speedup by name. values: all speedups, on both
    architectures, so that their two axes agree. limit: the machine's own, as a speedup.
    """
    names = [f"{isolated(name)}  {len(group.passed)}/{len(group.answers)}" for name, group in groups]
    middles = [(group.median, y) for y, (_, group) in enumerate(groups)]
    placed = [
        (answer, answer.speedup, y + plots.dodge(k))
        for y, (_, group) in enumerate(groups)
        for k, answer in enumerate(sorted(group.passed, key=lambda answer: answer.speedup or 0))
        if answer.speedup
    ]
    texts = [_answer_text(answer, answer.model) for answer, _, _ in placed]
    data = [
        plots.medians([(middle, y) for middle, y in middles if middle is not None]),
        plots.marks([speedup for _, speedup, _ in placed], [y for _, _, y in placed], arch, texts),
    ]
    lines = [_baseline(*item, formatting.times) for item in baselines.items()]
    if limit:
        lines.append(Reference(x=limit, label=f"machine’s limit {formatting.times(limit)}", dash="solid", width=2))
    scale = scales.powers_of_two([*values, *(line.x for line in lines)], *SPEEDUP_TITLES)
    return plots.row_chart(names, data, scale, lines, STRIP_ROW_PX)


def answers_of_kernels(groups: Mapping[tuple[str, str], Group], kernels: Sequence[str], archs: Sequence[str]) -> Figure:
    """Every passed answer of a model, one row per kernel, one architecture above the other."""
    data: list[Trace] = []
    for arch in archs:
        rows = [(y + plots.shift(arch, archs), groups[name, arch]) for y, name in enumerate(kernels) if (name, arch) in groups]
        placed = [(answer, answer.speedup, y) for y, group in rows for answer in group.passed if answer.speedup]
        texts = [_answer_text(answer, answer.kernel) for answer, _, _ in placed]
        data.append(plots.medians([(group.median, y) for y, group in rows if group.median is not None], size=12))
        data.append(plots.marks([speedup for _, speedup, _ in placed], [y for _, _, y in placed], arch, texts))
    scale = scales.powers_of_two([speedup for group in groups.values() for speedup in group.speedups], *SPEEDUP_TITLES)
    return plots.row_chart(list(kernels), data, scale, [NAIVE, FULL_SCORE], ROW_PX)


def scores_of_kernels(groups: Mapping[tuple[str, str], Group], kernels: Sequence[str], archs: Sequence[str]) -> Figure:
    """A model's mean score as a heat map, kernels down, architectures across; a cell without answers stays empty."""
    cells = [[groups.get((name, arch)) for arch in archs] for name in kernels]
    heat = {
        "type": "heatmap",
        "x": list(archs),
        "y": list(kernels),
        "z": [[group.score if group else None for group in row] for row in cells],
        "text": [[formatting.score(group.score if group else None) for group in row] for row in cells],
        "customdata": [[_group_text(group) for group in row] for row in cells],
        "texttemplate": "%{text}",
        "textfont": plots.font("var(--ink)"),
        "hovertemplate": "<b>%{y}</b>, %{x}<br>score %{text}<br>%{customdata}<extra></extra>",
        "zmin": 0,
        "zmax": 1,
        "xgap": 2,
        "ygap": 2,
        "colorscale": [[0, "var(--heat-low)"], [1, "var(--heat-high)"]],
        "showscale": False,
        "hoverongaps": False,
    }
    return {"data": [heat], "layout": plots.heat_map_layout(kernels, HEAT_ROW_PX, HEAT_PX)}


def bundles_of_model(rows: Sequence[Mapping[str, Any]], archs: Sequence[str]) -> Figure:
    """What each bundle brought of a model, oldest on top: the share that passed. rows: as the model's page has them."""
    bundles = list(dict.fromkeys(row["uid"] for row in rows))
    dates = {row["uid"]: formatting.day(row["when"]) for row in rows}
    data = []
    for arch in archs:
        own = [row for row in rows if row["arch"] == arch]
        texts = [
            f"<b>{row['uid']}</b> on {arch}<br>{row['passed']} of {row['answers']} answers passed"
            f"<br>score {formatting.score(row['score'])}, speedup {formatting.times(row['speedup'])}"
            for row in own
        ]
        y = [bundles.index(row["uid"]) + plots.shift(arch, archs) for row in own]
        data.append(plots.estimates([row["rate"] for row in own], y, arch, texts))
    names = [f"{uid}, {dates[uid]}" for uid in bundles]
    return plots.row_chart(names, data, scales.shares("answers passed · further right is better", "answers passed"), [], ROW_PX)


def memory_against_speed(answers: Sequence[Answer], archs: Sequence[str], limit_mb: float) -> Figure:
    """Extra memory against speedup of every passed answer to a kernel; a step line joins those that nothing beats on both."""
    passed = [(a, a.speedup, max(a.extra_mb, PAGE_MB)) for a in answers if a.passed and a.speedup and a.extra_mb is not None]
    x = scales.powers_of_two([speedup for _, speedup, _ in passed], *SPEEDUP_TITLES)
    y = scales.memory([limit_mb, *(extra for _, _, extra in passed)], "extra memory (log) · lower is better", "extra memory, log")
    data = [_frontier([a for a, _, _ in passed if a.arch == arch], arch, limit_mb, x.low) for arch in reversed(archs)]
    for arch in archs:
        own = [point for point in passed if point[0].arch == arch]
        texts = [_answer_text(answer, answer.model) for answer, _, _ in own]
        data.append(plots.marks([speedup for _, speedup, _ in own], [extra for _, _, extra in own], arch, texts))
    line = {"color": "var(--memory)", "width": 2}
    limit = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit_mb, "y1": limit_mb, "layer": "below", "line": line}
    where = {"xref": "paper", "x": 0, "xanchor": "left", "y": math.log10(limit_mb), "yanchor": "bottom", "xshift": 4}
    label = plots.note(f"limit {limit_mb:g} MiB", font=plots.font("var(--memory)"), **where)
    layout = plots.base_layout(x, SCATTER_PX, left=66) | {"yaxis": y.layout() | {"ticks": ""}}
    return {"data": data, "layout": layout | {"shapes": [limit], "annotations": [label], "meta": {"narrow": x.narrow()}}}


def samples(answer_ns: Sequence[float], reference_ns: Sequence[float], arch: str, process: Sequence[int] = ()) -> Figure:
    """Every counted round as its distance from the median of its row, in per cent: the answer's above, the reference's below."""
    answer_marker: dict[str, Any] = {"color": f"var(--{arch})", "symbol": plots.SYMBOLS[arch], "opacity": 0.8}
    reference_marker: dict[str, Any] = {"color": "var(--base)", "symbol": "square-open"}
    names, data, everything = [], [], []
    for row, (name, times_ns, marker) in enumerate(
        (("answer", answer_ns, answer_marker), ("reference", reference_ns, reference_marker))
    ):
        middle = statistics.median(times_ns)
        distances = [100 * (ns / middle - 1) for ns in times_ns]
        texts = [_round_text(name, k, ns, middle, process) for k, ns in enumerate(times_ns)]
        y = [row + plots.jitter(k) for k in range(len(times_ns))]
        data.append(plots.trace("markers", distances, y, text=texts, marker=marker | {"size": 7}))
        names.append(f"{name} {formatting.milliseconds(middle / 1e6)}")
        everything += distances
    title = "time of a round, against the median of its row · further left is faster"
    scale = scales.per_cent(everything, title, "time against the row’s median")
    return plots.row_chart(names, data, scale, [Reference(x=0, label="median", dash="solid", width=1)], SAMPLE_ROW_PX)


def ratios_of_kernels(shown: Sequence[ModelRatios], kernels: Sequence[str], what: str) -> Figure:
    """arm64 / amd64 of throughput or memory, one row per kernel: naive, tuned and a model, one below the other."""
    data: list[Trace] = []
    for k, ratios in enumerate(shown):
        rows = [
            (y, estimate, pairs)
            for y, name in enumerate(kernels)
            if name in ratios.kernels
            for estimate, pairs in [ratios.kernels[name].measured(what)]
            if estimate.value is not None  # an answer's memory may not be known where its throughput is
        ]
        texts = [
            f"<b>{kernels[y]}</b>, {plots.plain(str(ratios.model))}"
            f"<br>{formatting.three_digits(e.value)}{_interval(e.low, e.high)}"
            f"<br>{pairs} answer{'' if pairs == 1 else 's'} on both"
            for y, e, pairs in rows
        ]
        found = [estimate for _, estimate, _ in rows]
        trace = plots.estimates(found, [y + (k - (len(shown) - 1) / 2) * 0.24 for y, *_ in rows], "amd64", texts)
        symbol = RATIO_SYMBOLS.get(ratios.model.name, "star") if ratios.model.is_baseline else "star"
        colour = "var(--base)" if ratios.model.is_baseline else "var(--ink)"
        trace["marker"] = {"symbol": symbol, "color": colour, "size": 9, "line": {"width": 1.5, "color": colour}}
        trace["error_x"]["color"] = colour
        trace["cliponaxis"] = True  # an interval may be far wider than the ratios
        data.append(trace | {"name": plots.plain(str(ratios.model))})
    ends = [end for trace in data for end in trace["x"]]
    title = "throughput" if what == "throughput" else "extra memory"
    better = "further right, arm64 is faster" if what == "throughput" else "further right, arm64 needs more"
    scale = scales.ratios(ends, f"ratio of {title} (log scale) · {better}", f"ratio of {title}, log")
    equal = Reference(x=1, label="equal", dash="solid", width=1)
    return plots.row_chart(list(kernels), data, scale, [equal], RATIO_ROW_PX)


def differences_of_kernels(a: LanguageModel, b: LanguageModel, comparisons: Sequence[ArchComparison]) -> Figure:
    """a's score less b's, one row per kernel that both answered, one mark per architecture; the first row is all together."""
    archs = [own.arch for own in comparisons]
    names = ["all kernels", *dict.fromkeys(pair.kernel for own in comparisons for pair in own.kernels)]
    data, ends = [], []
    for own in comparisons:
        rows = [("all kernels", own.overall.score), *((pair.kernel, pair.differences.score) for pair in own.kernels)]
        known = [(name, score) for name, score in rows if score.value is not None]
        texts = [
            f"<b>{name}</b> on {own.arch}<br>{formatting.signed(e.value, 2)}"
            + (f", 95 % interval {formatting.signed(e.low, 2)} to {formatting.signed(e.high, 2)}" if e.low is not None else "")
            for name, e in known
        ]
        y = [names.index(name) + plots.shift(own.arch, archs) for name, _ in known]
        data.append(plots.estimates([e for _, e in known], y, own.arch, texts))
        ends += [end for _, e in known for end in (e.value, e.low, e.high) if end is not None]
    title = f"difference in score · left of 0 {plots.plain(str(b))} is better, right of it {plots.plain(str(a))}"
    scale = scales.differences(ends, title, "difference in score")
    return plots.row_chart(names, data, scale, [Reference(x=0, label="equal", dash="solid", width=1)], ROW_PX)


def _models(
    rows: Sequence[Row],
    archs: Sequence[str],
    *,
    value: Callable[[Summary], Estimate],
    text: Callable[[float | None], str],
    scale: Callable[[list[float]], scales.Scale],
    more: list[Reference],
    higher_is_better: bool,
) -> Figure:
    """A row chart of models, the best on the first architecture on top; the first architecture's baselines as lines."""
    known = [(row, estimate) for row in rows if (estimate := value(row.summary)).value is not None]
    models = _order([(row, estimate) for row, estimate in known if not row.model.is_baseline], archs, higher_is_better)
    data = []
    for arch in archs:
        own = [(row, estimate) for row, estimate in known if row.arch == arch and not row.model.is_baseline]
        own.sort(key=lambda item: models.index(item[0].model))  # the same figure by whatever the table is ranked
        y = [models.index(row.model) + plots.shift(arch, archs) for row, _ in own]
        data.append(plots.estimates([e for _, e in own], y, arch, [_model_text(row, e, text) for row, e in own]))
    lines = [
        _baseline(row.model.name, estimate.value, text)
        for row, estimate in sorted(known, key=lambda item: item[0].model.name)
        if row.model.is_baseline and row.arch == archs[0] and estimate.value is not None
    ]
    ends = scales.in_sight([(e.value, e.low, e.high) for _, e in known])
    return plots.row_chart([str(model) for model in models], data, scale(ends), [*more, *lines], ROW_PX)


def _order(known: Sequence[tuple[Row, Estimate]], archs: Sequence[str], higher_is_better: bool) -> list[LanguageModel]:
    """Models by their value on the first architecture where they have one."""
    values: dict[LanguageModel, float] = {}
    for arch in archs:
        for row, estimate in known:
            if row.arch == arch and estimate.value is not None:
                values.setdefault(row.model, estimate.value)
    sign = -1 if higher_is_better else 1
    return sorted(values, key=lambda model: (sign * values[model], model.name))


def _frontier(answers: Sequence[Answer], arch: str, limit_mb: float, slowest: float) -> Trace:
    """The step line from the limit down at the fastest answer, then step by step to the leanest."""
    points = [(speedup, max(extra, PAGE_MB)) for speedup, extra in frontier(answers)]
    steps = [(points[0][0], limit_mb), *points, (slowest, points[-1][1])] if points else []
    line = {"shape": "vh", "color": f"var(--{arch})", "width": 1.5, "dash": FRONTIER_DASHES[arch]}
    return plots.trace("lines", [speedup for speedup, _ in steps], [extra for _, extra in steps], line=line, hoverinfo="skip")


def _baseline(name: str, value: float, text: Callable[[float | None], str]) -> Reference:
    return Reference(x=value, label=f"{name} {text(value)}", dash=DASHES.get(name, "dashdot"))


# What hovering says; all of it is in the tables behind the figures, too.


def _model_text(row: Row, estimate: Estimate, text: Callable[[float | None], str]) -> str:
    passed = f"{row.summary.passed} of {row.summary.answers} answers passed"
    number = f"{text(estimate.value)}{_interval(estimate.low, estimate.high)}"
    return f"<b>{plots.plain(str(row.model))}</b> on {row.arch}<br>{number}<br>{passed}"


def _answer_text(answer: Answer, who: str) -> str:
    speed = f"{formatting.times(answer.speedup)}{_interval(answer.low, answer.high)}"
    return f"<b>{plots.plain(who)}</b>, rollout {answer.rollout}, {answer.arch}<br>{speed}<br>{_mib(answer.extra_mb)} extra"


def _group_text(group: Group | None) -> str:
    if group is None:
        return "no answer graded"
    count = len(group.answers)
    return f"{len(group.passed)} of {count} answer{'' if count == 1 else 's'} passed"


def _round_text(name: str, k: int, ns: float, middle: float, process: Sequence[int]) -> str:
    where = f", process {process[k] + 1}" if k < len(process) else ""
    return f"<b>round {k + 1}</b>{where}<br>{name} {formatting.milliseconds(ns / 1e6)} ({100 * (ns / middle - 1):+.1f} %)"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None else f", 95 % interval {formatting.span(low, high)}"


def _mib(value: float | None) -> str:
    return f"{formatting.mib(value)} MiB"

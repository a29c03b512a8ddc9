"""What charts are made of: plotly traces and layouts as plain JSON.

Colours are names of the style sheet's tokens ("var(--amd64)"), which the browser resolves, so that one figure serves both themes.
layout.meta holds what the browser needs to lay a figure out for its own width (static/js/charts.js): the rows' names, fewer ticks
for a phone.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grading.statistics import Estimate
from leaderboard.figures.scales import Scale
from leaderboard.lib.text import isolated

Figure = dict[str, Any]
Trace = dict[str, Any]

SYMBOLS = {"amd64": "circle", "arm64": "diamond"}
TOP_PX, BOTTOM_PX, RIGHT_PX = 24, 46, 14
MOST_LETTERS = 40  # of a row's name in a line: a longer one breaks
LETTER_PX = 6.6  # of 12 px type, on average: the browser measures
DODGES = (-0.13, 0.0, 0.13)
GOLDEN_RATIO = 0.6180339887498949


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A line through all rows at x, named above the plot."""

    x: float
    label: str
    dash: str
    width: float = 1.25


def row_chart(names: Sequence[str], data: list[Trace], scale: Scale, references: Sequence[Reference], row_px: int) -> Figure:
    """Names down, values across; reference lines below the marks, their labels above the plot."""
    texts = [plain(name) for name in names]
    left = 14 + LETTER_PX * min(MOST_LETTERS, max((len(name) for name in names), default=0))
    layout = base_layout(scale, TOP_PX + BOTTOM_PX + row_px * len(names), left=left)
    layout["yaxis"] = {
        "range": [len(names) - 0.4, -0.6],
        "tickvals": list(range(len(names))),
        "ticktext": texts,
        "gridcolor": "var(--rule)",
        "zeroline": False,
        "fixedrange": True,
        "ticks": "",
    }
    layout["shapes"] = [_reference_line(reference) for reference in references]
    layout["annotations"] = [_reference_label(reference, scale) for reference in references]
    layout["meta"] = {"rows": texts, "row_px": row_px, "narrow": scale.narrow()}
    return {"data": data, "layout": layout}


def base_layout(x: Scale, height: float, *, left: float) -> dict[str, Any]:
    """The layout that every figure starts from: our colours, no legend, no mode bar."""
    return {
        "xaxis": x.layout(),
        "height": height,
        "margin": {"l": left, "r": RIGHT_PX, "t": TOP_PX, "b": BOTTOM_PX},
        "showlegend": False,
        "paper_bgcolor": "var(--paper)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": font("var(--ink)"),
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": "var(--paper)", "bordercolor": "var(--ink)", "font": font("var(--ink)"), "align": "left"},
    }


def heat_map_layout(rows: Sequence[str], row_px: int, width_px: int) -> dict[str, Any]:
    """Columns named above, rows on the left, the first on top; meta says how wide it is on paper."""
    axis = {"gridcolor": "rgba(0,0,0,0)", "zeroline": False, "fixedrange": True, "ticks": "", "type": "category"}
    left = 14 + LETTER_PX * max(map(len, rows), default=0)
    return {
        "xaxis": axis | {"side": "top"},
        "yaxis": axis | {"autorange": "reversed"},
        "height": TOP_PX + 8 + row_px * len(rows),
        "margin": {"l": left, "r": 2, "t": TOP_PX, "b": 8},
        "showlegend": False,
        "paper_bgcolor": "var(--paper)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": font("var(--ink)"),
        "hoverlabel": {"bgcolor": "var(--paper)", "bordercolor": "var(--ink)", "font": font("var(--ink)"), "align": "left"},
        "meta": {"width_px": width_px},
    }


def trace(mode: str, x: Sequence[float], y: Sequence[float], **more: Any) -> Trace:
    found = {"type": "scatter", "mode": mode, "x": list(x), "y": list(y), "cliponaxis": False, **more}
    return found | {"hovertemplate": "%{text}<extra></extra>"} if "text" in more else found


def marks(x: Sequence[float], y: Sequence[float], arch: str, texts: Sequence[str]) -> Trace:
    """One mark a point, in the architecture's colour and shape."""
    marker = {"color": f"var(--{arch})", "symbol": SYMBOLS[arch], "size": 7, "opacity": 0.85}
    return trace("markers", x, y, text=list(texts), marker=marker, name=arch)


def estimates(points: Sequence[Estimate], y: Sequence[float], arch: str, texts: Sequence[str]) -> Trace:
    """Marks with their intervals: lines of 2 px without caps."""
    values = [point.value or 0.0 for point in points]
    bars = {
        "type": "data",
        "symmetric": False,
        "array": [0 if e.high is None else e.high - v for e, v in zip(points, values, strict=True)],
        "arrayminus": [0 if e.low is None else v - e.low for e, v in zip(points, values, strict=True)],
        "thickness": 2,
        "width": 0,
        "color": f"var(--{arch})",
    }
    marker = {"color": f"var(--{arch})", "symbol": SYMBOLS[arch], "size": 9}
    return trace("markers", values, y, text=list(texts), marker=marker, error_x=bars, name=arch, cliponaxis=True)


def medians(points: Sequence[tuple[float, float]], size: int = 18) -> Trace:
    """A vertical tick at each (x, y)."""
    marker = {"symbol": "line-ns-open", "size": size, "line": {"width": 2}, "color": "var(--ink)"}
    return trace("markers", [x for x, _ in points], [y for _, y in points], marker=marker, hoverinfo="skip")


def note(text: str, **where: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, **where}


def font(color: str) -> dict[str, Any]:
    return {"size": 12, "color": color}


def plain(text: str) -> str:
    """plotly.js reads a little HTML in its texts: names must not be it, nor turn what stands beside them around."""
    return html.escape(isolated(text), quote=False)


def shift(arch: str, archs: Sequence[str]) -> float:
    """Two architectures in one row: the first above, the second below."""
    if len(archs) == 1:
        return 0.0
    return -0.17 if arch == archs[0] else 0.17


def dodge(k: int) -> float:
    """A small fixed shift, so that many marks in a row stay apart."""
    return DODGES[k % len(DODGES)]


def jitter(k: int) -> float:
    """An offset that is the same for the same k, and spread evenly: multiples of the golden ratio, modulo 1."""
    return 0.44 * ((k * GOLDEN_RATIO) % 1 - 0.5)


def _reference_line(reference: Reference) -> dict[str, Any]:
    ends = {"xref": "x", "x0": reference.x, "x1": reference.x, "yref": "paper", "y0": 0, "y1": 1}
    line = {"color": "var(--soft)", "width": reference.width, "dash": reference.dash}
    return {"type": "line", "layer": "below", **ends, "line": line}


def _reference_label(reference: Reference, scale: Scale) -> dict[str, Any]:
    """The browser knows it by its name, and moves it where it would cover another."""
    where = {"xref": "x", "x": scale.at(reference.x), "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 3}
    return note(plain(reference.label), name="reference", font=font("var(--soft)"), **where)

"""The pages' figures (figures/charts.py) as SVG without a browser: marks, intervals, lines, axes. Same figure, same bytes."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings

from leaderboard.figures.images import TOKEN, WIDTH_PX, for_paper

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
DASHES = {"solid": "", "dot": "2 3", "dash": "6 4", "dashdot": "7 3 2 3"}
TICK_PX, LABEL_PX, TITLE_PX = 4, 16, 36  # below the plot
BASELINE_PX = 4  # from the middle of a letter to its foot
STAR = (1.0, 0.45)  # radii of points and notches


@dataclass(frozen=True)
class Axis:
    """Data to pixels in one direction; low and high are the ends in the axis' own coordinate, decades where it is logarithmic."""

    low: float
    high: float
    start_px: float
    end_px: float
    logarithmic: bool = False

    def data(self, value: float) -> float:
        return self.own(math.log10(value) if self.logarithmic else value)

    def own(self, value: float) -> float:
        return self.start_px + (value - self.low) / (self.high - self.low) * (self.end_px - self.start_px)


def draw(figure: dict[str, Any], title: str) -> str:
    """A whole SVG document, on white, with the title for those who cannot see it."""
    made = for_paper(figure)
    layout = made["layout"]
    height, margin = layout["height"], layout["margin"]
    left, right, top, bottom = margin["l"], WIDTH_PX - margin["r"], margin["t"], height - margin["b"]
    axis = layout["xaxis"]
    x = Axis(axis["range"][0], axis["range"][1], left, right, axis["type"] == "log")
    y = Axis(layout["yaxis"]["range"][0], layout["yaxis"]["range"][1], bottom, top)
    ink = layout["font"]["color"]
    body = [
        *_grid(layout, x, y, (left, right, top, bottom)),
        *(_shape(shape, x, (top, bottom)) for shape in layout.get("shapes", [])),
        line(left, bottom, right, bottom, axis["linecolor"], 1),
        *_ticks(axis, x, bottom, ink),
        *_rows(layout["yaxis"], y, left, ink),
        *(part for trace in made["data"] for part in _trace(trace, x, y)),
        *(_note(note, x, top) for note in layout.get("annotations", [])),
        text((left + right) / 2, bottom + TITLE_PX, axis["title"]["text"], axis["title"]["font"]["color"], "middle"),
    ]
    return document(WIDTH_PX, height, title, body)


def document(width: float, height: float, title: str, body: Sequence[str]) -> str:
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}" font-size="12">'
    inside = [f"<title>{html.escape(title, quote=False)}</title>", '<rect width="100%" height="100%" fill="#ffffff"/>', *body]
    return "\n".join([head, *inside, "</svg>"]) + "\n"


def line(x1: float, y1: float, x2: float, y2: float, color: str, width: float, dash: str = "solid") -> str:
    where = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    broken = f' stroke-dasharray="{DASHES[dash]}"' if DASHES[dash] else ""
    return f'<line {where} stroke="{color}" stroke-width="{number(width)}"{broken}/>'


def rect(x: float, y: float, width: float, height: float, color: str) -> str:
    where = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {where} fill="{color}"/>'


def text(x: float, y: float, content: str, color: str, anchor: str = "start") -> str:
    """content: as in the figure, where it is HTML already."""
    safe = html.escape(html.unescape(content), quote=False)
    return f'<text x="{number(x)}" y="{number(y)}" fill="{color}" text-anchor="{anchor}">{safe}</text>'


def colour(token: str) -> str:
    """The light theme's colour of a token of the style sheet."""
    return _colours()[token]


@cache
def _colours() -> dict[str, str]:
    return dict(TOKEN.findall((settings.BASE_DIR / "static" / "css" / "site.css").read_text(encoding="utf-8")))


def number(value: float) -> str:
    """At most two decimals, no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def _grid(layout: Mapping[str, Any], x: Axis, y: Axis, box: tuple[float, float, float, float]) -> Iterator[str]:
    left, right, top, bottom = box
    for value in layout["xaxis"]["tickvals"]:
        at = x.data(value)
        yield line(at, top, at, bottom, layout["xaxis"]["gridcolor"], 1)
    for value in layout["yaxis"]["tickvals"]:
        at = y.data(value)
        yield line(left, at, right, at, layout["yaxis"]["gridcolor"], 1)


def _ticks(axis: Mapping[str, Any], x: Axis, bottom: float, ink: str) -> Iterator[str]:
    for value, label in zip(axis["tickvals"], axis["ticktext"], strict=True):
        at = x.data(value)
        yield line(at, bottom, at, bottom + TICK_PX, axis["tickcolor"], 1)
        yield text(at, bottom + LABEL_PX, label, ink, "middle")


def _rows(axis: Mapping[str, Any], y: Axis, left: float, ink: str) -> Iterator[str]:
    for value, label in zip(axis["tickvals"], axis["ticktext"], strict=True):
        yield text(left - 6, y.data(value) + BASELINE_PX, label, ink, "end")


def _shape(shape: Mapping[str, Any], x: Axis, ends: tuple[float, float]) -> str:
    """A reference line through all rows."""
    at, own = x.data(shape["x0"]), shape["line"]
    return line(at, ends[0], at, ends[1], own["color"], own["width"], own.get("dash", "solid"))


def _note(note: Mapping[str, Any], x: Axis, top: float) -> str:
    """A reference line's name, above the plot; inside the picture where the line is at its edge."""
    half = 3.3 * len(html.unescape(note["text"]))
    at = min(max(x.own(note["x"]), half + 2), WIDTH_PX - half - 2)
    return text(at, top - note["yshift"] - 1, note["text"], note["font"]["color"], "middle")


def _trace(trace: Mapping[str, Any], x: Axis, y: Axis) -> Iterator[str]:
    points = [(x.data(a), y.data(b)) for a, b in zip(trace["x"], trace["y"], strict=True)]
    if bars := trace.get("error_x"):
        for value, b, more, less in zip(trace["x"], trace["y"], bars["array"], bars["arrayminus"], strict=True):
            if more or less:
                ends = [min(max(x.data(end), x.start_px), x.end_px) for end in (value - less, value + more)]
                yield line(ends[0], y.data(b), ends[1], y.data(b), bars["color"], bars["thickness"])
    marker = trace["marker"]
    for at in points:
        yield SYMBOLS[marker["symbol"]](*at, marker["size"] / 2, marker["color"])


def _polygon(x: float, y: float, radii: Sequence[float], color: str) -> str:
    """Corners at equal angles from the top."""
    corners = [
        (x + radius * math.sin(2 * math.pi * k / len(radii)), y - radius * math.cos(2 * math.pi * k / len(radii)))
        for k, radius in enumerate(radii)
    ]
    return f'<polygon points="{" ".join(f"{number(a)},{number(b)}" for a, b in corners)}" fill="{color}"/>'


def _circle(x: float, y: float, radius: float, color: str) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{color}"/>'


def _open_square(x: float, y: float, radius: float, color: str) -> str:
    where = f'x="{number(x - radius)}" y="{number(y - radius)}" width="{number(2 * radius)}" height="{number(2 * radius)}"'
    return f'<rect {where} fill="none" stroke="{color}" stroke-width="1.5"/>'


SYMBOLS: Mapping[str, Callable[[float, float, float, str], str]] = {
    "circle": _circle,
    "diamond": lambda x, y, radius, color: _polygon(x, y, [1.3 * radius] * 4, color),
    "square-open": _open_square,
    "triangle-up": lambda x, y, radius, color: _polygon(x, y, [1.2 * radius] * 3, color),
    "star": lambda x, y, radius, color: _polygon(x, y, [1.4 * radius * share for _ in range(5) for share in STAR], color),
}

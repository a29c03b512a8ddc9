"""Axes of charts: a range, round ticks, a title that says which way is better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from grading.result import PAGE_MB
from grading.scoring import FULL_SCORE_SPEEDUP

PHONE_TICKS = 5
MOST_TICKS = 9
FURTHEST = max(3, math.ceil(math.log2(FULL_SCORE_SPEEDUP)))  # every axis shows where nothing more is to be gained
FAR = 16.0  # times the largest value, or of the smallest: an interval beyond would leave no room for anything else
Tick = tuple[float, str]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis in data units. `short` is its title on a phone."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str
    short: str
    logarithmic: bool = True

    def at(self, value: float) -> float:
        """Where plotly wants a note at this value: on a logarithmic axis, its decimal logarithm."""
        return math.log10(value) if self.logarithmic else value

    def layout(self) -> dict[str, Any]:
        """The axis as plotly's xaxis or yaxis: line and ticks, hairline grid, no zoom."""
        return {
            "type": "log" if self.logarithmic else "linear",
            "range": [self.at(self.low), self.at(self.high)],
            "tickvals": [value for value, _ in self.ticks],
            "ticktext": [text for _, text in self.ticks],
            "title": {"text": self.title, "font": {"size": 12, "color": "var(--soft)"}, "standoff": 8},
            "gridcolor": "var(--rule)",
            "linecolor": "var(--ink)",
            "showline": True,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": "var(--ink)",
            "zeroline": False,
            "fixedrange": True,
        }

    def narrow(self) -> dict[str, Any]:
        """What is different on a phone: the short title, and every second or third tick, 1× and 0 among them."""
        every = max(1, math.ceil(len(self.ticks) / PHONE_TICKS))
        start = next((i for i, (value, _) in enumerate(self.ticks) if value in (0, 1)), 0) % every
        kept = self.ticks[start::every]
        return {"title": self.short, "tickvals": [value for value, _ in kept], "ticktext": [text for _, text in kept]}


Maker = Callable[[Iterable[float], str, str], Scale]


def powers_of_two(values: Iterable[float], title: str, short: str) -> Scale:
    """Ticks at powers of two, from below the smallest value to above the largest; 1× and 8× are always there."""
    known = [value for value in values if value > 0]
    low = min(0, math.floor(math.log2(min(known, default=1.0)) + 0.05))
    high = max(FURTHEST, math.ceil(math.log2(max(known, default=FULL_SCORE_SPEEDUP)) - 0.05))
    ticks = tuple((2.0**k, f"{2.0**k:g}×") for k in _every(low, high, by=3))  # 8× stays
    return Scale(low=2.0 ** (low - 0.35), high=2.0 ** (high + 0.35), ticks=ticks, title=title, short=short)


def from_zero(values: Iterable[float], title: str, short: str) -> Scale:
    """A linear axis from 0, with a few round ticks."""
    high = max([FULL_SCORE_SPEEDUP, *values])
    step = _round_step(high / 8)
    ticks = tuple((k * step, f"{k * step:g}×") for k in range(math.floor(high / step) + 1))
    return Scale(low=0.0, high=1.04 * high, ticks=ticks, title=title, short=short, logarithmic=False)


def ratios(values: Iterable[float], title: str, short: str) -> Scale:
    """Around 1, ticks at half octaves, at least from 0.5 to 2; at whole octaves or more where the values reach far."""
    reach = max([1.0, *(abs(math.log2(value)) for value in values if value > 0)])
    step = 0.5 if reach <= 2 else max(1.0, math.ceil(reach / 4))
    count = math.ceil(reach / step - 0.05)
    ticks = tuple((2.0 ** (k * step), _ratio(2.0 ** (k * step))) for k in range(-count, count + 1))
    edge = 1.06 * max(reach, count * step) + 0.15  # a mark at the end is whole, and clear of the rows' names
    return Scale(low=2.0**-edge, high=2.0**edge, ticks=ticks, title=title, short=short)


SPEEDUPS: dict[str, Maker] = {"log": powers_of_two, "linear": from_zero}


def memory(values: Iterable[float], title: str, short: str) -> Scale:
    """MiB, ticks at powers of four from one page on."""
    high = max(0, math.ceil(math.log(max([PAGE_MB, *values])) / math.log(4)))
    ticks = tuple((4.0**k, _bytes(4.0**k)) for k in _every(-4, high))
    return Scale(low=PAGE_MB / 1.5, high=4.0 ** (high + 0.25), ticks=ticks, title=title, short=short)


def per_cent(values: Iterable[float], title: str, short: str) -> Scale:
    """Linear, around 0; a few round ticks."""
    known = [*values, -1.0, 1.0]
    low, high = min(known), max(known)
    pad = 0.06 * (high - low)
    step = _round_step((high - low) / 7)
    ticks = tuple((k * step, _signed_per_cent(k * step)) for k in range(math.ceil(low / step), math.floor(high / step) + 1))
    return Scale(low=low - pad, high=high + pad, ticks=ticks, title=title, short=short, logarithmic=False)


def differences(values: Iterable[float], title: str, short: str) -> Scale:
    """Linear, the same to both sides of 0; a few round ticks."""
    reach = max([0.1, *(abs(value) for value in values)])
    step = _round_step(reach / 4)
    count = math.floor(reach / step + 0.01)
    ticks = tuple((k * step, f"{k * step:+g}".replace("-", "−") if k else "0") for k in range(-count, count + 1))
    return Scale(low=-1.06 * reach, high=1.06 * reach, ticks=ticks, title=title, short=short, logarithmic=False)


def in_sight(estimates: Iterable[tuple[float | None, float | None, float | None]]) -> list[float]:
    """What an axis is made for: every value, and interval ends that are not far beyond all values. An interval that reaches
    further (two answers that have little in common) runs out of the plot; its table has the numbers."""
    known = list(estimates)
    values = [value for value, _, _ in known if value is not None and value > 0]
    if not values:
        return []
    least, most = min(values) / FAR, max(values) * FAR
    ends = [end for _, *interval in known for end in interval if end is not None]
    return [*values, *(min(most, max(least, end)) for end in ends)]


def _round_step(rough: float) -> float:
    base = 10.0 ** math.floor(math.log10(rough))
    return next(factor * base for factor in (1, 2, 5, 10) if factor * base >= rough)


def _every(low: int, high: int, by: int = 1) -> range:
    """Powers from low to high; where there are many, only every so many of them, a multiple of `by`. 0 is always one of them."""
    count = high - low + 1
    step = 1 if count <= MOST_TICKS else by * math.ceil(count / MOST_TICKS / by)
    return range(-(-low // step) * step, high + 1, step)


def shares(title: str, short: str) -> Scale:
    """An axis from 0 to 100 per cent."""
    ticks = tuple((k / 4, f"{25 * k} %") for k in range(5))
    return Scale(low=-0.02, high=1.02, ticks=ticks, title=title, short=short, logarithmic=False)


def _signed_per_cent(value: float) -> str:
    return f"{value:+g} %".replace("-", "−") if value else "0"


def _ratio(value: float) -> str:
    """Two digits, and never 5.1e+02."""
    return f"{value:.0f}" if value >= 100 else f"{Decimal(f'{value:.2g}'):f}"


def _bytes(mib: float) -> str:
    if mib == PAGE_MB:
        return "1 page"
    if mib >= 1024:
        return f"{mib / 1024:g} GiB"
    return f"{mib * 1024:g} KiB" if mib < 1 else f"{mib:g} MiB"

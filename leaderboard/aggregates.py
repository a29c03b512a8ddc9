"""Summaries of a model's answers on one architecture: pure arithmetic over cells, no queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

Z95 = 1.959963984540054  # the normal distribution's 97.5 % quantile
T = TypeVar("T")


class Cell(Protocol):
    """One (model, kernel, architecture): what a Standing row holds."""

    answers: int
    passed: int
    verdicts: dict[str, int]
    score_mean: float | None
    log_speedup_sum: float
    log_extra_sum: float


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its 95 % interval; None where there are no data, or too few for an interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A model on an architecture, over the chosen kernels."""

    answers: int
    passed: int
    kernels: int
    verdicts: dict[str, int]
    pass_rate: Estimate
    score: Estimate
    speedup: Estimate  # geometric mean over passed answers
    extra_mb: float | None  # likewise
    extra_share: float | None  # geometric mean of extra memory / the kernel's limit

    @property
    def failed(self) -> int:
        return self.answers - self.passed


def summarise(cells: Iterable[tuple[Cell, float]]) -> Summary:
    """Add up cells, each with its kernel's memory limit in MiB.

    score is the mean over kernels of the mean over answers, so that a kernel answered more often does not weigh more;
    a kernel never answered is not counted, and `kernels` says how many were.
    """
    rows = [(cell, limit) for cell, limit in cells if cell.answers]
    answers = sum(cell.answers for cell, _ in rows)
    passed = sum(cell.passed for cell, _ in rows)
    verdicts: Counter[str] = Counter()
    for cell, _ in rows:
        verdicts.update(cell.verdicts)
    scores = [cell.score_mean for cell, _ in rows if cell.score_mean is not None]
    return Summary(
        answers=answers,
        passed=passed,
        kernels=len(rows),
        verdicts=dict(verdicts),
        pass_rate=wilson(passed, answers),
        score=Estimate(value=math.fsum(scores) / len(scores) if scores else None),
        speedup=Estimate(value=_geometric_mean(math.fsum(cell.log_speedup_sum for cell, _ in rows), passed)),
        extra_mb=_geometric_mean(math.fsum(cell.log_extra_sum for cell, _ in rows), passed),
        extra_share=_geometric_mean(
            math.fsum(cell.log_extra_sum - cell.passed * math.log(limit) for cell, limit in rows), passed
        ),
    )


def wilson(passed: int, answers: int) -> Estimate:
    """A share with Wilson's score interval (Wilson 1927; Brown, Cai and DasGupta 2001), which stays within 0 and 1."""
    if not answers:
        return Estimate()
    share = passed / answers
    scale = 1 + Z95**2 / answers
    centre = (share + Z95**2 / (2 * answers)) / scale
    half = Z95 * math.sqrt(share * (1 - share) / answers + Z95**2 / (4 * answers**2)) / scale
    # at the ends the formula gives 0 and 1 but for rounding
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == answers else min(1.0, centre + half)
    return Estimate(value=share, low=low, high=high)


def ranks(items: Sequence[T], value: Callable[[T], float | None], *, descending: bool) -> list[tuple[int, int] | None]:
    """The range of ranks that each item shares with its equals; None for an item without a value."""
    known = [number for number in map(value, items) if number is not None]
    result: list[tuple[int, int] | None] = []
    for item in items:
        own = value(item)
        if own is None:
            result.append(None)
            continue
        better = sum(other > own if descending else other < own for other in known)
        equal = sum(other == own for other in known)
        result.append((better + 1, better + equal))
    return result


def _geometric_mean(log_sum: float, count: int) -> float | None:
    return math.exp(log_sum / count) if count else None

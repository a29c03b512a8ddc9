"""Summaries of a model's answers on one architecture: from cells to the figures of grading.statistics, no queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from grading.statistics import (
    Estimate,
    best_values,
    clipped,
    exponential,
    fast_p,
    ratio_of_sums,
    stratified_mean,
    wilson,
)

EMPTY = Estimate()
BEST_OF = (2, 3, 5, 10)  # k of best of k


class Cell(Protocol):
    """One (model, kernel, architecture): what a Standing row holds. per_answer: leaderboard.services.standings.PER_ANSWER."""

    answers: int
    passed: int
    verdicts: dict[str, int]
    per_answer: dict[str, list[float]]


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What a cell is measured against, in MiB: the kernel's limit, and what the reference itself needs, if that is known."""

    limit_mb: float
    reference_mb: float | None = None


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A model on an architecture, over the chosen kernels. Means of ratios are geometric, over passed answers."""

    answers: int
    passed: int
    kernels: int
    verdicts: dict[str, int]
    pass_rate: Estimate
    score: Estimate
    speedup: Estimate
    speedup_all: Estimate  # mean over kernels of the mean over all answers, a failed one counted as 1x
    throughput: Estimate  # millions of units per second: comparable within a set of kernels only
    extra: Estimate  # MiB
    share: Estimate  # extra memory / the kernel's limit
    share_of_reference: Estimate  # extra memory / the reference's, over kernels where that is known
    fast: tuple[tuple[float, Estimate], ...]  # p, share of all answers that pass with a speedup of at least p
    best: tuple[tuple[int, Estimate], ...]  # k, mean over kernels of the expected best score of k answers; none below k answers

    @property
    def failed(self) -> int:
        return self.answers - self.passed

    @property
    def extra_mb(self) -> float | None:
        return self.extra.value

    @property
    def extra_share(self) -> float | None:
        return self.share.value

    def fast_at(self, p: float) -> Estimate:
        return dict(self.fast).get(p, EMPTY)

    def best_at(self, k: int) -> Estimate:
        return dict(self.best).get(k, EMPTY)


def summarise(cells: Iterable[tuple[Cell, Measures]]) -> Summary:
    """Add up cells. A kernel never answered is not counted, and `kernels` says how many were.

    The score is the mean over kernels of the mean over answers, so that a kernel with more answers does not weigh more.
    """
    rows = [(cell, against) for cell, against in cells if cell.answers]
    answers, passed = (sum(getattr(cell, name) for cell, _ in rows) for name in ("answers", "passed"))
    verdicts: Counter[str] = Counter()
    for cell, _ in rows:
        verdicts.update(cell.verdicts)
    speedups = [math.exp(log) for cell, _ in rows for log in cell.per_answer.get("log_speedups", ())]
    return Summary(
        answers=answers,
        passed=passed,
        kernels=len(rows),
        verdicts=dict(verdicts),
        pass_rate=wilson(passed, answers),
        score=clipped(stratified_mean([cell.per_answer.get("scores", []) for cell, _ in rows]), 0.0, 1.0),
        speedup=_geometric((cell, "log_speedups", 0.0) for cell, _ in rows),
        speedup_all=exponential(stratified_mean([_with_failures(cell) for cell, _ in rows])),
        throughput=_geometric((cell, "log_throughputs", 0.0) for cell, _ in rows),
        extra=_geometric((cell, "log_extras", 0.0) for cell, _ in rows),
        share=_geometric((cell, "log_extras", math.log(against.limit_mb)) for cell, against in rows),
        share_of_reference=_geometric(
            (cell, "log_extras", math.log(against.reference_mb)) for cell, against in rows if against.reference_mb
        ),
        fast=tuple(fast_p([*speedups, *[None] * (answers - len(speedups))])),
        best=tuple((k, _best([cell for cell, _ in rows], k)) for k in BEST_OF),
    )


def strata(cells: Mapping[str, Cell], metric: str) -> dict[str, Sequence[float]]:
    """{kernel: values of the answers, more is better} by which two models are compared; metric is a key of STRATA, "fast:2" for
    p = 2, "best:3" for k = 3.

    Where several answers to a kernel are there but one only passed, speed and memory say nothing of their spread: the kernel
    is left out of that comparison.
    """
    key, _, p = metric.partition(":")
    read = STRATA[key]
    found = {name: read(cell, float(p or 1)) for name, cell in cells.items()}
    return {name: values for name, values in found.items() if len(values) > 1 or (values and _alone(cells[name], key, p))}


def _alone(cell: Cell, key: str, p: str) -> bool:
    """Whether one value is all that there can be: of one answer, or of k answers their best."""
    return cell.answers == 1 or (key == "best" and cell.answers == int(p or 1))


def _passes(cell: Cell, p: float) -> list[float]:
    return [0.0] * (cell.answers - cell.passed) + [1.0] * cell.passed


def _fast(cell: Cell, p: float) -> list[float]:
    fast = sum(math.exp(log) >= p for log in cell.per_answer.get("log_speedups", ()))
    return [0.0] * (cell.answers - fast) + [1.0] * fast


def _best_of(cell: Cell, k: float) -> list[float]:
    return best_values(cell.per_answer.get("scores", ()), int(k))


def _best(cells: Sequence[Cell], k: int) -> Estimate:
    """Only where every kernel has k answers: else models with few answers would have it over their well-tried kernels alone."""
    scores = [cell.per_answer.get("scores", ()) for cell in cells]
    if any(len(of_kernel) < k for of_kernel in scores):
        return EMPTY
    return clipped(stratified_mean([best_values(of_kernel, k) for of_kernel in scores]), 0.0, 1.0)


def _values(name: str, sign: float = 1.0) -> Callable[[Cell, float], list[float]]:
    return lambda cell, p: [sign * log for log in cell.per_answer.get(name, ())]


STRATA: Mapping[str, Callable[[Cell, float], list[float]]] = {
    "score": _values("scores"),
    "pass": _passes,
    "speedup": _values("log_speedups"),
    "throughput": _values("log_throughputs"),
    "memory": _values("log_extras", -1.0),
    "fast": _fast,
    "best": _best_of,
}


def _with_failures(cell: Cell) -> list[float]:
    """ln speedup of every answer; of one that failed 0."""
    logs = cell.per_answer.get("log_speedups", [])
    return [*logs, *[0.0] * (cell.answers - len(logs))]


def _geometric(cells: Iterable[tuple[Cell, str, float]]) -> Estimate:
    """exp of the mean over passed answers of (logarithm - what the cell is measured against)."""
    pairs = []
    for cell, name, against in cells:
        logs = cell.per_answer.get(name, ())
        pairs.append([(log - against, 1.0) for log in logs] + [(0.0, 0.0)] * (cell.answers - len(logs)))
    estimate = exponential(ratio_of_sums(pairs))
    if any(sum(weight > 0 for _, weight in pair) > 1 for pair in pairs):
        return estimate
    return Estimate(estimate.value)  # no kernel was passed twice: of what varies between answers nothing was seen

"""Two models, on the kernels that both answered."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grading.statistics import Estimate, clipped, difference, exponential
from leaderboard.board.aggregates import Cell, strata
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.lib.stale_cache import StaleWhileRevalidate
from leaderboard.models import LanguageModel


@dataclass(frozen=True, kw_only=True)
class Differences:
    """a against b: score and pass rate as a - b, speedup and memory as ratios a / b."""

    score: Estimate
    pass_rate: Estimate
    speedup: Estimate
    memory: Estimate

    @property
    def outcome(self) -> str:
        """Win, tie or loss of a, by score: a tie where the interval of the difference holds 0; without one, where it is 0."""
        if self.score.value is None:
            return ""
        low = self.score.value if self.score.low is None else self.score.low
        high = self.score.value if self.score.high is None else self.score.high
        return "win" if low > 0 else "loss" if high < 0 else "tie"


@dataclass(frozen=True, kw_only=True)
class KernelPair:
    """Both models on one kernel. scores: means of a and of b."""

    kernel: str
    scores: tuple[float | None, float | None]
    passed: tuple[str, str]
    differences: Differences


@dataclass(frozen=True, kw_only=True)
class ArchComparison:
    """Both models on one architecture. one_only: kernels that only a, or only b, has answered: not compared."""

    arch: str
    overall: Differences
    kernels: list[KernelPair]
    one_only: tuple[list[str], list[str]]

    @property
    def counts(self) -> dict[str, int]:
        outcomes = [pair.differences.outcome for pair in self.kernels]
        return {name: outcomes.count(name) for name in ("win", "tie", "loss")}


def compare(a: LanguageModel, b: LanguageModel, selection: Selection) -> list[ArchComparison]:
    """One comparison for each selected architecture on which both have answers."""
    summaries = Summaries(selection.kernels, suite=selection.suite)
    what = ("compare", summaries.kernels, a.pk, b.pk, selection.archs)
    found: list[ArchComparison] = StaleWhileRevalidate(version=summaries.cached.version).get(
        what, lambda: _compare(a, b, selection.archs, summaries)
    )
    return found


def _compare(a: LanguageModel, b: LanguageModel, archs: Sequence[str], summaries: Summaries) -> list[ArchComparison]:
    order = {kernel.name: kernel.position for kernel in summaries.all_kernels}
    found = []
    for arch in archs:
        cells = summaries.cells(arch, (a, b))
        own, other = cells.get(a.pk, {}), cells.get(b.pk, {})
        both = sorted(set(own) & set(other), key=lambda name: (order[name], name))
        if both:
            pairs = [_pair(name, own[name], other[name]) for name in both]
            alone = (sorted(set(own) - set(other)), sorted(set(other) - set(own)))
            shared = ({name: own[name] for name in both}, {name: other[name] for name in both})
            found.append(ArchComparison(arch=arch, overall=_differences(*shared), kernels=pairs, one_only=alone))
    return found


def _pair(name: str, a: Cell, b: Cell) -> KernelPair:
    return KernelPair(
        kernel=name,
        scores=(_mean(a), _mean(b)),
        passed=(f"{a.passed} / {a.answers}", f"{b.passed} / {b.answers}"),
        differences=_differences({name: a}, {name: b}),
    )


def _differences(a: Mapping[str, Cell], b: Mapping[str, Cell]) -> Differences:
    def gap(metric: str) -> Estimate:
        return difference(strata(a, metric), strata(b, metric))

    memory = exponential(gap("memory"))  # of -ln: b / a
    inverse = Estimate(*(None if x is None else 1 / x for x in (memory.value, memory.high, memory.low)))
    score, pass_rate = (clipped(gap(metric), -1.0, 1.0) for metric in ("score", "pass"))  # more no two means can differ
    return Differences(score=score, pass_rate=pass_rate, speedup=exponential(gap("speedup")), memory=inverse)


def _mean(cell: Cell) -> float | None:
    scores = cell.per_answer.get("scores", [])
    return math.fsum(scores) / len(scores) if scores else None  # sum() rounds differently since Python 3.12

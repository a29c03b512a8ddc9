"""Summaries of one model's answers on one architecture, each with a 95 % interval whose coverage was checked by simulation
(`make bench-coverage`).

The kernels are fixed: the question is what another set of rollouts of the same model on the same kernels would give. So the
rollouts of a kernel are one stratum, and every figure here is a mean, or a ratio of sums, over strata.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit  # the normal and t quantiles; scipy.stats takes a second to import

from grading.statistics.confidence import CONFIDENCE

MIN_ROLLOUTS = 2  # of every kernel: fewer say nothing of the spread


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; low and high are None where the data do not support one, all three where there are none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> Estimate:
    """A proportion with Wilson's score interval (Wilson 1927; Brown, Cai and DasGupta 2001 recommend it for small n)."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials")
    if trials == 0:
        return Estimate()
    z = float(ndtri((1 + confidence) / 2))
    rate, z2 = successes / trials, z * z / trials
    centre = (rate + z2 / 2) / (1 + z2)
    half = z * math.sqrt(rate * (1 - rate) / trials + z2 / (4 * trials)) / (1 + z2)
    return Estimate(
        rate, 0.0 if successes == 0 else max(0.0, centre - half), 1.0 if successes == trials else min(1.0, centre + half)
    )


def stratified_mean(strata: Sequence[Sequence[float]]) -> Estimate:
    """Mean over strata (kernels) of the mean over their values (rollouts), with a t interval.

    variance = sum of s_k^2 / n_k over K^2; degrees of freedom after Welch and Satterthwaite, with E[s^4] = sigma^4 (n + 1) /
    (n - 1) taken out of their denominator, which else makes the interval far too wide at two rollouts.
    """
    groups = [np.asarray(values, dtype=np.float64) for values in strata if len(values)]
    if not groups:
        return Estimate()
    value = float(np.mean([group.mean() for group in groups]))
    if min(map(len, groups)) < MIN_ROLLOUTS:
        return Estimate(value)
    variances = np.array([group.var(ddof=1) / len(group) for group in groups]) / len(groups) ** 2
    half = _half_width(variances, np.array([len(group) for group in groups]))
    return Estimate(value, value - half, value + half)


def ratio_of_sums(strata: Sequence[Sequence[tuple[float, float]]]) -> Estimate:
    """sum(y) / sum(x) over all pairs (y, x) of all strata, with a t interval by linearisation (Cochran 1977, 6.4).

    With y = x ln(speedup) and x = 1 for a passed answer, 0 else, it is the mean log speedup over passed answers.
    """
    groups = [np.asarray(pairs, dtype=np.float64).reshape(-1, 2) for pairs in strata if len(pairs)]
    total = math.fsum(float(group[:, 1].sum()) for group in groups)  # sum() rounds differently since Python 3.12
    if total == 0:
        return Estimate()
    value = math.fsum(float(group[:, 0].sum()) for group in groups) / total
    if min(map(len, groups)) < MIN_ROLLOUTS:
        return Estimate(value)
    residuals = [group[:, 0] - value * group[:, 1] for group in groups]
    variances = np.array([d.var(ddof=1) * len(d) for d in residuals]) / total**2
    half = _half_width(variances, np.array([len(d) for d in residuals]))
    return Estimate(value, value - half, value + half)


def exponential(estimate: Estimate) -> Estimate:
    """A geometric mean and its interval, from an estimate of logarithms."""
    return Estimate(*(None if x is None else math.exp(x) for x in (estimate.value, estimate.low, estimate.high)))


def clipped(estimate: Estimate, low: float, high: float) -> Estimate:
    """The interval cut to where the figure can lie."""
    return Estimate(estimate.value, *(None if x is None else min(high, max(low, x)) for x in (estimate.low, estimate.high)))


def degrees_of_freedom(variances: np.ndarray, sizes: np.ndarray) -> float:
    """Welch-Satterthwaite for a sum of independent variance estimates, each of n_k - 1 degrees, its denominator unbiased."""
    free = sizes - 1.0
    squares = float((variances**2 * free / (free + 2)).sum())  # E[v^2] = sigma^4 (free + 2) / free
    unbiased = float((variances**2 / (free + 2)).sum())
    if squares == 0:
        return float(free.sum())
    return float(np.clip(variances.sum() ** 2 / unbiased, 1.0, free.sum()))


def _half_width(variances: np.ndarray, sizes: np.ndarray) -> float:
    total = float(variances.sum())
    if total == 0:
        return 0.0
    return float(stdtrit(degrees_of_freedom(variances, sizes), (1 + CONFIDENCE) / 2)) * math.sqrt(total)

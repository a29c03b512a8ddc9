"""Ranks as ranges: two models tie where the interval of their paired difference includes 0."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from scipy.special import ndtri, stdtrit  # the normal and t quantiles; scipy.stats takes a second to import

from grading.statistics.intervals import CONFIDENCE, MIN_ROLLOUTS, Estimate, degrees_of_freedom

RESAMPLES = 2000

Strata = Mapping[str, Sequence[float]]  # kernel -> the values of its rollouts


def difference(a: Strata, b: Strata) -> Estimate:
    """Mean over the kernels that both answered of (mean of a's rollouts - mean of b's), with a 95 % interval.

    A bootstrap of n_k - 1 of the n_k rollouts within each kernel (Rao and Wu 1988: its variance is unbiased, where the plain
    bootstrap's is too small by (n - 1) / n), both models over the same kernels, widened from normal to t quantiles. Seeded by
    the data: the same data give the same interval, and swapping a and b changes its sign only.
    """
    kernels = sorted(name for name in a if a[name] and b.get(name))
    if not kernels:
        return Estimate()
    sides = [[np.asarray(side[name], dtype=np.float64) for name in kernels] for side in (a, b)]
    means = [np.mean([group.mean() for group in side]) for side in sides]
    value = float(means[0] - means[1])
    groups = sides[0] + sides[1]
    if min(map(len, groups)) < MIN_ROLLOUTS:
        return Estimate(value)
    variances = np.array([group.var(ddof=1) / len(group) for group in groups])
    if not variances.any():
        return Estimate(value, value, value)
    widen = stdtrit(degrees_of_freedom(variances, np.array([len(g) for g in groups])), (1 + CONFIDENCE) / 2)
    widen /= ndtri((1 + CONFIDENCE) / 2)
    spread = _resampled(sides[0]) - _resampled(sides[1])
    low, high = np.quantile(spread, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    half = float(widen * (high - low) / 2)  # symmetric, so that a - b and b - a agree
    return Estimate(value, value - half, value + half)


def rank_ranges(models: Sequence[Strata]) -> list[tuple[int, int]]:
    """For each model the ranks it may have: 1 + the number that are surely better, to the number that are not surely worse.

    Where one of two has no interval (a single rollout), their values alone decide: equal ones tie.
    """
    better = np.zeros((len(models), len(models)), dtype=bool)
    for i, a in enumerate(models):
        for j in range(i):
            gap = difference(a, models[j])
            if gap.value is None:
                continue
            low, high = (gap.value, gap.value) if gap.low is None or gap.high is None else (gap.low, gap.high)
            better[i, j], better[j, i] = low > 0, high < 0
    count = len(models)
    return [(1 + int(better[:, i].sum()), count - int(better[i].sum())) for i in range(count)]


def _resampled(groups: Sequence[np.ndarray]) -> np.ndarray:
    """RESAMPLES means over groups of the mean of n - 1 values drawn with replacement, as deviations from the true one."""
    return _resampled_once(tuple(group.tobytes() for group in groups))


@lru_cache(maxsize=256)  # a model is compared with every other one on the same kernels: 16 kB each
def _resampled_once(data: tuple[bytes, ...]) -> np.ndarray:
    groups = [np.frombuffer(group, dtype=np.float64) for group in data]
    rng = np.random.default_rng(_seed(groups))
    total = np.zeros(RESAMPLES)
    for group in groups:
        picks = rng.integers(len(group), size=(RESAMPLES, len(group) - 1))
        total += group[picks].mean(axis=1) - group.mean()
    result: np.ndarray = total / len(groups)
    return result


def _seed(groups: Sequence[np.ndarray]) -> int:
    data = b"".join(group.astype("<f8").tobytes() + b"|" for group in groups)
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")

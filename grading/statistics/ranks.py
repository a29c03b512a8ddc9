"""Ranks as ranges: two models tie where the interval of their paired difference includes 0."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtri, stdtrit  # the normal and t quantiles; scipy.stats takes a second to import

from grading.statistics.confidence import CONFIDENCE
from grading.statistics.intervals import MIN_ROLLOUTS, Estimate, degrees_of_freedom

RESAMPLES = 2000
MOST_DRAWS = 32  # of a resample: more change nothing that can be seen, and cost time

Strata = Mapping[str, Sequence[float]]  # kernel -> the values of its rollouts


def difference(a: Strata, b: Strata) -> Estimate:
    """Mean over the kernels that both answered of (mean of a's rollouts - mean of b's), with a 95 % interval.

    A rescaled bootstrap within each kernel (Rao and Wu 1988): n_k - 1 of the n_k rollouts are drawn, whose variance is unbiased,
    where the plain bootstrap's is too small by (n - 1) / n; of many rollouts m = MOST_DRAWS, their deviations times
    sqrt(m / (n_k - 1)). Both models over the same kernels, widened from normal to t quantiles. Seeded by the data: the same data
    give the same interval, and swapping a and b changes its sign only.
    """
    kernels = sorted(name for name in a if len(a[name]) and len(b.get(name, ())))
    if not kernels:
        return Estimate()
    one, other = (_side(tuple(np.asarray(side[name], dtype=np.float64).tobytes() for name in kernels)) for side in (a, b))
    value = one.mean - other.mean
    sizes = np.concatenate([one.sizes, other.sizes])
    if sizes.min() < MIN_ROLLOUTS:
        return Estimate(value)
    variances = np.concatenate([one.variances, other.variances])
    if not variances.any():
        return Estimate(value, value, value)
    widen = stdtrit(degrees_of_freedom(variances, sizes), (1 + CONFIDENCE) / 2) / ndtri((1 + CONFIDENCE) / 2)
    low, high = np.quantile(one.spread - other.spread, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    half = float(widen * (high - low) / 2)  # symmetric, so that a - b and b - a agree
    return Estimate(value, value - half, value + half)


def surely_better(models: Sequence[Strata]) -> np.ndarray:
    """A matrix of booleans: whether model i (row) is surely better than model j (column).

    Where one of two has no interval (a single rollout), their values alone decide: equal ones tie.
    """
    arrays = [{name: np.asarray(values, dtype=np.float64) for name, values in model.items()} for model in models]
    better = np.zeros((len(models), len(models)), dtype=bool)
    for i, a in enumerate(arrays):
        for j in range(i):
            gap = difference(a, arrays[j])  # type: ignore[arg-type]  # an array is a sequence of floats, too
            if gap.value is None:
                continue
            low, high = (gap.value, gap.value) if gap.low is None or gap.high is None else (gap.low, gap.high)
            better[i, j], better[j, i] = low > 0, high < 0
    return better


def ranges_of(better: np.ndarray) -> list[tuple[int, int]]:
    """For each model the ranks it may have: 1 + the number that are surely better, to the number that are not surely worse."""
    count = len(better)
    return [(1 + int(better[:, i].sum()), count - int(better[i].sum())) for i in range(count)]


@dataclass(frozen=True)
class _Side:
    """One model over some kernels: the mean over kernels, the variance of each kernel's mean, how many values each has, and
    RESAMPLES deviations of resampled means over kernels from the true one."""

    mean: float
    variances: np.ndarray
    sizes: np.ndarray
    spread: np.ndarray


@lru_cache(maxsize=1024)  # a model is compared with every other one on the same kernels: 16 kB each
def _side(data: tuple[bytes, ...]) -> _Side:
    groups = [np.frombuffer(group, dtype=np.float64) for group in data]
    sizes = np.array([len(group) for group in groups])
    if sizes.min() < MIN_ROLLOUTS:
        nothing = np.zeros(len(groups))
        return _Side(_mean(groups), nothing, sizes, nothing)
    variances = np.array([group.var(ddof=1) / len(group) for group in groups])
    return _Side(_mean(groups), variances, sizes, _resampled(groups) if variances.any() else np.zeros(RESAMPLES))


def _mean(groups: Sequence[np.ndarray]) -> float:
    return float(np.mean([group.mean() for group in groups]))


def _resampled(groups: Sequence[np.ndarray]) -> np.ndarray:
    rng = np.random.default_rng(_seed(groups))
    total = np.zeros(RESAMPLES)
    for group in groups:
        draws = min(len(group) - 1, MOST_DRAWS)
        picks = rng.integers(len(group), size=(RESAMPLES, draws), dtype=np.uint8 if len(group) < 256 else np.int64)
        total += (group[picks].mean(axis=1) - group.mean()) * np.sqrt(draws / (len(group) - 1))
    result: np.ndarray = total / len(groups)
    return result


def _seed(groups: Sequence[np.ndarray]) -> int:
    data = b"".join(group.astype("<f8").tobytes() + b"|" for group in groups)
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")

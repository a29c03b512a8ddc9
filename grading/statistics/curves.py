"""fast_p and best of k."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np

from grading.statistics.intervals import Estimate, wilson

FAST_P_THRESHOLDS = (0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0, 11.3, 16.0, 22.6, 32.0)  # half octaves


def fast_p(speedups: Sequence[float | None], thresholds: Sequence[float] = FAST_P_THRESHOLDS) -> list[tuple[float, Estimate]]:
    """For each p the share of answers that pass with a speedup of at least p (KernelBench, Ouyang et al. 2025), with Wilson's
    interval. `speedups` has one entry per answer, None for one that did not pass."""
    return [(p, wilson(sum(s is not None and s >= p for s in speedups), len(speedups))) for p in thresholds]


def best_of(values: Sequence[float], k: int) -> float | None:
    """Expected best of k of the values drawn without replacement: unbiased for the best of k new ones, as pass@k is (Chen et al.
    2021). None where there are fewer than k values."""
    if k < 1:
        raise ValueError(f"best of {k}")
    if len(values) < k:
        return None
    return float(np.sort(values) @ _weights(len(values), k))


def best_values(values: Sequence[float], k: int) -> list[float]:
    """Jackknife pseudo-values of best_of, one a value: n b - (n - 1) b without this one.

    Their mean is best_of itself, a U-statistic, and their spread tells of its uncertainty as the values' own does of their mean's
    (Efron and Stein 1981). With k values only there is nothing to leave out: best_of alone. Empty below k.
    """
    n, whole = len(values), best_of(values, k)
    if whole is None:
        return []
    if n == k:
        return [whole]
    ascending = np.sort(values)
    weights = np.append(_weights(n - 1, k), 0.0)
    below = np.concatenate([[0.0], np.cumsum(ascending * weights)[:-1]])  # those before i keep their place
    moved = ascending * np.concatenate([[0.0], weights[:-1]])  # those after i move down by one
    above = np.concatenate([np.cumsum(moved[::-1])[::-1][1:], [0.0]])
    return [float(value) for value in n * whole - (n - 1) * (below + above)]


@lru_cache(maxsize=4096)
def _weights(n: int, k: int) -> np.ndarray:
    """The chance that the i-th of n ascending values is the best of k drawn: C(i, k - 1) / C(n, k), i from 0."""
    return np.array([comb(i, k - 1) / comb(n, k) for i in range(n)])

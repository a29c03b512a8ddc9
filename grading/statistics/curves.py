"""fast_p and best of k."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from grading.statistics.intervals import Estimate, wilson

FAST_P_THRESHOLDS = (0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0, 11.3, 16.0, 22.6, 32.0)  # half octaves


def fast_p(speedups: Sequence[float | None], thresholds: Sequence[float] = FAST_P_THRESHOLDS) -> list[tuple[float, Estimate]]:
    """For each p the share of answers that pass with a speedup of at least p (KernelBench, Ouyang et al. 2025), with Wilson's
    interval. `speedups` has one entry an answer, None for one that did not pass."""
    return [(p, wilson(sum(s is not None and s >= p for s in speedups), len(speedups))) for p in thresholds]


def best_of(values: Sequence[float], k: int) -> float | None:
    """Expected best of k of the values drawn without replacement: unbiased for the best of k new ones, as pass@k is (Chen et al.
    2021). None where there are fewer than k values."""
    n = len(values)
    if k < 1:
        raise ValueError(f"best of {k}")
    if n < k:
        return None
    ascending = sorted(values)
    return sum(value * comb(i, k - 1) for i, value in enumerate(ascending)) / comb(n, k)

"""Every figure that is published, and how far it could be off: pure functions on numbers, NumPy and SciPy only.

speedups: one grading. intervals: one model's answers on one architecture. curves: fast_p and best of k. ranks: models compared.
"""

from grading.statistics.curves import FAST_P_THRESHOLDS, best_of, fast_p
from grading.statistics.intervals import Estimate, clipped, exponential, ratio_of_sums, stratified_mean, wilson
from grading.statistics.ranks import difference, rank_ranges
from grading.statistics.speedups import Samples, Speedup, speedup_of

__all__ = [
    "FAST_P_THRESHOLDS",
    "Estimate",
    "Samples",
    "Speedup",
    "best_of",
    "clipped",
    "difference",
    "exponential",
    "fast_p",
    "rank_ranges",
    "ratio_of_sums",
    "speedup_of",
    "stratified_mean",
    "wilson",
]

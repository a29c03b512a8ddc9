"""Every figure that is published, and how far it could be off: pure functions on numbers, NumPy and SciPy only.

speedups: one grading. intervals: one model's answers on one architecture. curves: fast_p and best of k. ranks: models compared.
"""

from grading.statistics.curves import FAST_P_THRESHOLDS, best_of, best_values, fast_p
from grading.statistics.intervals import Estimate, clipped, exponential, ratio_of_sums, stratified_mean, wilson
from grading.statistics.ranks import difference, ranges_of, surely_better
from grading.statistics.speedups import Samples, Speedup, log_time_draws, speedup_of

__all__ = [
    "FAST_P_THRESHOLDS",
    "Estimate",
    "Samples",
    "Speedup",
    "best_of",
    "best_values",
    "clipped",
    "difference",
    "exponential",
    "fast_p",
    "log_time_draws",
    "ranges_of",
    "ratio_of_sums",
    "speedup_of",
    "stratified_mean",
    "surely_better",
    "wilson",
]

"""Every figure that is published, and how far it could be off: pure functions on numbers, NumPy and SciPy only.

speedups: one grading. first_calls: whether state makes its later calls cheap. resolution: whether its time can be told.
intervals: one model's answers on one architecture. curves: fast_p and best of k. ranks: models compared.
"""

from grading.statistics.curves import FAST_P_THRESHOLDS, best_of, best_values, fast_p
from grading.statistics.first_calls import FirstCalls, keeps_state, of_first_calls
from grading.statistics.intervals import Estimate, clipped, exponential, ratio_of_sums, stratified_mean, wilson
from grading.statistics.ranks import difference, ranges_of, surely_better
from grading.statistics.resolution import is_unresolved, with_cold_calls
from grading.statistics.speedups import Samples, Speedup, log_time_draws, speedup_of

__all__ = [
    "FAST_P_THRESHOLDS",
    "Estimate",
    "FirstCalls",
    "Samples",
    "Speedup",
    "best_of",
    "best_values",
    "clipped",
    "difference",
    "exponential",
    "fast_p",
    "is_unresolved",
    "keeps_state",
    "log_time_draws",
    "of_first_calls",
    "ranges_of",
    "ratio_of_sums",
    "speedup_of",
    "stratified_mean",
    "surely_better",
    "wilson",
    "with_cold_calls",
]

"""From medians to what is ranked: pure arithmetic.

Every score of an answer, stored or fresh, is computed by `kernel_score` from its verdict and speedup. SCORE_FORMULA and
SCORE_WORDS say for readers what `speedup_score` computes; pages and the report take them from here, and tests hold the documents
to them.
"""

from __future__ import annotations

from math import log, sqrt

from grading.result import Verdict

FULL_SCORE_SPEEDUP: float = 8  # whole, as figures write it
SCORE_FORMULA = f"0.5 + 0.5 · min(1, max(0, ln speedup / ln {FULL_SCORE_SPEEDUP:g}))"  # of a passed answer
SCORE_WORDS = (
    f"0.5 at the reference's speed or below, 1.0 at {FULL_SCORE_SPEEDUP:g} times its speed or above, logarithmic in between"
)
SCORE_SPEEDUPS = (1.0, sqrt(FULL_SCORE_SPEEDUP), FULL_SCORE_SPEEDUP)  # examples for readers


def kernel_score(verdict: Verdict | str, speedup: float | None, *, emulated: bool = False) -> float | None:
    """0 for every answer that did not pass, else `speedup_score` of a `counted_speedup`. None, which is no score at all, for our
    own faults and for emulated runs."""
    if verdict == Verdict.INTERNAL_ERROR or emulated:
        return None
    if verdict != Verdict.PASSED:
        return 0.0
    if speedup is None:
        raise ValueError("a passed answer has a speedup")
    return speedup_score(speedup)


def counted_speedup(speedup: float | None, speedup_low: float | None, *, unresolved: bool | None) -> float | None:
    """What ranks, scores and means are made of: the speedup, or its lower bound where the time is at the clock's limit."""
    return speedup_low if unresolved and speedup_low else speedup


def counted_throughput(throughput_m: float | None, speedup: float | None, counted: float | None) -> float | None:
    """Likewise of a throughput: as much less as `counted`, a counted_speedup, is than the speedup."""
    if throughput_m is None or not speedup or not counted or counted == speedup:
        return throughput_m
    return throughput_m * (counted / speedup)


def speedup_score(speedup: float) -> float:
    """0.5 at 1x or slower, 1.0 at 8x or faster; logarithmic between. `speedup` is positive."""
    return 0.5 + 0.5 * min(1.0, max(0.0, log(speedup) / log(FULL_SCORE_SPEEDUP)))


def throughput_m(units: float, sol_ms: float) -> float:
    """Millions of the kernel's units per second, for `units` done in `sol_ms` milliseconds."""
    return units / sol_ms / 1e3

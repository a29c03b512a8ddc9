"""From medians to what is ranked: pure arithmetic."""

from __future__ import annotations

from math import log

from grading.result import Verdict

FULL_SCORE_SPEEDUP = 8.0


def kernel_score(verdict: Verdict, speedup: float | None, *, emulated: bool = False) -> float | None:
    """0 for every answer that did not pass, else `speedup_score`. None, which is no score at all, for our own faults and for
    emulated runs."""
    if verdict is Verdict.INTERNAL_ERROR or emulated:
        return None
    if verdict is not Verdict.PASSED:
        return 0.0
    if speedup is None:
        raise ValueError("a passed answer has a speedup")
    return speedup_score(speedup)


def speedup_score(speedup: float) -> float:
    """0.5 at 1x or slower, 1.0 at 8x or faster; logarithmic between. `speedup` is positive."""
    return 0.5 + 0.5 * min(1.0, max(0.0, log(speedup) / log(FULL_SCORE_SPEEDUP)))


def throughput_m(units: float, sol_ms: float) -> float:
    """Millions of the kernel's units per second, for `units` done in `sol_ms` milliseconds."""
    return units / sol_ms / 1e3

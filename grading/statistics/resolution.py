"""Times near the clock's limit: what is said of them, and by what they are ranked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grading.statistics.first_calls import FirstCalls
from grading.statistics.speedups import Speedup

SHORT_MS = 0.1  # of a call: below that, cold caches and the clock weigh as much as the answer
WIDEST = 1.5  # of such a call's interval, high / low


def with_cold_calls(speedup: Speedup, first: FirstCalls | None) -> Speedup:
    """A short call's interval goes down to the speed of its first calls: there, state of a few microseconds and cold code cannot
    be told apart. Longer calls are as they are."""
    if first is None or not first.answer_ns or speedup.sol_ms >= SHORT_MS:
        return speedup
    cold_ms = float(np.median(first.own_ns)) / 1e6
    return replace(speedup, low=min(speedup.low, speedup.ref_ms / max(cold_ms, 1e-6)))


def is_unresolved(speedup: Speedup, empty_spread_ns: float) -> bool:
    """Whether the time is below the spread of an empty call, or a short call's interval spans more than WIDEST."""
    if speedup.sol_ms * 1e6 < empty_spread_ns:
        return True
    return speedup.sol_ms < SHORT_MS and speedup.high > WIDEST * speedup.low

"""Calls that have nothing from earlier ones: whether state makes an answer's later calls cheap.

Theory of operation. Some calls are the first of their process. An answer that keeps state between calls has none in them, and
pays in full: tables, surveys and lists of results are built before or within them. So where first calls take longer than the
median of many calls, and the machine does not explain it, the first calls are the answer's time. The machine explains: what the
reference's own first calls take more, in proportion; the faults of pages that an answer touches for the first time, counted, at
the machine's own cost of one; and ALLOWED, since code and page tables are cold. An answer can make its first calls slower at
will, but not faster, so the bound is taken on their median, and the spread of its later calls plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from grading.statistics.speedups import Samples

FEWEST = 3  # below that nothing is said
ALLOWED = 0.10  # of the time of one of many calls
ALLOWED_NS = 25_000.0  # cold code, cold caches: 15 us were seen for code of 3 kB
REFERENCE_EXCESS_MOST = 1.25  # its first calls against its later ones: more is noise, and would excuse an answer
START_NS = 50_000.0  # by which the starts of processes differ anyway
DOUBT = 0.05  # chance that the bound lies above the true median


@dataclass(frozen=True, kw_only=True)
class FirstCalls:
    """answer_ns, start_ns, faults: of each process of the answer, the CPU time of its first call (the empty call's first one
    subtracted), of its start before it (the empty process's subtracted), and the faults of that call which later ones do not
    have. reference_ns: the reference's first calls. fault_ns: what one fault costs on this machine."""

    answer_ns: tuple[float, ...]
    start_ns: tuple[float, ...]
    faults: tuple[float, ...]
    reference_ns: tuple[float, ...]
    fault_ns: float

    def __post_init__(self) -> None:
        if not len(self.answer_ns) == len(self.start_ns) == len(self.faults):
            raise ValueError("first calls have a time, a start and faults each")

    @property
    def own_ns(self) -> tuple[float, ...]:
        """What each first call took of its own: with the work that was done before it, without the counted faults."""
        if not self.answer_ns:
            return ()
        early = max(0.0, float(np.median(self.start_ns)) - START_NS)
        times = zip(self.answer_ns, self.faults, strict=True)
        return tuple(max(1.0, ns + early - faults * self.fault_ns) for ns, faults in times)


def keeps_state(samples: Samples, first: FirstCalls) -> bool | None:
    """Whether first calls take longer than what the machine explains; None where there are too few of them."""
    if len(first.answer_ns) < FEWEST:
        return None
    later_ns = float(np.median(samples.answer_ns))
    return lower_bound(first.own_ns) > float(later_ns * _reference_excess(samples, first) * (1 + ALLOWED) + ALLOWED_NS)


def of_first_calls(samples: Samples, first: FirstCalls) -> Samples:
    """The first calls as the rounds that count, each a process of its own, with the reference's rounds beside them in turn."""
    own = first.own_ns
    reference = tuple(samples.reference_ns[i % len(samples.reference_ns)] for i in range(len(own)))
    return Samples(answer_ns=own, reference_ns=reference, process=tuple(range(len(own))))


def lower_bound(values: tuple[float, ...]) -> float:
    """A bound below the median, by order statistics (David and Nagaraja 2003, 7.1): no assumption on how the values are
    distributed. Of fewer than five values the least, which is below the median with a chance of 1 - 2^-n."""
    return sorted(values)[_rank(len(values))]


@lru_cache(maxsize=256)
def _rank(n: int) -> int:
    """The largest index i with P(at most i of n values lie below the median) <= DOUBT; 0 at least."""
    rank, below = 0, 1 / 2**n
    while below + comb(n, rank + 1) / 2**n <= DOUBT:
        rank += 1
        below += comb(n, rank) / 2**n
    return rank


def _reference_excess(samples: Samples, first: FirstCalls) -> float:
    if not first.reference_ns:
        return 1.0
    ratio = float(np.median(first.reference_ns)) / max(1.0, float(np.median(samples.reference_ns)))
    return min(REFERENCE_EXCESS_MOST, max(1.0, ratio))

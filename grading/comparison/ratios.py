"""arm64 / amd64 of throughput and of memory over a set of subjects, paired by subject: the only place where they are computed.
agreement.py beside it says where subjects pass.

The site, its report and `arch_compare` call `ratios`, so that the same answers give the same numbers. A subject counts when it
passed on both architectures and neither was emulated; for one of the two measures only when it was measured on both.

Answers: a mean over kernels' and models' answers with the interval of another set of rollouts (grading.statistics). Baselines are
one source each, so that only the measurement can vary: their interval comes from the rounds of the two gradings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from grading.architectures import ARCHS
from grading.result import PAGE_MB, Verdict
from grading.scoring import counted_speedup, counted_throughput
from grading.statistics import Estimate, exponential, log_time_draws, ratio_of_sums
from grading.statistics.confidence import CONFIDENCE


class Side(NamedTuple):
    """What is compared of one grading.

    throughput_m: what counts, where a time is unresolved. samples: the record's, of baselines only; without them a baseline has
    no interval.
    """

    verdict: str
    emulated: bool
    throughput_m: float | None
    extra_mb: float | None
    samples: Mapping[str, Any] | None = None

    @property
    def passed(self) -> bool:
        return self.verdict == Verdict.PASSED


Pair = Mapping[str, Side]  # one subject: architecture -> its current grading there, if there is one
Value = Callable[[Side], float | None]


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """amd64, arm64: geometric means over the `pairs` subjects that count."""

    amd64: float | None
    arm64: float | None
    ratio: Estimate
    pairs: int


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """throughput: millions of the kernel's units per second. memory: extra memory in MiB, one page at least."""

    throughput: Ratio
    memory: Ratio


def side_of(record: Mapping[str, Any]) -> Side:
    """What ratios need of a record as `GradingResult.to_dict` returns it."""
    counted = counted_speedup(record.get("speedup"), record.get("speedup_low"), unresolved=record.get("unresolved"))
    throughput_m = counted_throughput(record["throughput_m"], record.get("speedup"), counted)
    return Side(record["verdict"], record["emulated"], throughput_m, record["extra_mb"], record.get("samples"))


def ratios(strata: Sequence[Sequence[Pair]], *, baselines: bool) -> Ratios:
    """strata: one list of subjects per model and kernel, including the subjects that do not count.

    An interval of answers needs two that count in some stratum, and two subjects in each.
    """
    estimate = _of_baselines if baselines else _of_answers
    return Ratios(throughput=estimate(strata, throughput), memory=estimate(strata, memory))


def throughput(side: Side) -> float | None:
    return (side.throughput_m or None) if side.passed and not side.emulated else None


def memory(side: Side) -> float | None:
    """Some kernels (gVisor) do not tell what an answer's memory is."""
    return max(side.extra_mb, PAGE_MB) if side.passed and not side.emulated and side.extra_mb is not None else None


def geometric_mean(values: Sequence[float | None]) -> float | None:
    """Over the values that are known and not 0; None if there is none."""
    known = [value for value in values if value]
    return math.exp(math.fsum(map(math.log, known)) / len(known)) if known else None


def _of_answers(strata: Sequence[Sequence[Pair]], value: Value) -> Ratio:
    logs = [[_log_ratio(pair, value) for pair in stratum] for stratum in strata]
    estimate = exponential(ratio_of_sums([[(log or 0.0, float(log is not None)) for log in own] for own in logs]))
    if not any(sum(log is not None for log in own) > 1 for own in logs):
        estimate = Estimate(estimate.value)
    return _ratio([pair for stratum in strata for pair in stratum], value, estimate)


def _of_baselines(strata: Sequence[Sequence[Pair]], value: Value) -> Ratio:
    """The kernels are fixed. Memory has no rounds, hence no interval."""
    pairs = [pair for stratum in strata for pair in stratum]
    known = [(pair, log) for pair in pairs if (log := _log_ratio(pair, value)) is not None]
    if not known:
        return _ratio(pairs, value, Estimate())
    mean = math.fsum(log for _, log in known) / len(known)
    draws = [_draws(pair) for pair, _ in known] if value is throughput else []
    if not draws or any(draw is None for draw in draws):
        return _ratio(pairs, value, Estimate(math.exp(mean)))
    spread = np.mean([draw for draw in draws if draw is not None], axis=0)
    low, high = np.quantile(spread, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return _ratio(pairs, value, Estimate(math.exp(mean), math.exp(min(low, mean)), math.exp(max(high, mean))))


def _ratio(pairs: Sequence[Pair], value: Value, estimate: Estimate) -> Ratio:
    both = [pair for pair in pairs if _log_ratio(pair, value) is not None]
    amd64, arm64 = (geometric_mean([value(pair[arch]) for pair in both]) for arch in ARCHS)
    return Ratio(amd64=amd64, arm64=arm64, ratio=estimate, pairs=len(both))


def _log_ratio(pair: Pair, value: Value) -> float | None:
    """None if the subject does not count."""
    if not all(arch in pair and pair[arch].passed and not pair[arch].emulated for arch in ARCHS):
        return None
    amd64, arm64 = (value(pair[arch]) for arch in ARCHS)
    return None if amd64 is None or arm64 is None else math.log(arm64 / amd64)


def _draws(pair: Pair) -> np.ndarray | None:
    """ln (arm64 / amd64) of throughput in resamples of both gradings' rounds: time on amd64 over time on arm64."""
    amd64, arm64 = (_time_draws(pair[arch].samples) for arch in ARCHS)
    return None if amd64 is None or arm64 is None else amd64 - arm64


def _time_draws(samples: Mapping[str, Any] | None) -> np.ndarray | None:
    times = (samples or {}).get("answer_ns")
    if not samples or not times:
        return None
    return _kept_draws(tuple(times), tuple(samples.get("process") or [0] * len(times)))


@lru_cache(maxsize=128)  # both baselines of every kernel, each asked for twice: by itself and over all kernels
def _kept_draws(times_ns: tuple[float, ...], process: tuple[int, ...]) -> np.ndarray:
    return log_time_draws(times_ns, process)

"""arm64 / amd64 of throughput and of memory over a set of subjects, paired by subject.

Answers: a mean over kernels' and models' answers with the interval of another set of rollouts (grading.statistics). Baselines are
one source each, so that only the measurement can vary: their interval comes from the rounds of the two gradings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grading.architectures import ARCHS
from grading.result import PAGE_MB
from grading.statistics import Estimate, exponential, log_time_draws, ratio_of_sums
from grading.statistics.intervals import CONFIDENCE

Record = Mapping[str, Any]
Pair = Mapping[str, Record]  # one subject: architecture -> its record


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """amd64, arm64: geometric means over the `pairs` subjects measured on both; where there is none, over those of each one."""

    amd64: float | None
    arm64: float | None
    ratio: Estimate
    pairs: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "amd64": self.amd64,
            "arm64": self.arm64,
            "ratio": self.ratio.value,
            "ratio_low": self.ratio.low,
            "ratio_high": self.ratio.high,
            "pairs": self.pairs,
        }


def throughput(record: Record | None) -> float | None:
    """Millions of units per second; of what passed and was timed."""
    return record["throughput_m"] if record and record["passed"] and record["throughput_m"] else None


def memory(record: Record | None) -> float | None:
    """MiB, one page at least; of what was right, over the limit or not."""
    return max(record["extra_mb"], PAGE_MB) if record and record["correct"] and record["extra_mb"] is not None else None


def of_answers(strata: Sequence[Sequence[Pair]], value: Callable[[Record | None], float | None]) -> Ratio:
    """strata: the answers of one model to one kernel each. An interval needs two measured pairs in some stratum."""
    logs = [[_log_ratio(pair, value) for pair in stratum] for stratum in strata]
    estimate = exponential(ratio_of_sums([[(log or 0.0, float(log is not None)) for log in own] for own in logs]))
    if not any(sum(log is not None for log in own) > 1 for own in logs):
        estimate = Estimate(estimate.value)
    return _ratio([pair for stratum in strata for pair in stratum], value, estimate)


def of_baselines(pairs: Sequence[Pair], value: Callable[[Record | None], float | None]) -> Ratio:
    """One source per kernel; the kernels are fixed."""
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


def _ratio(pairs: Sequence[Pair], value: Callable[[Record | None], float | None], estimate: Estimate) -> Ratio:
    both = [pair for pair in pairs if _log_ratio(pair, value) is not None]
    means = [geometric_mean([value(pair.get(arch)) for pair in both or pairs]) for arch in ARCHS]
    return Ratio(amd64=means[0], arm64=means[1], ratio=estimate, pairs=len(both))


def geometric_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value]
    return math.exp(math.fsum(map(math.log, known)) / len(known)) if known else None


def _log_ratio(pair: Pair, value: Callable[[Record | None], float | None]) -> float | None:
    amd64, arm64 = (value(pair.get(arch)) for arch in ARCHS)
    return None if amd64 is None or arm64 is None else math.log(arm64 / amd64)


def _draws(pair: Pair) -> np.ndarray | None:
    """ln (arm64 / amd64) of throughput in resamples of both gradings' rounds: time on amd64 over time on arm64."""
    samples = [pair[arch].get("samples") for arch in ARCHS]
    if not all(samples):
        return None
    amd64, arm64 = (log_time_draws(own["answer_ns"], own.get("process") or [0] * len(own["answer_ns"])) for own in samples if own)
    result: np.ndarray = amd64 - arm64
    return result

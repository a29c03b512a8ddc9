"""Medians and their uncertainty, from the samples of one grading."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grading.statistics.confidence import CONFIDENCE

RESAMPLES = 4000
FLOOR_NS = 1.0  # shorter than any call can be: the empty call's time is subtracted, and a time of 0 would make speedups infinite


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Times of the counted rounds; the three sequences are of one length and go together by index.

    answer_ns, reference_ns: CPU time of one call in ns, the empty call's subtracted. process: which set of processes the round
    was measured in.
    """

    answer_ns: tuple[float, ...]
    reference_ns: tuple[float, ...]
    process: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.answer_ns) == len(self.reference_ns) == len(self.process) > 0:
            raise ValueError("samples come in rounds: one answer, reference and process each")


@dataclass(frozen=True, kw_only=True)
class Speedup:
    """ratio = ref_ms / sol_ms; low and high bound its 95 % interval."""

    ratio: float
    low: float
    high: float
    sol_ms: float
    ref_ms: float


def speedup_of(samples: Samples) -> Speedup:
    """The ratio of the medians, and how far it could be off."""
    answer = np.maximum(np.asarray(samples.answer_ns, dtype=np.float64), FLOOR_NS)
    reference = np.maximum(np.asarray(samples.reference_ns, dtype=np.float64), FLOOR_NS)
    sol_ns, ref_ns = float(np.median(answer)), float(np.median(reference))
    ratio = ref_ns / sol_ns
    low, high = _bootstrap(answer, reference, samples.process)
    return Speedup(ratio=ratio, low=min(low, ratio), high=max(high, ratio), sol_ms=sol_ns / 1e6, ref_ms=ref_ns / 1e6)


def log_time_draws(times_ns: Sequence[float], process: Sequence[int]) -> np.ndarray:
    """ln of the median time in RESAMPLES resamples of one grading's rounds, drawn as for a speedup.

    It says how far another grading of the same code on the same machine could be off; of two gradings the differences are the
    distribution of their ratio.
    """
    times = np.maximum(np.asarray(times_ns, dtype=np.float64), FLOOR_NS)
    rounds, counted = _draws(process, np.random.default_rng(_seed(times, times, process)))
    result: np.ndarray = np.log(_median(times[rounds], counted))
    return result


def _bootstrap(answer: np.ndarray, reference: np.ndarray, process: Sequence[int]) -> tuple[float, float]:
    """95 % percentile bootstrap in two stages: sets of processes, then the rounds within each, answer and reference of a round
    together.

    Memory layout differs from process to process and stays for its life, so that rounds of one set are not independent: the
    interval from rounds alone held the true speedup in only 6 to 11 of 20 gradings of memory-bound kernels.
    """
    rounds, counted = _draws(process, np.random.default_rng(_seed(answer, reference, process)))
    ratios = _median(reference[rounds], counted) / _median(answer[rounds], counted)
    low, high = np.quantile(ratios, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _draws(process: Sequence[int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(rounds drawn, which of them count), each (resamples, sets, rounds): sets of processes, then rounds within them."""
    groups = [np.flatnonzero(np.asarray(process) == label) for label in sorted(set(process))]
    sizes = np.array([len(group) for group in groups])
    members = np.zeros((len(groups), sizes.max()), dtype=np.intp)  # padded; the padding is never drawn
    for row, group in enumerate(groups):
        members[row, : len(group)] = group
    sets = rng.integers(len(groups), size=(RESAMPLES, len(groups)))
    drawn = sizes[sets][:, :, None]
    picks = (rng.random((RESAMPLES, len(groups), sizes.max())) * drawn).astype(np.intp)
    rounds = members[sets[:, :, None], picks]
    return rounds, np.arange(sizes.max()) < drawn  # a short set contributes as many rounds as it has


def _median(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """The median of each resample over the values that count. values, counted: (resamples, sets, rounds)."""
    flat = np.where(counted, values, np.inf).reshape(len(values), -1)
    flat.sort(axis=1)
    count = counted.reshape(len(values), -1).sum(axis=1)
    rows = np.arange(len(flat))
    result: np.ndarray = (flat[rows, (count - 1) // 2] + flat[rows, count // 2]) / 2
    return result


def _seed(answer: np.ndarray, reference: np.ndarray, process: Sequence[int]) -> int:
    """A seed made of the samples, so that the same samples give the same interval on every machine."""
    data = answer.astype("<f8").tobytes() + reference.astype("<f8").tobytes() + np.asarray(process, dtype="<i8").tobytes()
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")

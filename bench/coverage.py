"""How often the 95 % intervals hold the truth, on simulated models: `make bench-coverage`.

As many kernels as the catalog has; 2, 3, 5 and 10 rollouts each; pass rates, speeds and spreads that differ by kernel; log
speedups with the heavy tails of a t distribution of 3 degrees of freedom. Every row is the coverage over many simulated models,
and the worst of them. Exit status 1 when a mean leaves 92 to 98 % (the pass rate: falls below 92 %).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from grading.scoring import speedup_score
from grading.statistics import Estimate, best_values, clipped, difference, ratio_of_sums, stratified_mean, wilson
from kernels.catalog import load_catalog

KERNELS, MODELS, REPEATS = len(load_catalog()), 12, 300
ROLLOUTS = (2, 3, 5, 10)
BEST_OF = (2, 3, 5)


@dataclass(frozen=True)
class Model:
    """What a model does on each kernel: pass rate, mean and spread of the log speedup. Arrays of KERNELS."""

    rate: np.ndarray
    level: np.ndarray
    spread: np.ndarray

    @classmethod
    def random(cls, rng: np.random.Generator) -> Model:
        return cls(rng.beta(3, 1, KERNELS), rng.normal(1.2, 0.9, KERNELS), rng.gamma(2, 0.25, KERNELS))

    def answer(self, rng: np.random.Generator, rollouts: int) -> tuple[np.ndarray, np.ndarray]:
        """(passed, log speedup), each of shape (KERNELS, rollouts)."""
        shape = (KERNELS, rollouts)
        logs = self.level[:, None] + self.spread[:, None] * rng.standard_t(3, shape)
        return rng.random(shape) < self.rate[:, None], logs


def score(passed: np.ndarray, logs: np.ndarray) -> np.ndarray:
    return np.where(passed, np.vectorize(speedup_score, otypes=[float])(np.exp(logs)), 0.0)


def figures(passed: np.ndarray, logs: np.ndarray) -> dict[str, Estimate]:
    """What the site publishes of these answers."""
    pairs = [list(zip(np.where(p, y, 0), p.astype(float), strict=True)) for p, y in zip(passed, logs, strict=True)]
    return {
        "score": stratified_mean(list(score(passed, logs))),
        "pass rate (Wilson)": wilson(int(passed.sum()), passed.size),
        "log speedup, passed": ratio_of_sums(pairs),
        "log speedup, failures as 1x": stratified_mean(list(np.where(passed, logs, 0))),
        **{f"best of {k}, score": best(score(passed, logs), k) for k in BEST_OF if k < passed.shape[1]},
    }


def best(scores: np.ndarray, k: int) -> Estimate:
    return clipped(stratified_mean([best_values(list(of_kernel), k) for of_kernel in scores]), 0.0, 1.0)


def truth(passed: np.ndarray, logs: np.ndarray) -> dict[str, float]:
    """The true figures: those of so many answers that they are exact."""
    return {
        "score": float(score(passed, logs).mean()),
        "pass rate (Wilson)": float(passed.mean()),
        "log speedup, passed": float(logs[passed].sum() / passed.sum()),
        "log speedup, failures as 1x": float(np.where(passed, logs, 0).mean()),
        **{f"best of {k}, score": best_of_so_many(score(passed, logs), k) for k in BEST_OF},
    }


def best_of_so_many(scores: np.ndarray, k: int) -> float:
    """Mean over kernels of the best of k answers, which are taken in turn."""
    return float(scores[:, : scores.shape[1] // k * k].reshape(len(scores), -1, k).max(axis=2).mean())


def holds(estimate: Estimate, true: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= true <= estimate.high


def main() -> int:
    rng = np.random.default_rng(20261129)
    failed = False
    print(f"{'figure':32s} {'rollouts':>8s} {'coverage':>8s} {'worst':>7s}")
    for rollouts in ROLLOUTS:
        covered: dict[str, list[float]] = defaultdict(list)
        for _ in range(MODELS):
            one, other = Model.random(rng), Model.random(rng)
            true = truth(*one.answer(rng, 100_000))
            gap = true["score"] - truth(*other.answer(rng, 100_000))["score"]
            hits: dict[str, int] = defaultdict(int)
            for _ in range(REPEATS):
                answers = one.answer(rng, rollouts)
                for name, estimate in figures(*answers).items():
                    hits[name] += holds(estimate, true[name])
                both = [dict(enumerate(map(list, score(*a)))) for a in (answers, other.answer(rng, rollouts))]
                named = [{str(k): v for k, v in side.items()} for side in both]
                hits["difference of scores"] += holds(difference(named[0], named[1]), gap)
            for name, count in hits.items():
                covered[name].append(count / REPEATS)
        for name, shares in covered.items():
            mean = float(np.mean(shares))
            bad = mean < 0.92 or (mean > 0.98 and "Wilson" not in name)
            failed |= bad
            print(f"{name:32s} {rollouts:8d} {mean:8.1%} {min(shares):7.1%}{'  outside 92 to 98 %' if bad else ''}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""Worked examples of the methodology page: every formula on small data, computed by the code that makes the site's numbers.

A test computes each result again from the data, by other means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading import scoring
from grading.statistics import Estimate, difference, fast_p, wilson
from leaderboard.board.aggregates import Cell, Measures, Summary, summarise
from leaderboard.lib import formatting

ROUNDS_MS = {"reference": (14.2, 14.0, 14.1, 14.0, 14.3), "answer": (1.75, 1.76, 1.74, 1.9, 1.75)}
ANSWERS: dict[str, tuple[float | None, ...]] = {
    "sort_u32": (2.0, 4.0, None),
    "dot_f32": (8.0, 8.0, 16.0),
}  # kernel -> speedups of a model's answers, None: failed
EXTRAS_MB: dict[str, tuple[float | None, ...]] = {"sort_u32": (2.0, 0.5, None), "dot_f32": (0.25, 0.25, 1.0)}  # the same answers'
MEASURES = {"sort_u32": Measures(limit_mb=20, reference_mb=0.5), "dot_f32": Measures(limit_mb=4, reference_mb=0.25)}
RIVAL: dict[str, tuple[float | None, ...]] = {"sort_u32": (1.2, 1.1, 1.3), "dot_f32": (3.0, 3.2, 2.9)}  # another model's


@dataclass(frozen=True, kw_only=True)
class Example:
    """A formula in words, on data, with what comes out."""

    key: str
    name: str
    formula: str
    data: str
    result: str
    source: str


@dataclass
class _Cell:
    """The sums that a Standing would hold."""

    answers: int
    passed: int
    verdicts: dict[str, int]
    per_answer: dict[str, list[float]]


def score_of(speedup: float | None) -> float:
    return 0.0 if speedup is None else scoring.speedup_score(speedup)


def scores(answers: Mapping[str, Sequence[float | None]]) -> dict[str, list[float]]:
    return {kernel: [score_of(speedup) for speedup in speedups] for kernel, speedups in answers.items()}


def summary() -> Summary:
    cells: list[tuple[Cell, Measures]] = []
    for kernel, speedups in ANSWERS.items():
        passed = [speedup for speedup in speedups if speedup is not None]
        per_answer = {
            "scores": [score_of(s) for s in speedups],
            "log_speedups": [math.log(s) for s in passed],
            "log_extras": [math.log(extra) for extra in EXTRAS_MB[kernel] if extra is not None],
        }
        cells.append((_Cell(len(speedups), len(passed), {}, per_answer), MEASURES[kernel]))
    return summarise(cells)


def examples() -> list[Example]:
    """The examples in the order of the page."""
    own = summary()
    every = [speedup for speedups in ANSWERS.values() for speedup in speedups]
    fast = dict(fast_p(every, (2.0, 8.0)))
    gap = difference(scores(ANSWERS), scores(RIVAL))
    return [
        Example(
            key="speedup",
            name="Speedup of an answer",
            formula="median time of the reference / median time of the answer",
            data=f"reference {_list(ROUNDS_MS['reference'])} ms; answer {_list(ROUNDS_MS['answer'])} ms",
            result="14.1 / 1.75 = 8.06×",
            source="medians, as they bear single slow rounds",
        ),
        Example(
            key="score",
            name="Score of an answer",
            formula=f"{scoring.SCORE_FORMULA}, 0 for a failed one",
            data="speedups 1, 2, 4, 16 and a failed answer",
            result=", ".join(f"{score_of(s):.3f}" for s in (1.0, 2.0, 4.0, 16.0, None)),
            source=scoring.SCORE_WORDS,
        ),
        Example(
            key="pass_rate",
            name="Pass rate",
            formula="passed / answers, Wilson’s score interval",
            data=f"{own.passed} of {own.answers} answers",
            result=_estimate(wilson(own.passed, own.answers), 3),
            source="Wilson 1927; Brown, Cai and DasGupta 2001",
        ),
        Example(
            key="mean_score",
            name="Score of a model",
            formula="mean over kernels of the mean over answers; t interval with the kernels as strata, cut to 0 … 1",
            data=_answers(scores(ANSWERS)),
            result=_estimate(own.score, 3),
            source="stratified sampling: Cochran 1977, ch. 5; degrees of freedom: Satterthwaite 1946",
        ),
        Example(
            key="geomean",
            name="Speedup of a model",
            formula="exp(Σ ln speedup / passed answers); interval by linearisation",
            data=_answers(ANSWERS),
            result=_estimate(own.speedup, 2, "×"),
            source="Fleming and Wallace 1986; Cochran 1977, 6.4",
        ),
        Example(
            key="failures",
            name="The same, failures as 1×",
            formula="exp(mean over kernels of the mean of ln speedup over all answers, 0 for a failed one)",
            data=_answers(ANSWERS),
            result=_estimate(own.speedup_all, 2, "×"),
            source="as above",
        ),
        Example(
            key="fast",
            name="fast_p",
            formula="answers that pass with a speedup of at least p / all answers",
            data=_answers(ANSWERS),
            result="; ".join(f"p = {p:g}: {_estimate(estimate, 3)}" for p, estimate in fast.items()),
            source="KernelBench: Ouyang et al. 2025",
        ),
        Example(
            key="best",
            name="Best of k",
            formula="mean over kernels of Σ score · C(i, k − 1) / C(n, k), scores ascending, i = 0 … n − 1; "
            "interval by jackknife, cut to 0 … 1",
            data=f"k = 2; {_answers(scores(ANSWERS))}",
            result=_estimate(own.best_at(2), 3),
            source="unbiased, as pass@k: Chen et al. 2021; jackknife: Efron and Stein 1981",
        ),
        Example(
            key="share",
            name="Memory as a share of the limit",
            formula="exp(mean of ln (extra memory / the kernel’s limit)), over passed answers",
            data=_memory("limits", {kernel: of.limit_mb for kernel, of in MEASURES.items()}),
            result=_estimate(own.share, 3),
            source="as the speedup; a page of 4 KiB at least, so that 0 does not take the mean with it",
        ),
        Example(
            key="reference",
            name="Memory against the reference’s",
            formula="exp(mean of ln (extra memory / the reference’s)), over passed answers",
            data=_memory("reference", {kernel: of.reference_mb for kernel, of in MEASURES.items()}),
            result=_estimate(own.share_of_reference, 2, "×"),
            source="likewise; the reference’s is what the naive baseline needed on the same architecture",
        ),
        Example(
            key="difference",
            name="Difference of two models",
            formula="mean over the kernels both answered of the difference of their means; a bootstrap of n − 1 of n answers",
            data=f"{_answers(scores(ANSWERS))}; the other {_answers(scores(RIVAL))}",
            result=f"{_estimate(gap, 3)}: {'one is surely better' if gap.low and gap.low > 0 else 'they tie'}",
            source="Rao and Wu 1988",
        ),
    ]


def _estimate(estimate: Estimate, digits: int, unit: str = "") -> str:
    text = f"{estimate.value:.{digits}f}{unit}"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text}, 95 % interval {estimate.low:.{digits}f} to {estimate.high:.{digits}f}"


def _memory(name: str, against: Mapping[str, float | None]) -> str:
    return f"MiB: {_answers(EXTRAS_MB)}; {name}: {', '.join(f'{kernel} {value:g}' for kernel, value in against.items())}"


def _answers(answers: Any) -> str:
    parts = (f"{kernel} {_list(['failed' if v is None else v for v in values], 3)}" for kernel, values in answers.items())
    return "; ".join(parts)


def _list(values: Any, digits: int | None = None) -> str:
    texts = [v if isinstance(v, str) else formatting.three_digits(v) if digits is None else f"{v:.{digits}g}" for v in values]
    return ", ".join(texts)

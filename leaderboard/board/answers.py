"""Single answers as charts and tables read them: a few columns of Result, without samples, logs and sources."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Case, Value, When

from grading.scoring import counted_speedup
from leaderboard.board import verdicts
from leaderboard.board.marks import CONDITIONS, DOUBTFUL, UNRESOLVED
from leaderboard.models.querysets import ResultQuerySet

FIELDS = (
    "submission__uid",
    "submission__rollout",
    "kernel__name",
    "model__slug",
    "model__name",
    "model__display_name",
    "model__kind",
    "arch",
    "verdict",
    "kernel_score",
    "speedup",
    "speedup_low",
    "speedup_high",
    "sol_ms",
    "ref_ms",
    "throughput_m",
    "extra_mb",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer's current result on one architecture. The first fields are FIELDS, in their order."""

    uid: str
    rollout: int
    kernel: str
    slug: str
    model_name: str
    display_name: str
    kind: str
    arch: str
    verdict: str
    kernel_score: float | None
    speedup: float | None
    low: float | None
    high: float | None
    sol_ms: float | None
    ref_ms: float | None
    throughput_m: float | None
    extra_mb: float | None
    doubts: tuple[str, ...]  # its marks, of those that count

    @property
    def counted(self) -> float | None:
        """What it is ranked by."""
        return counted_speedup(self.speedup, self.low, unresolved=UNRESOLVED in self.doubts)

    @property
    def model(self) -> str:
        return self.display_name or self.model_name

    @property
    def passed(self) -> bool:
        return self.verdict == verdicts.PASSED

    @property
    def is_baseline(self) -> bool:
        return self.kind == "baseline"


@dataclass(frozen=True, kw_only=True)
class Group:
    """The answers of one model to one kernel on one architecture."""

    answers: tuple[Answer, ...]

    @property
    def model(self) -> str:
        return self.answers[0].model

    @property
    def is_baseline(self) -> bool:
        return self.answers[0].is_baseline

    @property
    def passed(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if answer.passed)

    @property
    def speedups(self) -> list[float]:
        """What they are ranked by, ascending."""
        return sorted(answer.counted for answer in self.passed if answer.counted is not None)

    @property
    def best(self) -> float | None:
        return max(self.speedups, default=None)

    @property
    def median(self) -> float | None:
        """The middle answer's speedup; of an even number the geometric mean of the middle two."""
        logs = [math.log(speedup) for speedup in self.speedups]
        return math.exp(statistics.median(logs)) if logs else None

    @property
    def score(self) -> float | None:
        """Mean over all answers, failed ones included."""
        known = [answer.kernel_score for answer in self.answers if answer.kernel_score is not None]
        return statistics.fmean(known) if known else None

    @property
    def heat(self) -> int:
        """The score in tenths, for the heat map's shade."""
        return round(10 * (self.score or 0.0))

    @property
    def extra_mb(self) -> float | None:
        known = [answer.extra_mb for answer in self.passed if answer.extra_mb is not None]
        return statistics.median(known) if known else None

    @property
    def verdicts(self) -> dict[str, int]:
        counts: dict[str, int] = defaultdict(int)
        for answer in self.answers:
            counts[answer.verdict] += 1
        return dict(counts)

    @property
    def failures(self) -> str:
        """The failures in words: "1 no_answer, 7 wrong_answer"."""
        return verdicts.describe(self.verdicts)


def load_answers(results: ResultQuerySet) -> list[Answer]:
    """The answers of these results, by model, rollout and architecture."""
    marked = {
        f"marked_{word}": Case(When(CONDITIONS[word], then=Value(True)), default=Value(False), output_field=BooleanField())
        for word in DOUBTFUL
    }
    ordered = results.order_by("model__name", "submission__rollout", "submission_id", "arch")
    rows: Iterable[tuple[Any, ...]] = ordered.annotate(**marked).values_list(*FIELDS, *marked)
    return [Answer(*_with_doubts(row)) for row in rows]


def _with_doubts(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of an Answer: its fields, and the names of those marks that hold."""
    n = len(FIELDS)
    return *row[:n], tuple(word for word, holds in zip(DOUBTFUL, row[n:], strict=True) if holds)


def group_by_model(answers: Iterable[Answer]) -> dict[tuple[str, str], Group]:
    """{(model's slug, architecture): its answers}"""
    found: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        found[answer.slug, answer.arch].append(answer)
    return {key: Group(answers=tuple(group)) for key, group in found.items()}


def group_by_kernel(answers: Iterable[Answer]) -> dict[tuple[str, str], Group]:
    """{(kernel's name, architecture): its answers}"""
    found: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        found[answer.kernel, answer.arch].append(answer)
    return {key: Group(answers=tuple(group)) for key, group in found.items()}


def by_best(groups: Mapping[tuple[str, str], Group]) -> list[str]:
    """Slugs of models by their best answer, on amd64 first; who has none on it comes after."""
    archs = sorted({arch for _, arch in groups})

    def order(slug: str) -> tuple[float, ...]:
        return tuple(-(groups[slug, arch].best or 0.0) if (slug, arch) in groups else 0.0 for arch in archs)

    return sorted(dict.fromkeys(slug for slug, _ in groups), key=order)


@dataclass(frozen=True, kw_only=True)
class AnswerRow:
    """One answer on every architecture shown."""

    answers: tuple[Answer | None, ...]
    limit_mb: float

    @property
    def first(self) -> Answer:
        return next(answer for answer in self.answers if answer)

    @property
    def uid(self) -> str:
        return self.first.uid

    @property
    def model(self) -> str:
        return self.first.model

    @property
    def rollout(self) -> int:
        return self.first.rollout

    @property
    def share(self) -> float | None:
        return None if self.first.extra_mb is None else self.first.extra_mb / self.limit_mb


def answer_rows(answers: Sequence[Answer], archs: Sequence[str], limit_mb: float) -> list[AnswerRow]:
    """Answers, each with its result on every architecture; fastest on the first architecture first."""
    by_uid: dict[str, dict[str, Answer]] = defaultdict(dict)
    for answer in answers:
        by_uid[answer.uid][answer.arch] = answer
    rows = [AnswerRow(answers=tuple(found.get(arch) for arch in archs), limit_mb=limit_mb) for found in by_uid.values()]
    return sorted(rows, key=lambda row: tuple(-(a.counted or 0.0) if a else 0.0 for a in row.answers))


def frontier(answers: Iterable[Answer]) -> list[tuple[float, float]]:
    """(speedup, extra_mb) of the passed answers that no other beats on both, fastest first."""
    points = {(a.counted, a.extra_mb) for a in answers if a.passed and a.counted is not None and a.extra_mb is not None}
    best: list[tuple[float, float]] = []
    for speedup, extra_mb in sorted(points, key=lambda point: (-point[0], point[1])):
        if not best or extra_mb < best[-1][1]:
            best.append((speedup, extra_mb))
    return best

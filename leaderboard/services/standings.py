"""Which result is current, and the summaries made of current results. Always in the transaction of what changed them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from grading import scoring
from grading.result import PAGE_MB, Verdict
from leaderboard.models import Kernel, LanguageModel, Result, Standing
from leaderboard.models.querysets import COUNTED_SPEEDUP

AT_ONCE = 500
ROUNDING = 1e-9  # by which logarithms may differ between machines


class Cell(NamedTuple):
    """The key of one Standing: the results that it summarises."""

    model_id: int
    kernel_id: int
    arch: str
    measurement: str


def cell_of(result: Result) -> Cell:
    return Cell(result.model_id, result.kernel_id, result.arch, result.measurement)


def cells_of(results: QuerySet[Result]) -> list[Cell]:
    """The cells that these results' current ones count in."""
    rows = results.filter(is_current=True).order_by()
    return [Cell(*row) for row in rows.values_list("model", "kernel", "arch", "measurement").distinct()]


def lock_models(model_ids: Iterable[int]) -> None:
    """Nobody else changes these models' results or summaries until the transaction ends (SQLite: it has one writer anyway)."""
    list(LanguageModel.objects.select_for_update(no_key=True).filter(pk__in=set(model_ids)).order_by("pk").values_list("pk"))


def refresh_current(submission_id: int, arch: str) -> set[Cell]:
    """Mark the newest done, not invalidated result as current; one from a double only where there is no other.

    Returns the cells that the change touches.
    """
    done = Result.objects.filter(submission_id=submission_id, arch=arch)
    newest = done.done().filter(invalidated=False).order_by("double", "-graded_at", "-id").light().first()
    before = done.current().light().first()
    if before and before != newest:
        done.current().update(is_current=False)  # first: there is at most one
    if newest and before != newest:
        Result.objects.filter(pk=newest.pk).update(is_current=True)
    return {cell_of(result) for result in (before, newest) if result}


def refresh_currents(submission_ids: Iterable[int]) -> set[Cell]:
    """Mark the current results of many submissions, on all architectures, in three queries."""
    fields = ("pk", "submission_id", "arch", "invalidated", "is_current", "model_id", "kernel_id", "measurement")
    done = Result.objects.done().filter(submission__in=list(submission_ids)).order_by("double", "-graded_at", "-id")
    newest: dict[tuple[int, str], Any] = {}
    before: dict[tuple[int, str], Any] = {}
    for row in done.values_list(*fields, named=True):
        key = (row.submission_id, row.arch)
        if row.is_current:
            before[key] = row
        if not row.invalidated:
            newest.setdefault(key, row)
    changed = [key for key in {*newest, *before} if newest.get(key) != before.get(key)]
    Result.objects.filter(pk__in=[before[key].pk for key in changed if key in before]).update(is_current=False)
    Result.objects.filter(pk__in=[newest[key].pk for key in changed if key in newest]).update(is_current=True)
    touched = [rows[key] for key in changed for rows in (before, newest) if key in rows]
    return {Cell(row.model_id, row.kernel_id, row.arch, row.measurement) for row in touched}


def recompute(cells: Iterable[Cell]) -> None:
    """Summarise these cells anew; a cell without answers has no row."""
    for cell in sorted(set(cells)):
        values = summary(cell)
        if values["answers"]:
            Standing.objects.update_or_create(**cell._asdict(), defaults=values)
        else:
            Standing.objects.filter(**cell._asdict()).delete()


def summary(cell: Cell) -> dict[str, object]:
    """The values of a Standing, from the results it summarises."""
    rows = list(
        Result.objects.filter(**cell._asdict())
        .current()
        .public()
        .done()
        .native()
        .trusted()
        .order_by()
        .annotate(counted=COUNTED_SPEEDUP)
        .values_list("verdict", "passed", "counted", "extra_mb", "throughput_m", "speedup")
    )
    known = [score_of(verdict, speedup) for verdict, _, speedup, *_ in rows]
    scores = [score for score in known if score is not None]
    speedups = [speedup for _, passed, speedup, *_ in rows if passed and speedup]
    extras = [extra for _, passed, _, extra, *_ in rows if passed and extra is not None]
    throughputs = [
        scoring.counted_throughput(throughput, ratio, counted) or throughput
        for _, passed, counted, _, throughput, ratio in rows
        if passed and throughput
    ]
    return {
        "answers": len(rows),
        "passed": sum(bool(passed) for _, passed, *_ in rows),
        "verdicts": dict(sorted(Counter(verdict for verdict, *_ in rows).items())),
        "score_mean": math.fsum(scores) / len(scores) if scores else None,
        "log_speedup_sum": math.fsum(map(math.log, speedups)),
        "log_extra_sum": math.fsum(math.log(max(extra, PAGE_MB)) for extra in extras),
        "extra_mb_median": median(extras) if extras else None,
        "speedup_best": max(speedups, default=None),
        "per_answer": {
            "scores": sorted(scores),
            "log_speedups": sorted(map(math.log, speedups)),
            "log_extras": sorted(math.log(max(extra, PAGE_MB)) for extra in extras),
            "log_throughputs": sorted(map(math.log, throughputs)),
        },
    }


def score_of(verdict: str, speedup: float | None, *, emulated: bool = False) -> float | None:
    """The score of a stored result, by its counted speedup. Also None for a row that passed without one: none is ever written."""
    if verdict == Verdict.PASSED and not speedup:
        return None
    return scoring.kernel_score(verdict, speedup, emulated=emulated)


def misscored(results: QuerySet[Result]) -> Iterator[tuple[int, int, float | None]]:
    """Yields (id, model's id, right score) of done results whose stored score is not the formula's."""
    rows = results.filter(state=Result.State.DONE).order_by("pk").annotate(counted=COUNTED_SPEEDUP)
    for pk, model, verdict, speedup, emulated, stored in rows.values_list(
        "pk", "model", "verdict", "counted", "emulated", "kernel_score"
    ).iterator():
        score = score_of(verdict, speedup, emulated=emulated)
        if not same_score(stored, score):
            yield pk, model, score


def models_of_another_formula() -> set[int]:
    """Ids of models that have a score which is not the formula's, of a result or in a summary.

    A worker of an earlier version may summarise, by its own formula, a cell whose results have the same score by both.
    """
    results = {model for _, model, _ in misscored(Result.objects.all())}
    rows = Standing.objects.order_by("pk").values_list("model", "verdicts", "per_answer").iterator()
    return results | {model for model, verdicts, per_answer in rows if not of_the_formula(verdicts, per_answer)}


def of_the_formula(verdicts: dict[str, int], per_answer: dict[str, list[float]]) -> bool:
    """Whether a summary's scores are those of its verdicts and speedups."""
    passed = [scoring.kernel_score(Verdict.PASSED, math.exp(log)) for log in per_answer.get("log_speedups", [])]
    failed = [score_of(verdict, None) for verdict, n in verdicts.items() for _ in range(n)]
    scores = sorted(score for score in [*passed, *failed] if score is not None)
    stored = per_answer.get("scores", [])
    return len(stored) == len(scores) and all(map(same_score, stored, scores))


def same_score(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, abs_tol=ROUNDING)


def follow_the_formula(on_begin: Callable[[int], object] = lambda models: None) -> int:
    """Recompute scores of another formula from verdicts and speedups, and rebuild the summaries of their models.

    In short transactions, so that workers go on meanwhile; what is left when it is killed is found again. `on_begin` gets the
    number of these models, if there are any. Returns that number.
    """
    stale = models_of_another_formula()
    if stale:
        on_begin(len(stale))
    for model in LanguageModel.objects.filter(pk__in=stale).order_by("pk"):
        rescore(model)
        with transaction.atomic():
            lock_models([model.pk])
            summarised = Standing.objects.by(model).values_list("model", "kernel", "arch", "measurement")
            recompute([*cells_of(Result.objects.by(model)), *(Cell(*row) for row in summarised)])
    return len(stale)


def rescore(model: LanguageModel) -> None:
    """Store the formula's scores. Summaries are not made of stored scores, and so need not follow in the same transaction."""
    rescored = [Result(pk=pk, kernel_score=score) for pk, _, score in misscored(Result.objects.by(model))]
    for start in range(0, len(rescored), AT_ONCE):
        with transaction.atomic():
            lock_models([model.pk])
            Result.objects.bulk_update(rescored[start : start + AT_ONCE], ["kernel_score"])


def rebuild(on_model: Callable[[LanguageModel], None] = lambda model: None) -> int:
    """Compute all scores, current results and summaries anew, one model after the other. Returns the number of summaries."""
    for model in LanguageModel.objects.order_by("pk"):
        rescore(model)
        rebuild_model(model)
        on_model(model)
    return Standing.objects.count()


@transaction.atomic
def rebuild_model(model: LanguageModel) -> None:
    lock_models([model.pk])
    for submission_id, arch in model_pairs(model):
        refresh_current(submission_id, arch)
    Standing.objects.by(model).delete()
    recompute(cells_of(Result.objects.by(model)))


def model_pairs(model: LanguageModel) -> list[tuple[int, str]]:
    return list(Result.objects.by(model).done().order_by().values_list("submission_id", "arch").distinct())


def kernels_by_name() -> dict[str, Kernel]:
    return {kernel.name: kernel for kernel in Kernel.objects.active()}

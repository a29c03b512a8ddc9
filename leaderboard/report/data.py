"""What the report is about, read once. Public results only, and nothing that is not in the tables: no clock, no host."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Avg, Count, Exists, Max, OuterRef, Q

from grading.architectures import ARCHS
from kernels.spec import DEFAULT_SUITE
from leaderboard.board.architecture_ratios import ArchitectureRatios, fresh_ratios
from leaderboard.board.marks import EMULATED, NOT_COUNTED, WORDS, left_out
from leaderboard.board.rows import Row, board_rows
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.models import Bundle, BundleEntry, Kernel, LanguageModel, Machine, Result, Standing, Submission
from leaderboard.models.querysets import ResultQuerySet

Counts = dict[tuple[str, str], Counter[str]]  # (model's name, kernel's name) -> verdicts


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything in the document. Rows of `boards` are measured natively; `emulated` has verdicts only."""

    suite: str
    kernels: list[Kernel]
    models: list[LanguageModel]  # best first, baselines last
    boards: dict[str, list[Row]]  # by architecture, with an answer measured there
    cells: dict[str, dict[int, dict[str, Standing]]]  # architecture -> model's id -> kernel's name
    emulated: dict[str, Counts]
    pairs: ArchitectureRatios
    verdicts: dict[str, Counts]  # of every current result, emulated or not
    machines: list[Machine]
    gradings: dict[int, int]  # by machine's id
    bundles: list[Bundle]
    sampled: dict[int, dict[str, Any]]  # model's id -> tokens, answers cut short
    versions: dict[str, list[str]]  # kernel's name -> versions among its results
    left_out: dict[str, int]  # why results are in no summary
    results: int
    newest: datetime | None


def read(suite: str = DEFAULT_SUITE) -> Report:
    """Read one suite from the database as it is; what is cached for a time is computed anew."""
    selection = Selection(suite=suite)
    kernels = list(Kernel.objects.active().of_suite(suite))
    summaries = Summaries(suite=suite, fresh=True)
    boards = {arch: found for arch in ARCHS if (found := board_rows(replace(selection, arch=arch), summaries))}
    current = shown().filter(selection.in_suite)
    details = list(current.values_list("arch", "model__name", "kernel__name", "verdict", "emulated", "submission_id", "model_id"))
    return Report(
        suite=suite,
        kernels=kernels,
        models=_ordered(boards, {pk for *_, pk in details}),
        boards=boards,
        cells={arch: summaries.cells(arch) for arch in ARCHS},
        emulated={arch: own for arch in ARCHS if (own := _counts(row for row in details if row[0] == arch and row[4]))},
        pairs=fresh_ratios(selection),
        verdicts={arch: own for arch in ARCHS if (own := _counts(row for row in details if row[0] == arch))},
        machines=_machines(current),
        gradings=dict(current.order_by().values_list("machine").annotate(n=Count("pk")).filter(machine__isnull=False)),
        bundles=_bundles(selection),
        sampled=_sampled(selection),
        versions=_versions(current),
        left_out=_left_out(selection),
        results=len(details),
        newest=current.aggregate(newest=Max("graded_at"))["newest"],
    )


def shown() -> ResultQuerySet:
    """Public results that say something of an answer as things are measured today, emulated ones among them."""
    return Result.objects.current().public().real().trusted().up_to_date().filter(kernel__retired=False)


def _ordered(boards: dict[str, list[Row]], known: set[int]) -> list[LanguageModel]:
    """The models as the first board orders them, then those without a measured answer by name; baselines last."""
    models = LanguageModel.objects.in_bulk(known)
    ranked = [row.model.pk for rows in boards.values() for row in rows if row.model.pk in models]
    rest = sorted(set(models) - set(ranked), key=lambda pk: models[pk].name)
    ordered = [models[pk] for pk in dict.fromkeys([*ranked, *rest])]
    return sorted(ordered, key=lambda model: model.is_baseline)  # stable


def _counts(rows: Iterable[tuple[Any, ...]]) -> Counts:
    found: Counts = defaultdict(Counter)
    for _, model, kernel, verdict, *_ in rows:
        found[model, kernel][verdict] += 1
    return dict(found)


def _sampled(selection: Selection) -> dict[int, dict[str, Any]]:
    """How long the public answers are, where their runs say it."""
    rows = Submission.objects.public().filter(selection.in_suite, kernel__retired=False).order_by().values("model")
    rows = rows.annotate(
        answers=Count("pk"),
        tokens=Avg("completion_tokens"),
        cut_short=Count("pk", filter=Q(cut_short=True)),
        none=Count("pk", filter=Q(source=None)),
    )
    return {row["model"]: dict(row) for row in rows}


def _bundles(selection: Selection) -> list[Bundle]:
    """Public ones; where there are several suites, those that brought an answer to a kernel of this one."""
    imported = Bundle.objects.public().filter(state=Bundle.State.IMPORTED).order_by("name", "sha256")
    if selection.in_suite:
        brought = BundleEntry.objects.filter(bundle=OuterRef("pk"), submission__kernel__suite=selection.suite)
        imported = imported.filter(Exists(brought))
    return list(imported)


def _versions(current: ResultQuerySet) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for kernel, version in (
        current.order_by("kernel__name", "kernel_version").values_list("kernel__name", "kernel_version").distinct()
    ):
        found[kernel].append(version)
    return dict(found)


def _machines(current: ResultQuerySet) -> list[Machine]:
    """Without those that nothing is known of: a reply without an answer needs no machine."""
    found = Machine.objects.filter(results__in=current).exclude(cpu_model="", vcpus=None).distinct()
    return list(found.order_by("arch", "cpu_model", "backend", "fingerprint"))


def _left_out(selection: Selection) -> dict[str, int]:
    """Emulated results are in the document, and said to be."""
    public = Result.objects.public().real().filter(selection.in_suite, kernel__retired=False)
    counts = left_out(public, [word for word in NOT_COUNTED if word != EMULATED])
    return {WORDS[word]: n for word, n in counts.items()}

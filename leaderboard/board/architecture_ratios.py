"""The same answer on both architectures: ratios arm64 / amd64 of throughput and of memory, and answers that pass on one only.

Emulated results tell whether an answer is right; they are never timed. The numbers and words are those of `grading.comparison`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from grading.comparison.agreement import OneSided, agreement, one_sided
from grading.comparison.ratios import Pair, Side, ratios, side_of
from grading.statistics import Estimate
from kernels.spec import BASELINES
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.lib.stale_cache import recently_requested
from leaderboard.models import Kernel, LanguageModel, Result

AT_MOST_S = 600  # emulated results change no standing, and so no version

Answer = tuple[str, str, Pair]  # uid, kernel, its result on each architecture


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """arm64 / amd64 over `pairs` answers; amd64 and arm64 are geometric means of throughput in millions of units per second.

    Where an answer's memory is not known on both (gVisor), it is in the ratio of throughput only: that of memory is over
    `memory_pairs`.
    """

    throughput: Estimate
    memory: Estimate
    pairs: int
    memory_pairs: int
    amd64: float | None = None
    arm64: float | None = None

    def measured(self, what: str) -> tuple[Estimate, int]:
        """The ratio of "throughput" or "memory", and over how many answers it is."""
        return (self.throughput, self.pairs) if what == "throughput" else (self.memory, self.memory_pairs)


@dataclass(frozen=True, kw_only=True)
class ModelRatios:
    """One model over its kernels. agreement: how many answers with a result on both pass where (grading.comparison.agreement)."""

    model: LanguageModel
    overall: Ratios
    kernels: dict[str, Ratios]
    agreement: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class OneSidedAnswer(OneSided):
    uid: str
    model_id: int
    kernel: str


@dataclass(frozen=True, kw_only=True)
class ArchitectureRatios:
    """Everything that /architectures/ shows. emulated: how many current results were, by architecture."""

    models: list[ModelRatios]
    one_sided: list[OneSidedAnswer]
    emulated: dict[str, int]

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """(passed on, verdict on the other, how many), the most frequent first."""
        counts = Counter((found.passed_on, found.verdict) for found in self.one_sided)
        return [(arch, verdict, n) for (arch, verdict), n in counts.most_common()]


def ratios_of(selection: Selection) -> ArchitectureRatios:
    """Ratios of the selected kernels and models; baselines first, then models by name. Cached, since it reads every result."""
    return cached_ratios(selection, Summaries(selection.kernels, suite=selection.suite))


def cached_ratios(selection: Selection, summaries: Summaries) -> ArchitectureRatios:
    """`summaries` says which results it is of, and, afterwards, of when."""
    what = ("architecture ratios", summaries.kernels, tuple(sorted(model.pk for model in selection.models)))
    found: ArchitectureRatios = summaries.cached.get(what, lambda: fresh_ratios(selection), at_most_s=AT_MOST_S)
    return found


def fresh_ratios(selection: Selection) -> ArchitectureRatios:
    """Ratios computed anew: in the cached ones, a change of emulated results alone shows only after a while."""
    by_model: dict[int, list[Answer]] = defaultdict(list)
    for uid, model, kernel, pair in _read(selection):
        by_model[model].append((uid, kernel, pair))
    models = LanguageModel.objects.in_bulk(by_model)
    ordered = sorted((models[pk] for pk in by_model if pk in models), key=lambda m: (not m.is_baseline, m.name))
    emulated = Counter(arch for of in by_model.values() for *_, pair in of for arch, side in pair.items() if side.emulated)
    return ArchitectureRatios(
        models=[_model(model, by_model[model.pk]) for model in ordered],
        one_sided=[found for model in ordered for found in _one_sided(model.pk, by_model[model.pk])],
        emulated=dict(emulated),
    )


def warm() -> None:
    """Compute what /architectures/ shows first, and what somebody saw an earlier value of, so that no visitor waits for it."""
    cached_ratios(Selection(), Summaries(fresh=True))
    for _, kernels, models in (what for what in recently_requested() if what[0] == "architecture ratios"):
        selection = Selection(
            kernels=tuple(Kernel.objects.filter(pk__in=kernels)),
            models=tuple(LanguageModel.objects.public().filter(pk__in=models)),
        )
        cached_ratios(selection, Summaries(selection.kernels, fresh=True))


def details(found: Sequence[OneSidedAnswer]) -> dict[str, str]:
    """{answer's uid: what the verdict on the other architecture says, and what to think of it}"""
    wanted = {one.uid: one for one in found}
    results = Result.objects.current().public().filter(submission__uid__in=wanted)
    rows = results.values_list("submission__uid", "arch", "detail")
    said = {uid: (detail, wanted[uid].note) for uid, arch, detail in rows if wanted[uid].failed_on == arch}
    return {uid: " ".join(filter(None, sentences)) for uid, sentences in said.items()}


def _read(selection: Selection) -> list[tuple[str, int, str, Pair]]:
    """(answer's uid, model's id, kernel, its pair) of every answer with a result."""
    results = Result.objects.current().public().trusted().up_to_date().filter(kernel__retired=False).filter(selection.in_suite)
    if selection.kernels:
        results = results.filter(kernel__in=selection.kernels)
    if selection.models:  # the baselines are what they are seen against
        results = results.filter(Q(model__in=selection.models) | Q(model__kind="baseline"))
    rounds = dict(results.filter(model__kind=LanguageModel.Kind.BASELINE).values_list("pk", "samples"))  # few, and large
    names = ("pk", "submission__uid", "model_id", "kernel__name")
    of_record = ("arch", "verdict", "emulated", "throughput_m", "extra_mb", "speedup", "speedup_low", "unresolved")
    rows: dict[str, tuple[str, int, str, dict[str, Side]]] = {}
    for pk, uid, model, kernel, *values in results.order_by("submission_id").values_list(*names, *of_record):
        record = dict(zip(of_record, values, strict=True)) | {"samples": rounds.get(pk)}
        rows.setdefault(uid, (uid, model, kernel, {}))[3][record["arch"]] = side_of(record)
    return [*rows.values()]


def _model(model: LanguageModel, answers: Sequence[Answer]) -> ModelRatios:
    by_kernel: dict[str, list[Pair]] = defaultdict(list)
    for _, kernel, pair in answers:
        by_kernel[kernel].append(pair)
    return ModelRatios(
        model=model,
        overall=_ratios(list(by_kernel.values()), baselines=model.is_baseline),
        kernels={kernel: _ratios([pairs], baselines=model.is_baseline) for kernel, pairs in by_kernel.items()},
        agreement=dict(Counter(where for *_, pair in answers if (where := agreement(pair)))),
    )


def _ratios(strata: Sequence[Sequence[Pair]], *, baselines: bool) -> Ratios:
    found = ratios(strata, baselines=baselines)
    return Ratios(
        throughput=found.throughput.ratio,
        memory=found.memory.ratio,
        pairs=found.throughput.pairs,
        memory_pairs=found.memory.pairs,
        amd64=found.throughput.amd64,
        arm64=found.throughput.arm64,
    )


def _one_sided(model_id: int, answers: Sequence[Answer]) -> Iterator[OneSidedAnswer]:
    for uid, kernel, pair in answers:
        if found := one_sided(pair):
            yield OneSidedAnswer(uid=uid, model_id=model_id, kernel=kernel, **vars(found))


def shown_models(found: ArchitectureRatios) -> list[ModelRatios]:
    """The columns by kernel: the two baselines, and the model with the most answers on both (the selection may name another)."""
    known: list[ModelRatios] = [ratios for ratios in found.models if ratios.overall.pairs]
    baselines = [ratios for name in BASELINES for ratios in known if ratios.model.is_baseline and ratios.model.name == name]
    models: list[Any] = sorted((r for r in known if not r.model.is_baseline), key=lambda r: (-r.overall.pairs, r.model.name))
    return [*baselines, *models[:1]]

"""The same answer on both architectures: ratios arm64 / amd64 of throughput and of memory, and answers that pass on one only.

Emulated results tell whether an answer is right; they are never timed. The numbers are those of `grading.comparison.ratios`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Q

from grading.comparison.ratios import Side, ratios
from grading.statistics import Estimate
from kernels.spec import BASELINES
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.board.verdicts import PASSED
from leaderboard.lib.stale_cache import recently_requested
from leaderboard.models import Kernel, LanguageModel, Result

AT_MOST_S = 600  # emulated results change no standing, and so no version
LISTED = 200


class Graded(NamedTuple):
    """One answer's current result on one architecture."""

    verdict: str
    side: Side


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
    """One model over its kernels. only: answers that passed on this architecture and not on the other."""

    model: LanguageModel
    overall: Ratios
    kernels: dict[str, Ratios]
    only: dict[str, int]


class OneSided(NamedTuple):
    """An answer that passed on one architecture only, and what it got on the other."""

    uid: str
    model_id: int
    kernel: str
    passed_on: str
    failed_on: str
    verdict: str
    emulated: bool

    @property
    def note(self) -> str:
        """A caveat for this difference; usually empty."""
        unmeasured = self.emulated and self.verdict == "memory_limit"  # which no emulated grading gives
        return f" Memory is not measured on {self.passed_on}, which is emulated." if unmeasured else ""


@dataclass(frozen=True, kw_only=True)
class ArchitectureRatios:
    """Everything that /architectures/ shows. emulated: how many current results were, by architecture."""

    models: list[ModelRatios]
    one_sided: list[OneSided]
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
    by_model: dict[int, list[tuple[str, str, dict[str, Graded]]]] = defaultdict(list)
    for uid, model, kernel, sides in _read(selection):
        by_model[model].append((uid, kernel, sides))
    models = LanguageModel.objects.in_bulk(by_model)
    ordered = sorted((models[pk] for pk in by_model if pk in models), key=lambda m: (not m.is_baseline, m.name))
    emulated = Counter(
        arch for of in by_model.values() for _, _, sides in of for arch, side in sides.items() if side.side.emulated
    )
    one_sided = [found for model in ordered for found in _one_sided(model.pk, by_model[model.pk])]
    return ArchitectureRatios(models=[_model(m, by_model[m.pk]) for m in ordered], one_sided=one_sided, emulated=dict(emulated))


def warm() -> None:
    """Compute what /architectures/ shows first, and what somebody saw an earlier value of, so that no visitor waits for it."""
    cached_ratios(Selection(), Summaries(fresh=True))
    for _, kernels, models in (what for what in recently_requested() if what[0] == "architecture ratios"):
        selection = Selection(
            kernels=tuple(Kernel.objects.filter(pk__in=kernels)),
            models=tuple(LanguageModel.objects.public().filter(pk__in=models)),
        )
        cached_ratios(selection, Summaries(selection.kernels, fresh=True))


def details(found: Sequence[OneSided]) -> dict[str, str]:
    """{answer's uid: what the verdict on the other architecture says, and what to think of it}"""
    wanted = {one.uid: one for one in found}
    results = Result.objects.current().public().filter(submission__uid__in=wanted)
    rows = results.values_list("submission__uid", "arch", "detail")
    return {uid: detail + wanted[uid].note for uid, arch, detail in rows if wanted[uid].failed_on == arch}


def _read(selection: Selection) -> list[tuple[str, int, str, dict[str, Graded]]]:
    """(answer's uid, model's id, kernel, {arch: side}) of every answer with a result."""
    results = Result.objects.current().public().trusted().up_to_date().filter(kernel__retired=False).filter(selection.in_suite)
    if selection.kernels:
        results = results.filter(kernel__in=selection.kernels)
    if selection.models:  # the baselines are what they are seen against
        results = results.filter(Q(model__in=selection.models) | Q(model__kind="baseline"))
    rounds = dict(results.filter(model__kind=LanguageModel.Kind.BASELINE).values_list("pk", "samples"))  # few, and large
    names = ("pk", "submission__uid", "model_id", "kernel__name", "arch", "verdict", "emulated", "throughput_m", "extra_mb")
    rows: dict[str, tuple[str, int, str, dict[str, Graded]]] = {}
    found = results.order_by("submission_id").values_list(*names)
    for pk, uid, model, kernel, arch, verdict, emulated, throughput_m, extra_mb in found:
        side = Side(verdict == PASSED, emulated, throughput_m, extra_mb, rounds.get(pk))
        rows.setdefault(uid, (uid, model, kernel, {}))[3][arch] = Graded(verdict, side)
    return list(rows.values())


def _model(model: LanguageModel, answers: Sequence[tuple[str, str, dict[str, Graded]]]) -> ModelRatios:
    by_kernel: dict[str, list[dict[str, Graded]]] = defaultdict(list)
    for _, kernel, sides in answers:
        by_kernel[kernel].append(sides)
    only = Counter(found.passed_on for found in _one_sided(model.pk, answers))
    return ModelRatios(
        model=model,
        overall=_ratios(list(by_kernel.values()), baselines=model.is_baseline),
        kernels={kernel: _ratios([sides], baselines=model.is_baseline) for kernel, sides in by_kernel.items()},
        only=dict(only),
    )


def _ratios(strata: Sequence[list[dict[str, Graded]]], *, baselines: bool) -> Ratios:
    sides = [[{arch: graded.side for arch, graded in answer.items()} for answer in stratum] for stratum in strata]
    found = ratios(sides, baselines=baselines)
    return Ratios(
        throughput=found.throughput.ratio,
        memory=found.memory.ratio,
        pairs=found.throughput.pairs,
        memory_pairs=found.memory.pairs,
        amd64=found.throughput.amd64,
        arm64=found.throughput.arm64,
    )


def _one_sided(model_id: int, answers: Sequence[tuple[str, str, dict[str, Graded]]]) -> list[OneSided]:
    found = []
    for uid, kernel, sides in answers:
        passed = [arch for arch, side in sides.items() if side.side.passed]
        if len(sides) == 2 and len(passed) == 1:
            other = next(arch for arch in sides if arch != passed[0])
            emulated = any(side.side.emulated for side in sides.values())
            found.append(OneSided(uid, model_id, kernel, passed[0], other, sides[other].verdict, emulated))
    return found


def shown_models(found: ArchitectureRatios) -> list[ModelRatios]:
    """The columns by kernel: the two baselines, and the model with the most answers on both (the selection may name another)."""
    known: list[ModelRatios] = [ratios for ratios in found.models if ratios.overall.pairs]
    baselines = [ratios for name in BASELINES for ratios in known if ratios.model.is_baseline and ratios.model.name == name]
    models: list[Any] = sorted((r for r in known if not r.model.is_baseline), key=lambda r: (-r.overall.pairs, r.model.name))
    return [*baselines, *models[:1]]

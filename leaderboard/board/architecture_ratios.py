"""The same answer on both architectures: ratios arm64 / amd64 of throughput and of memory, and answers that pass on one only.

Paired by answer: what passed on both, natively measured. Emulated results tell whether an answer is right; they are never timed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Q

from grading.result import PAGE_MB
from grading.statistics import Estimate, exponential, ratio_of_sums
from kernels.spec import BASELINES
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.lib.stale_cache import recently_requested
from leaderboard.models import Kernel, LanguageModel, Result

AT_MOST_S = 600  # emulated results change no standing, and so no version
LISTED = 200


class Side(NamedTuple):
    """One answer on one architecture."""

    verdict: str
    throughput_m: float | None
    extra_mb: float | None
    emulated: bool

    @property
    def timed(self) -> bool:
        return self.verdict == "passed" and bool(self.throughput_m) and not self.emulated


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """arm64 / amd64 over `pairs` answers; amd64 and arm64 are geometric means of throughput in millions of units per second."""

    throughput: Estimate
    memory: Estimate
    pairs: int
    amd64: float | None = None
    arm64: float | None = None


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
    return cached_ratios(selection, Summaries(selection.kernels))


def cached_ratios(selection: Selection, summaries: Summaries) -> ArchitectureRatios:
    """`summaries` says which results it is of, and, afterwards, of when."""
    what = ("pairs", summaries.kernels, tuple(sorted(model.pk for model in selection.models)))
    found: ArchitectureRatios = summaries.cached.get(what, lambda: fresh_ratios(selection), at_most_s=AT_MOST_S)
    return found


def fresh_ratios(selection: Selection) -> ArchitectureRatios:
    """Ratios computed anew: in the cached ones, a change of emulated results alone shows only after a while."""
    by_model: dict[int, list[tuple[str, str, dict[str, Side]]]] = defaultdict(list)
    for uid, model, kernel, sides in _read(selection):
        by_model[model].append((uid, kernel, sides))
    models = LanguageModel.objects.in_bulk(by_model)
    ordered = sorted((models[pk] for pk in by_model if pk in models), key=lambda m: (not m.is_baseline, m.name))
    emulated = Counter(arch for of in by_model.values() for _, _, sides in of for arch, side in sides.items() if side.emulated)
    one_sided = [found for model in ordered for found in _one_sided(model.pk, by_model[model.pk])]
    return ArchitectureRatios(models=[_model(m, by_model[m.pk]) for m in ordered], one_sided=one_sided, emulated=dict(emulated))


def warm() -> None:
    """What /architectures/ shows first, and what somebody saw an earlier value of, so that no visitor waits for it."""
    cached_ratios(Selection(), Summaries(fresh=True))
    for _, kernels, models in (what for what in recently_requested() if what[0] == "pairs"):
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


def _read(selection: Selection) -> list[tuple[str, int, str, dict[str, Side]]]:
    """(answer's uid, model's id, kernel, {arch: side}) of every answer with a result."""
    results = Result.objects.current().public().trusted().up_to_date().filter(kernel__retired=False)
    if selection.kernels:
        results = results.filter(kernel__in=selection.kernels)
    if selection.models:  # the baselines are what they are seen against
        results = results.filter(Q(model__in=selection.models) | Q(model__kind="baseline"))
    names = ("submission__uid", "model_id", "kernel__name", "arch", "verdict", "throughput_m", "extra_mb", "emulated")
    rows: dict[str, tuple[str, int, str, dict[str, Side]]] = {}
    for uid, model, kernel, arch, *side in results.order_by("submission_id").values_list(*names):
        rows.setdefault(uid, (uid, model, kernel, {}))[3][arch] = Side(*side)
    return list(rows.values())


def _model(model: LanguageModel, answers: Sequence[tuple[str, str, dict[str, Side]]]) -> ModelRatios:
    by_kernel: dict[str, list[dict[str, Side]]] = defaultdict(list)
    for _, kernel, sides in answers:
        by_kernel[kernel].append(sides)
    only = Counter(found.passed_on for found in _one_sided(model.pk, answers))
    return ModelRatios(
        model=model,
        overall=_ratios(by_kernel.values()),
        kernels={kernel: _ratios([sides]) for kernel, sides in by_kernel.items()},
        only=dict(only),
    )


def _ratios(strata: Iterable[list[dict[str, Side]]]) -> Ratios:
    """Mean log ratio over the answers that were timed on both; the others count as answers without one (ratio_of_sums)."""
    strata = list(strata)
    both = [(s["amd64"], s["arm64"]) for sides in strata for s in sides if _paired(s)]
    throughput = [
        [_log_ratio(s, lambda side: side.throughput_m) if _paired(s) else (0.0, 0.0) for s in sides] for sides in strata
    ]
    memory = [
        [_log_ratio(s, lambda side: max(side.extra_mb or 0.0, PAGE_MB)) if _paired(s) else (0.0, 0.0) for s in sides]
        for sides in strata
    ]
    repeated = any(sum(map(_paired, sides)) > 1 for sides in strata)
    estimates = [exponential(ratio_of_sums(values)) for values in (throughput, memory)]
    if not repeated:
        estimates = [Estimate(estimate.value) for estimate in estimates]
    means = [
        math.exp(math.fsum(math.log(pair[i].throughput_m or 1.0) for pair in both) / len(both)) if both else None for i in (0, 1)
    ]
    return Ratios(throughput=estimates[0], memory=estimates[1], pairs=len(both), amd64=means[0], arm64=means[1])


def _paired(sides: dict[str, Side]) -> bool:
    return len(sides) == 2 and all(side.timed for side in sides.values())


def _log_ratio(sides: dict[str, Side], value: Any) -> tuple[float, float]:
    return math.log(value(sides["arm64"]) / value(sides["amd64"])), 1.0


def _one_sided(model_id: int, answers: Sequence[tuple[str, str, dict[str, Side]]]) -> list[OneSided]:
    found = []
    for uid, kernel, sides in answers:
        passed = [arch for arch, side in sides.items() if side.verdict == "passed"]
        if len(sides) == 2 and len(passed) == 1:
            other = next(arch for arch in sides if arch != passed[0])
            emulated = any(side.emulated for side in sides.values())
            found.append(OneSided(uid, model_id, kernel, passed[0], other, sides[other].verdict, emulated))
    return found


def shown_models(found: ArchitectureRatios) -> list[ModelRatios]:
    """By kernel: the two baselines, and the model with the most answers on both (the selection may name another)."""
    known: list[ModelRatios] = [ratios for ratios in found.models if ratios.overall.pairs]
    baselines = [ratios for name in BASELINES for ratios in known if ratios.model.is_baseline and ratios.model.name == name]
    models: list[Any] = sorted((r for r in known if not r.model.is_baseline), key=lambda r: (-r.overall.pairs, r.model.name))
    return [*baselines, *models[:1]]

"""Summaries and rank ranges of all models, kept in the cache that the processes share for as long as no standing changes.

They are pure functions of the standings (grading.statistics seeds its bootstrap by the data), so a cached value is the value.
`warm` computes what the leaderboard shows first; housekeeping calls it after results were recorded.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cached_property

from django.core.cache import cache
from django.db.models import Count, Max

from grading.statistics import rank_ranges
from leaderboard.aggregates import STRATA, Measures, Summary, strata, summarise
from leaderboard.models import Kernel, LanguageModel, Result, Standing
from leaderboard.services.standings import PAGE_MB

KEPT_S = 7 * 24 * 3600
SHAPE = ",".join(field.name for field in fields(Summary))  # a cached value of an older program is not this one's

Cells = dict[int, dict[str, Standing]]  # model's id -> kernel's name -> cell


class Summaries:
    """Of the standings as they are now, over these kernels (none: all). Reads them only for what is not in the cache."""

    def __init__(self, kernels: Iterable[Kernel] = ()) -> None:
        self.kernels = sorted(kernel.pk for kernel in kernels)
        self.all_kernels = list(
            Kernel.objects.order_by("pk").only("pk", "name", "position", "measurement", "memory_limit_mb", "retired")
        )
        self._cells_of: dict[str, Cells] = {}

    @cached_property
    def version(self) -> str:
        """Changes when any standing does, or what it is measured against."""
        standings = Standing.objects.aggregate(newest=Max("updated_at"), last=Max("pk"), count=Count("pk"))
        measured = [(kernel.pk, kernel.measurement, kernel.memory_limit_mb, kernel.retired) for kernel in self.all_kernels]
        return repr((standings, measured))

    def of(self, arch: str) -> dict[int, Summary]:
        """{model's id: its summary}"""
        key = self.key("summaries", arch)
        found: dict[int, Summary] | None = cache.get(key)
        if found is None:
            found = {
                model: summarise((cell, self._measures(cell.kernel_id, arch)) for cell in cells.values())
                for model, cells in self.cells(arch).items()
            }
            cache.set(key, found, KEPT_S)
        return found

    def ranks(self, arch: str, metric: str, models: Sequence[LanguageModel]) -> dict[int, tuple[int, int]]:
        """{model's id: the ranks it may have among these models}, by the paired differences in the metric."""
        ids = sorted(model.pk for model in models)
        key = self.key("ranks", arch, metric, ids)
        found: dict[int, tuple[int, int]] | None = cache.get(key)
        if found is None:
            values = [strata(self.cells(arch).get(pk, {}), metric) for pk in ids]
            found = dict(zip(ids, rank_ranges(values), strict=True))
            cache.set(key, found, KEPT_S)
        return found

    def cells(self, arch: str, models: Sequence[LanguageModel] = ()) -> Cells:
        """{model's id: {kernel's name: cell}}, of all models or of these."""
        if models:
            return self._read(arch, models)
        if arch not in self._cells_of:
            self._cells_of[arch] = self._read(arch)
        return self._cells_of[arch]

    def _read(self, arch: str, models: Sequence[LanguageModel] = ()) -> Cells:
        standings = Standing.objects.comparable().for_archs([arch]).filter(answers__gt=0)
        if self.kernels:
            standings = standings.filter(kernel__in=self.kernels)
        if models:
            standings = standings.filter(model__in=models)
        names = {kernel.pk: kernel.name for kernel in self.all_kernels}
        cells: Cells = defaultdict(dict)
        for standing in standings.order_by("model_id", "kernel_id"):
            cells[standing.model_id][names[standing.kernel_id]] = standing
        return dict(cells)

    @cached_property
    def reference_mb(self) -> dict[tuple[int, str], float]:
        """{(kernel's id, architecture): what the reference needs}. It is the naive baseline, over the limit or not."""
        naive = Result.objects.rankable().filter(model__kind="baseline", model__name="naive").exclude(extra_mb=None)
        return {(row.kernel_id, row.arch): max(row.extra_mb or 0.0, PAGE_MB) for row in naive.only("kernel", "arch", "extra_mb")}

    def _measures(self, kernel_id: int, arch: str) -> Measures:
        limits = {kernel.pk: kernel.memory_limit_mb for kernel in self.all_kernels}
        return Measures(limit_mb=limits[kernel_id], reference_mb=self.reference_mb.get((kernel_id, arch)))

    def key(self, *what: object) -> str:
        return "board-" + hashlib.sha256(repr((SHAPE, self.version, self.kernels, *what)).encode()).hexdigest()[:40]


def warm() -> None:
    """Compute what a visitor sees first, so that no page has to."""
    summaries = Summaries()
    models = {model.pk: model for model in LanguageModel.objects.language_models()}
    for arch in ("amd64", "arm64"):
        known = {models[pk]: summary for pk, summary in summaries.of(arch).items() if pk in models}
        for metric in STRATA:
            passing = metric not in ("score", "pass", "fast")  # a model that passed nothing has no speed to be ranked by
            name = "fast:1" if metric == "fast" else metric
            summaries.ranks(arch, name, [model for model, summary in known.items() if summary.passed or not passing])

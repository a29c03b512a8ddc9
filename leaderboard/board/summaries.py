"""Summaries and rank ranges of all models, kept until a standing changes (lib/stale_cache.py).

They are pure functions of the standings (grading.statistics seeds its bootstrap by the data), so a kept value is the value.
`warm` computes what readers see; housekeeping calls it after results were recorded.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db.models import Count, F, Max, Sum

from grading.architectures import ARCHS
from grading.result import PAGE_MB
from grading.statistics import ranges_of, surely_better
from kernels.spec import DEFAULT_SUITE
from leaderboard.board.aggregates import STRATA, Measures, Summary, strata, summarise
from leaderboard.lib.stale_cache import KEPT_S, StaleWhileRevalidate, recently_requested
from leaderboard.models import Kernel, LanguageModel, Result, Standing

LARGE = 10_000  # answers; the summaries and ranks of fewer are computed while the reader waits: some 0.1 s
REST = 10  # housekeeping computes for a tenth of the time at most: its host may be grading
DEFAULT_METRIC = {"fast": "fast:1", "best": "best:2"}  # the p and the k that a selection without them has
NO_KERNEL = 0  # no kernel has this id: a suite without kernels must not select all kernels
SHAPE = ",".join(field.name for field in fields(Summary))  # a kept value of an older program is not this one's

Cells = dict[int, dict[str, Standing]]  # model's id -> kernel's name -> cell


class Summaries:
    """Summaries of standings for these kernels (all of the suite if empty), cached."""

    def __init__(self, kernels: Iterable[Kernel] = (), *, suite: str = DEFAULT_SUITE, fresh: bool = False) -> None:
        self.all_kernels = list(
            Kernel.objects.order_by("pk").only("pk", "name", "position", "measurement", "memory_limit_mb", "retired", "suite")
        )
        self.suite = suite
        self.kernels = tuple(sorted(kernel.pk for kernel in kernels))
        if not self.kernels and self.elsewhere:
            self.kernels = tuple(kernel.pk for kernel in self.all_kernels if kernel.suite == suite) or (NO_KERNEL,)
        self.fresh = fresh
        self._cells_of: dict[str, Cells] = {}

    @cached_property
    def elsewhere(self) -> list[int]:
        """Ids of the kernels of other suites."""
        return [kernel.pk for kernel in self.all_kernels if kernel.suite != self.suite]

    @cached_property
    def cached(self) -> StaleWhileRevalidate:
        """The cache of these summaries; its version changes when a standing does, or what standings are measured against."""
        found = Standing.objects.aggregate(newest=Max("updated_at"), last=Max("pk"), count=Count("pk"), answers=Sum("answers"))
        measured = [(kernel.pk, kernel.measurement, kernel.memory_limit_mb, kernel.retired) for kernel in self.all_kernels]
        large = (found["answers"] or 0) > LARGE
        return StaleWhileRevalidate(version=repr((SHAPE, found, measured)), large=large, fresh=self.fresh)

    @property
    def as_of(self) -> datetime | None:
        """When the oldest figure was computed; None while everything is from the standings as they are now."""
        return self.cached.as_of

    def of(self, arch: str) -> dict[int, Summary]:
        """{model's id: its summary}"""
        found: dict[int, Summary] = self.cached.get(("summaries", self.kernels, arch), lambda: self._summarise(arch))
        return found

    def ranks(self, arch: str, metric: str, models: Sequence[LanguageModel]) -> dict[int, tuple[int, int]]:
        """{model's id: the ranks it may have among these models}, by the paired differences in the metric.

        A model that came after the differences were computed has none yet.
        """
        place, better = self.cached.get(("ranks", self.kernels, arch, metric), lambda: self._compare(arch, metric))
        ids = [model.pk for model in models if model.pk in place]
        at = [place[pk] for pk in ids]
        return dict(zip(ids, ranges_of(better[np.ix_(at, at)]), strict=True))

    def cells(self, arch: str, models: Sequence[LanguageModel] = ()) -> Cells:
        """{model's id: {kernel's name: cell}}, of all models or of these."""
        if models:
            return self._read(arch, models)
        if arch not in self._cells_of:
            self._cells_of[arch] = self._read(arch)
        return self._cells_of[arch]

    def _summarise(self, arch: str) -> dict[int, Summary]:
        return {
            model: summarise((cell, self._measures(cell.kernel_id, arch)) for cell in cells.values())
            for model, cells in self.cells(arch).items()
        }

    def _compare(self, arch: str, metric: str) -> tuple[dict[int, int], np.ndarray]:
        """({model's id: its place}, the matrix of who is surely better than whom) of all language models."""
        cells = self.cells(arch)
        ids = sorted(
            pk for pk, of_model in cells.items() if any(getattr(cell, "kind", "") != "baseline" for cell in of_model.values())
        )
        return {pk: k for k, pk in enumerate(ids)}, surely_better([strata(cells[pk], metric) for pk in ids])

    def _read(self, arch: str, models: Sequence[LanguageModel] = ()) -> Cells:
        standings = Standing.objects.comparable().for_archs([arch]).filter(answers__gt=0)
        if self.kernels:
            standings = standings.filter(kernel__in=self.kernels)
        if models:
            standings = standings.filter(model__in=models)
        names = {kernel.pk: kernel.name for kernel in self.all_kernels}
        cells: Cells = defaultdict(dict)
        for standing in standings.annotate(kind=F("model__kind")).order_by("model_id", "kernel_id"):
            cells[standing.model_id][names[standing.kernel_id]] = standing
        return dict(cells)

    @property
    def active_kernels(self) -> list[Kernel]:
        """The suite's kernels whose folder exists, in the order of pages."""
        active = (kernel for kernel in self.all_kernels if kernel.suite == self.suite and not kernel.retired)
        return sorted(active, key=lambda kernel: (kernel.position, kernel.name))

    @cached_property
    def reference_mb(self) -> dict[tuple[int, str], float]:
        """{(kernel's id, architecture): what the reference needs}. It is the naive baseline, over the limit or not."""
        naive = Result.objects.rankable().filter(model__kind="baseline", model__name="naive").exclude(extra_mb=None)
        return {(row.kernel_id, row.arch): max(row.extra_mb or 0.0, PAGE_MB) for row in naive.only("kernel", "arch", "extra_mb")}

    def _measures(self, kernel_id: int, arch: str) -> Measures:
        limits = {kernel.pk: kernel.memory_limit_mb for kernel in self.all_kernels}
        return Measures(limit_mb=limits[kernel_id], reference_mb=self.reference_mb.get((kernel_id, arch)))


def warm() -> None:
    """Compute what a visitor sees first, and what one saw an earlier value of, so that no page has to."""
    rested, now = cache.get("summaries-rested") or 0.0, time.time()
    if now < rested:
        return
    everything = Summaries(fresh=True)
    for arch in ARCHS:
        everything.of(arch)
        for metric in STRATA:
            everything.ranks(arch, DEFAULT_METRIC.get(metric, metric), ())
    for what in recently_requested():
        if what[0] in ("summaries", "ranks"):
            _warm(*what)
    cache.set("summaries-rested", time.time() + REST * (time.time() - now), KEPT_S)


def _warm(kind: str, kernels: Iterable[int], arch: str, *metric: Any) -> None:
    summaries = Summaries(Kernel.objects.filter(pk__in=kernels), fresh=True)
    if kind == "summaries":
        summaries.of(arch)
    else:
        summaries.ranks(arch, metric[0], ())

"""The list of kernels, a kernel's page, its figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from kernels.catalog import UnknownKernel, get_kernel, load_catalog
from kernels.spec import KernelSpec
from leaderboard import charts
from leaderboard.answers import Answer, Group, group_by_model, load_answers
from leaderboard.highlight import highlight_c
from leaderboard.models import Kernel, Result, Standing
from leaderboard.selection import ARCHS, Selection, with_selection

BEST_SHOWN = 10
LISTED_BEHIND_FIGURE = 200


def kernels(request: HttpRequest) -> HttpResponse:
    """Every kernel with how many answers passed, the best one and the tuned baseline, per architecture with results."""
    found: dict[tuple[str, str], list[Standing]] = defaultdict(list)
    for standing in Standing.objects.comparable().select_related("kernel", "model"):
        found[standing.kernel.name, standing.arch].append(standing)
    archs = _archs_with_results(arch for _, arch in found)
    catalog = load_catalog()
    rows = [
        {
            "kernel": kernel,
            "summary": catalog[kernel.name].summary if kernel.name in catalog else kernel.title,
            "cells": [_kernel_cell(found.get((kernel.name, arch), [])) for arch in archs],
        }
        for kernel in Kernel.objects.active()
    ]
    return render(request, "leaderboard/kernels.html", {"section": "kernels", "kernels": rows, "archs": archs})


def _kernel_cell(standings: Sequence[Standing]) -> dict[str, Any]:
    models = [standing for standing in standings if not standing.model.is_baseline]
    tuned = [standing.speedup_best for standing in standings if standing.model.slug == "tuned"]
    return {
        "answers": sum(standing.answers for standing in models),
        "passed": sum(standing.passed for standing in models),
        "best": max((standing.speedup_best for standing in models if standing.speedup_best is not None), default=None),
        "tuned": tuned[0] if tuned else None,
    }


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


@with_selection()
def kernel(request: HttpRequest, selection: Selection, name: str) -> HttpResponse:
    """Distribution of every model's answers, memory against speed, the best answers, the task and the baselines' code."""
    found = get_object_or_404(Kernel, name=name)
    answers = _kernel_answers(found, selection)
    archs = _archs_with_results(answer.arch for answer in answers)
    groups = group_by_model(answers)
    rows = _answer_rows(answers, archs, found.memory_limit_mb)
    fast = [row for row in rows if row.answers[0] and row.answers[0].passed and not row.answers[0].is_baseline]
    passed = [row for row in rows if any(answer and answer.passed for answer in row.answers)]
    context = {
        "section": "kernels",
        "kernel": found,
        "archs": archs,
        "signature": highlight_c(f"{found.signature};", prefix="signature-"),
        "reference_ms": _reference_ms(answers, archs),
        "strips": [_strip(found, arch, selection) for arch in archs],
        "models": _model_rows(groups, archs),
        "memory_figure": f"{reverse('figure_kernel_memory', args=[found.name])}?{selection.query()}",
        "over_limit": _over_limit(answers, archs),
        "listed": passed[:LISTED_BEHIND_FIGURE],
        "not_listed": max(0, len(passed) - LISTED_BEHIND_FIGURE),
        "best": fast[:BEST_SHOWN],
        "best_columns": 2 * len(archs) + 3,
        **_texts(found.name),
    }
    return render(request, "leaderboard/kernel.html", context)


@with_selection()
def answers_figure(request: HttpRequest, selection: Selection, name: str, arch: str) -> HttpResponse:
    if arch not in ARCHS:
        raise Http404
    answers = _kernel_answers(get_object_or_404(Kernel, name=name), selection)
    groups = group_by_model(answers)
    ranked = [
        (slug, group)
        for slug, group in _by_best(groups, _archs_with_results(answer.arch for answer in answers))
        if (slug, arch) in groups and not group.answers[0].is_baseline
    ]
    shown = [(groups[slug, arch].answers[0].model, groups[slug, arch]) for slug, _ in ranked]
    baselines = {
        slug: group.best
        for (slug, where), group in groups.items()
        if where == arch and group.answers[0].is_baseline and group.best
    }
    every_speedup = [speedup for group in groups.values() for speedup in group.speedups]
    return JsonResponse(charts.answers_of_models(shown, arch, baselines, every_speedup))


@with_selection()
def memory_figure(request: HttpRequest, selection: Selection, name: str) -> HttpResponse:
    found = get_object_or_404(Kernel, name=name)
    answers = [answer for answer in _kernel_answers(found, selection) if not answer.is_baseline]
    return JsonResponse(charts.memory_against_speed(answers, selection.archs, found.memory_limit_mb))


def _kernel_answers(found: Kernel, selection: Selection) -> list[Answer]:
    return load_answers(Result.objects.rankable().on(found).filter(selection.filters))


def _archs_with_results(seen: Iterable[str]) -> tuple[str, ...]:
    present = set(seen)
    return tuple(arch for arch in ARCHS if arch in present)


def _by_best(groups: dict[tuple[str, str], Group], archs: Sequence[str]) -> list[tuple[str, Group]]:
    """(model's slug, one of its groups), by the best answer on the first architecture that has one; without any, last."""

    def order(slug: str) -> tuple[float, ...]:
        bests = [groups[slug, arch].best if (slug, arch) in groups else None for arch in archs]
        return tuple(-(best or 0.0) for best in bests)

    slugs = dict.fromkeys(slug for slug, _ in groups)
    return [(slug, next(groups[slug, arch] for arch in archs if (slug, arch) in groups)) for slug in sorted(slugs, key=order)]


def _model_rows(groups: dict[tuple[str, str], Group], archs: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "slug": slug,
            "name": group.answers[0].model,
            "is_baseline": group.answers[0].is_baseline,
            "groups": [groups.get((slug, arch)) for arch in archs],
        }
        for slug, group in _by_best(groups, archs)
    ]


def _answer_rows(answers: Sequence[Answer], archs: Sequence[str], limit_mb: float) -> list[AnswerRow]:
    """Answers, each with its result on every architecture; fastest on the first architecture first."""
    by_uid: dict[str, dict[str, Answer]] = defaultdict(dict)
    for answer in answers:
        by_uid[answer.uid][answer.arch] = answer
    rows = [AnswerRow(answers=tuple(found.get(arch) for arch in archs), limit_mb=limit_mb) for found in by_uid.values()]
    return sorted(rows, key=lambda row: tuple(-(a.speedup or 0.0) if a else 0.0 for a in row.answers))


def _reference_ms(answers: Sequence[Answer], archs: Sequence[str]) -> list[tuple[str, float]]:
    """The reference's time as measured beside a baseline that passed (the naive one is over the limit of some kernels)."""
    found = {answer.arch: answer.ref_ms for answer in answers if answer.is_baseline and answer.ref_ms}
    return [(arch, found[arch]) for arch in archs if arch in found]


def _over_limit(answers: Sequence[Answer], archs: Sequence[str]) -> list[tuple[str, int]]:
    counts = {arch: sum(a.arch == arch and a.verdict == "memory_limit" and not a.is_baseline for a in answers) for arch in archs}
    return [(arch, n) for arch, n in counts.items() if n]


def _strip(found: Kernel, arch: str, selection: Selection) -> dict[str, str]:
    address = reverse("figure_kernel_answers", args=[found.name, arch])
    return {
        "arch": arch,
        "url": f"{address}?{selection.query()}",
        "label": f"Strip plot of the speedup of every passed answer, one row a model, on {arch}; the table behind it follows.",
    }


def _texts(name: str) -> dict[str, Any]:
    """The task and the baselines' code, from the kernel's folder; nothing for a retired kernel."""
    try:
        spec: KernelSpec = get_kernel(name)
    except UnknownKernel:
        return {}
    return {
        "summary": spec.summary,
        "prompt": spec.prompt,
        "reference": highlight_c(spec.reference_source, prefix="R"),
        "reference_lines": spec.reference_source.count("\n"),
        "tuned": highlight_c(spec.tuned_source, prefix="T"),
        "tuned_lines": spec.tuned_source.count("\n"),
    }

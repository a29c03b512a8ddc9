"""The list of kernels, a kernel's page, its figures."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from grading.architectures import ARCHS
from grading.result import Verdict
from kernels.catalog import UnknownKernel, get_kernel, load_catalog
from kernels.spec import KernelSpec
from leaderboard.board.answers import Answer, Group, answer_rows, by_best, group_by_model, load_answers
from leaderboard.board.marks import DOUBTFUL, NOT_COUNTED, left_out
from leaderboard.board.roofline import limits_of
from leaderboard.board.selection import Selection, with_selection
from leaderboard.figures import charts
from leaderboard.lib.highlight import highlight_c
from leaderboard.lib.text import listed
from leaderboard.models import Kernel, Result, Standing
from leaderboard.views.choices import suite_choices

BEST_SHOWN = 10
LISTED_BEHIND_FIGURE = 200


@with_selection()
def kernels(request: HttpRequest, selection: Selection) -> HttpResponse:
    """Every kernel with how many answers passed, the best one and the tuned baseline, per architecture with results."""
    found: dict[tuple[str, str], list[Standing]] = defaultdict(list)
    shown = replace(selection, models=()).narrowed
    for standing in Standing.objects.comparable().filter(shown).defer("per_answer").select_related("kernel", "model"):
        if not selection.models or standing.model.is_baseline or standing.model in selection.models:
            found[standing.kernel.name, standing.arch].append(standing)
    archs = _archs_with_results(arch for _, arch in found)
    catalog, known = load_catalog(), list(Kernel.objects.active())
    rows = [
        {
            "kernel": kernel,
            "summary": catalog[kernel.name].summary if kernel.name in catalog else kernel.title,
            "cells": [_kernel_cell(found.get((kernel.name, arch), [])) for arch in archs],
        }
        for kernel in selection.kernels or [kernel for kernel in known if kernel.suite == selection.suite]
    ]
    context = {
        "section": "kernels",
        "selection": selection,
        "suite_choices": suite_choices(selection, known),
        "kernels": rows,
        "archs": archs,
    }
    return render(request, "leaderboard/kernels.html", context)


def _kernel_cell(standings: Sequence[Standing]) -> dict[str, Any]:
    models = [standing for standing in standings if not standing.model.is_baseline]
    tuned = [standing.speedup_best for standing in standings if standing.model.is_baseline and standing.model.name == "tuned"]
    return {
        "answers": sum(standing.answers for standing in models),
        "passed": sum(standing.passed for standing in models),
        "best": max((standing.speedup_best for standing in models if standing.speedup_best is not None), default=None),
        "tuned": tuned[0] if tuned else None,
    }


@with_selection()
def kernel(request: HttpRequest, selection: Selection, name: str) -> HttpResponse:
    """Distribution of every model's answers, memory against speed, the best answers, the task and the baselines' code."""
    found, selection = _of_address(name, selection)
    answers = _kernel_answers(found, selection)
    archs = _archs_with_results(answer.arch for answer in answers)
    groups = group_by_model(answers)
    rows = answer_rows(answers, archs, found.memory_limit_mb)
    limits = limits_of(found, archs)
    fast = [row for row in rows if row.answers[0] and row.answers[0].passed and not row.answers[0].is_baseline]
    passed = [row for row in rows if any(answer and answer.passed for answer in row.answers)]
    context = {
        "section": "kernels",
        "selection": selection,
        "kernel": found,
        "archs": archs,
        "signature": highlight_c(f"{found.signature};", prefix="signature-"),
        "reference_ms": _reference_ms(answers, archs),
        "strips": [_strip(found, arch, selection) for arch in archs],
        "models": _model_rows(groups, archs),
        "memory_figure": f"{reverse('figure_kernel_memory', args=[found.name])}?{selection.query()}",
        "query": selection.query(kernels=(found,)),
        "over_limit": _over_limit(answers, archs),
        "listed": passed[:LISTED_BEHIND_FIGURE],
        "not_listed": max(0, len(passed) - LISTED_BEHIND_FIGURE),
        "best": fast[:BEST_SHOWN],
        "left_out": _left_out(found, selection),
        "hidden": selection.hide,
        "doubtful": listed(DOUBTFUL),
        "without_doubts": selection.query(kernels=(), hide=DOUBTFUL),
        "with_all": selection.query(kernels=(), hide=()),
        "limits": [limits[arch] for arch in archs if arch in limits],
        "best_limit": limits.get(archs[0]) if archs else None,
        "best_columns": 2 * len(archs) + 3 + (1 if archs and archs[0] in limits else 0),
        **_texts(found.name),
    }
    return render(request, "leaderboard/kernel.html", context)


@with_selection()
def answers_figure(request: HttpRequest, selection: Selection, name: str, arch: str) -> HttpResponse:
    if arch not in ARCHS:
        raise Http404
    found, selection = _of_address(name, selection)
    answers = _kernel_answers(found, selection)
    groups = group_by_model(answers)
    here = [groups[slug, arch] for slug in by_best(groups) if (slug, arch) in groups]
    models = [(group.model, group) for group in here if not group.is_baseline]
    baselines = {group.model: group.best for group in here if group.is_baseline and group.best}
    every_speedup = [speedup for group in groups.values() for speedup in group.speedups]
    return JsonResponse(charts.answers_of_models(models, arch, baselines, every_speedup, _limit_as_speedup(found, answers, arch)))


@with_selection()
def memory_figure(request: HttpRequest, selection: Selection, name: str) -> HttpResponse:
    found, selection = _of_address(name, selection)
    answers = [answer for answer in _kernel_answers(found, selection) if not answer.is_baseline]
    return JsonResponse(charts.memory_against_speed(answers, selection.archs, found.memory_limit_mb))


def _of_address(name: str, selection: Selection) -> tuple[Kernel, Selection]:
    """The kernel in the address, and the selection within its suite, which the address need not name."""
    found = get_object_or_404(Kernel, name=name)
    return found, replace(selection, suite=found.suite)


def _kernel_answers(found: Kernel, selection: Selection) -> list[Answer]:
    return load_answers(Result.objects.rankable().on(found).filter(selection.filters).filter(selection.unhidden))


def _left_out(found: Kernel, selection: Selection) -> dict[str, int]:
    """{mark: how many public results with it the page does not count}, those that are there."""
    hidden = dict.fromkeys((*NOT_COUNTED, *selection.hide))
    return left_out(Result.objects.public().on(found).filter(selection.filters), hidden)


def _archs_with_results(seen: Iterable[str]) -> tuple[str, ...]:
    present = set(seen)
    return tuple(arch for arch in ARCHS if arch in present)


def _model_rows(groups: dict[tuple[str, str], Group], archs: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for slug in by_best(groups):
        own = [groups.get((slug, arch)) for arch in archs]
        known = next(group for group in own if group)
        rows.append({"slug": slug, "name": known.model, "is_baseline": known.is_baseline, "groups": own})
    return rows


def _reference_ms(answers: Sequence[Answer], archs: Sequence[str]) -> list[tuple[str, float]]:
    """The reference's time as measured beside a baseline that passed (the naive one is over the limit of some kernels)."""
    found = {answer.arch: answer.ref_ms for answer in answers if answer.is_baseline and answer.ref_ms}
    return [(arch, found[arch]) for arch in archs if arch in found]


def _over_limit(answers: Sequence[Answer], archs: Sequence[str]) -> list[tuple[str, int]]:
    counts = {
        arch: sum(a.arch == arch and a.verdict == Verdict.MEMORY_LIMIT and not a.is_baseline for a in answers) for arch in archs
    }
    return [(arch, n) for arch, n in counts.items() if n]


def _limit_as_speedup(found: Kernel, answers: Sequence[Answer], arch: str) -> float | None:
    """The machine's limit against the reference's own throughput, which is an answer's without its speedup."""
    limit = limits_of(found, [arch]).get(arch)
    own = [a.throughput_m / a.speedup for a in answers if a.arch == arch and a.throughput_m and a.speedup]
    return limit.throughput_m / statistics.median(own) if limit and own else None


def _strip(found: Kernel, arch: str, selection: Selection) -> dict[str, str]:
    address = reverse("figure_kernel_answers", args=[found.name, arch])
    return {
        "arch": arch,
        "url": f"{address}?{selection.query()}",
        "label": f"Strip plot of the speedup of every passed answer, one row per model, on {arch}; the table behind it follows.",
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

"""A model's page and its figure."""

from __future__ import annotations

import math
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, F, Q
from django.db.models.functions import Ln
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from grading.architectures import ARCHS
from grading.scoring import FULL_SCORE_SPEEDUP
from grading.statistics import wilson
from leaderboard.board import verdicts
from leaderboard.board.answers import Group, group_by_kernel, load_answers
from leaderboard.board.marks import CONDITIONS, COUNTED, MEANINGS, marks
from leaderboard.board.rows import Row, board_rows
from leaderboard.board.selection import Selection, with_selection
from leaderboard.board.summaries import Summaries
from leaderboard.figures import charts
from leaderboard.figures.forest import failure_bar, rank_text
from leaderboard.lib import formatting
from leaderboard.lib.text import listed
from leaderboard.models import Bundle, BundleModel, Kernel, LanguageModel, Result, Submission
from leaderboard.models.querysets import COUNTED_SPEEDUP, EVERYTHING, ResultQuerySet
from leaderboard.views.choices import suite_choices
from leaderboard.views.submissions import for_whom_it_is

ANSWERS_A_PAGE = 100


@for_whom_it_is
@with_selection()
def language_model(request: HttpRequest, selection: Selection, slug: str) -> HttpResponse:
    """A model's page: its summary on each architecture, its kernels, its answers."""
    model = seen(request, slug)
    summaries = Summaries(suite=selection.suite)
    rows = [row for row in board_rows(Selection(suite=selection.suite), summaries) if row.model == model]
    archs = tuple(row.arch for row in rows)
    kernels = summaries.active_kernels
    in_suite = ~Q(kernel__in=summaries.elsewhere) if summaries.elsewhere else EVERYTHING
    groups = group_by_kernel(load_answers(counted(request, model).filter(in_suite)))
    submissions = (
        Submission.objects.seen_by(request.user)
        .by(model)
        .filter(in_suite)
        .light()
        .select_related("kernel")
        .order_by("kernel__position", "rollout", "id")
    )
    page = Paginator(submissions, ANSWERS_A_PAGE).get_page(request.GET.get("page"))
    of_suite = selection.suite_query
    hidden = "&".join([*([f"hide={','.join(selection.hide)}"] if selection.hide else []), *([of_suite[1:]] if of_suite else [])])
    context = {
        "section": "board",
        "selection": selection,
        "suite_choices": suite_choices(selection, summaries.all_kernels),
        "model": model,
        "private": is_private(request, model),
        "link": model.link if model.link.startswith(("https://", "http://")) else "",
        "submissions": page.paginator.count,
        "kernel_count": len(kernels),
        "full_score": FULL_SCORE_SPEEDUP,
        "rows": [_summary(row) for row in rows],
        "archs": archs,
        "all_archs": ARCHS,
        "groups": verdicts.FAILURE_GROUPS,
        "kernels": [{"name": kernel.name, "groups": [groups.get((kernel.name, arch)) for arch in archs]} for kernel in kernels],
        "figure": reverse("figure_model", args=[model.slug]) + of_suite,
        "heat_map": reverse("figure_model_scores", args=[model.slug]) + of_suite,
        "query": selection.query(models=(model,)),
        "trend": _trend(request, model, in_suite),
        "trend_figure": reverse("figure_model_bundles", args=[model.slug]) + of_suite,
        "prompts": _prompts(request, model),
        "page": page,
        "answers": _answers(request, page, selection),
        "hidden": selection.hide,
        "counted": listed(COUNTED),
        "mark_legend": [(word, MEANINGS[word], word in selection.hide) for word in CONDITIONS],
        "hide_query": f"{hidden}&" if hidden else "",
    }
    return render(request, "leaderboard/model.html", context)


@for_whom_it_is
@with_selection()
def model_figure(request: HttpRequest, selection: Selection, slug: str) -> HttpResponse:
    return JsonResponse(charts.answers_of_kernels(*_by_kernel(request, slug, selection)))


@for_whom_it_is
@with_selection()
def scores_figure(request: HttpRequest, selection: Selection, slug: str) -> HttpResponse:
    return JsonResponse(charts.scores_of_kernels(*_by_kernel(request, slug, selection)))


@for_whom_it_is
@with_selection()
def bundles_figure(request: HttpRequest, selection: Selection, slug: str) -> HttpResponse:
    rows = _trend(request, seen(request, slug), selection.in_suite)
    return JsonResponse(charts.bundles_of_model(rows, [arch for arch in ARCHS if any(row["arch"] == arch for row in rows)]))


def seen(request: HttpRequest, slug: str) -> LanguageModel:
    """A model with a public answer, or with one that this person may see; any other does not exist."""
    return get_object_or_404(LanguageModel.objects.seen_by(request.user), slug=slug)


def is_private(request: HttpRequest, model: LanguageModel) -> bool:
    """Whether it is seen for its private answers alone. Whoever is not signed in sees no such model."""
    return request.user.is_authenticated and not LanguageModel.objects.public().filter(pk=model.pk).exists()


def counted(request: HttpRequest, model: LanguageModel) -> ResultQuerySet:
    """What its figures are made of: rankable results; of a model that is private, those that would be if it were public."""
    if not is_private(request, model):
        return Result.objects.rankable().by(model)
    return Result.objects.current().native().trusted().up_to_date().by(model).seen_by(request.user)


def _by_kernel(
    request: HttpRequest, slug: str, selection: Selection
) -> tuple[dict[tuple[str, str], Group], list[str], list[str]]:
    """A model's answers; the kernels and the architectures that have some."""
    groups = group_by_kernel(load_answers(counted(request, seen(request, slug)).filter(selection.in_suite)))
    archs = [arch for arch in ARCHS if any(where == arch for _, where in groups)]
    known = Kernel.objects.active().of_suite(selection.suite).values_list("name", flat=True)
    names = [name for name in known if any(key == name for key, _ in groups)]
    return groups, names, archs


def _trend(request: HttpRequest, model: LanguageModel, in_suite: Q = EVERYTHING) -> list[dict[str, Any]]:
    """What each bundle that is shown brought of this model, oldest first, by architecture; empty where it is one only."""
    shown = Bundle.objects.public() | Bundle.objects.seen_by(request.user)
    brought_by = Q(submission__entries__first=True, submission__entries__bundle__in=shown.values("pk"))  # both of one entry
    results = counted(request, model).filter(in_suite).filter(brought_by)
    brought = F("submission__entries__bundle__pk")
    rows: list[dict[str, Any]] = [
        dict(row)
        for row in results.order_by(brought, "arch")
        .values(
            "arch", uid=F("submission__entries__bundle__uid"), when=F("submission__entries__bundle__created_at"), bundle=brought
        )
        .annotate(
            answers=Count("pk"),
            passed=Count("pk", filter=Q(passed=True)),
            score=Avg("kernel_score"),
            logs=Avg(Ln(COUNTED_SPEEDUP)),
        )
    ]
    for row in rows:
        row["rate"] = wilson(row["passed"], row["answers"])
        row["speedup"] = None if row["logs"] is None else math.exp(row["logs"])
    return rows if len({row["bundle"] for row in rows}) > 1 else []


def _prompts(request: HttpRequest, model: LanguageModel) -> list[BundleModel]:
    """How the model was asked, by bundle that is shown, oldest first; what a run does not say is left out."""
    shown = Bundle.objects.public() | Bundle.objects.seen_by(request.user)
    told = model.in_bundles.filter(bundle__in=shown.values("pk"), bundle__state=Bundle.State.IMPORTED).exclude(
        sampling={}, prompt=""
    )
    return list(told.select_related("bundle").order_by("bundle"))


def _summary(row: Row) -> dict[str, Any]:
    own = row.summary
    return {
        "arch": row.arch,
        "summary": own,
        "rank_text": rank_text(row) if row.rank else "",
        "best": [] if row.model.is_baseline else [(k, estimate) for k, estimate in own.best if estimate.value is not None],
        "pass_interval": formatting.span(own.pass_rate.low, own.pass_rate.high, unit=100, digits=0),
        "bar": failure_bar(row.arch, own.verdicts, own.answers),
    }


def _answers(request: HttpRequest, page: Page, selection: Selection) -> list[dict[str, Any]]:
    """The page's submissions, each with its current result on every architecture."""
    shown = list(page.object_list)
    results = (
        Result.objects.current()
        .seen_by(request.user)
        .filter(submission__in=shown)
        .filter(selection.unhidden)
        .light()
        .select_related("kernel")
    )
    found = {(result.submission_id, result.arch): _result(result) for result in results}
    return [{"submission": submission, "results": [found.get((submission.pk, arch)) for arch in ARCHS]} for submission in shown]


def _result(result: Result) -> dict[str, Any]:
    return {"verdict": result.verdict, "speedup": result.speedup, "extra_mb": result.extra_mb, "marks": marks(result)}

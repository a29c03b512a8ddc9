"""Two models against each other."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard.board.head_to_head import compare as compare_models
from leaderboard.board.selection import Selection, with_selection
from leaderboard.figures import charts
from leaderboard.models import LanguageModel, Standing


@with_selection()
def compare(request: HttpRequest, selection: Selection) -> HttpResponse:
    """?models=a,b: wins, ties and losses by kernel, differences with intervals; without two models the choice."""
    known = list(
        LanguageModel.objects.filter(pk__in=Standing.objects.comparable().filter(selection.in_suite).values("model")).order_by(
            "-kind", "name"
        )
    )
    chosen = list(selection.models[:2])
    context: dict[str, Any] = {
        "section": "compare",
        "selection": selection,
        "models": known,
        "chosen": chosen,
        "suggested": next((model for model in known if model not in (chosen or known[:1])), None),
        "query": selection.query(models=tuple(chosen)),
    }
    if len(chosen) == 2:
        a, b = chosen
        context |= {
            "a": a,
            "b": b,
            "comparisons": compare_models(a, b, selection),
            "figure": f"{reverse('figure_compare')}?{context['query']}",
            "swapped": selection.query(models=(b, a)),
            "signs": {"win": "◀ win", "tie": "= tie", "loss": "▶ loss", "": "–"},
        }
    return render(request, "leaderboard/compare.html", context)


@with_selection()
def differences_figure(request: HttpRequest, selection: Selection) -> HttpResponse:
    """The figure of the first two models chosen; 404 for fewer."""
    if len(selection.models) < 2:
        raise Http404
    a, b = selection.models[:2]
    return JsonResponse(charts.differences_of_kernels(a, b, compare_models(a, b, selection)))

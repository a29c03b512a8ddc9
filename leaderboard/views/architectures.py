"""amd64 against arm64: the same answers on both."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from kernels.spec import BASELINES
from leaderboard.board.architecture_ratios import details, ratios_of, shown_models
from leaderboard.board.selection import Selection, with_selection
from leaderboard.figures import charts
from leaderboard.models import Kernel

ROWS_A_PAGE = 50


@with_selection()
def architectures(request: HttpRequest, selection: Selection) -> HttpResponse:
    """Ratios overall and by kernel, and the answers that pass on one architecture only, with the reason."""
    found = ratios_of(selection)
    shown = shown_models(found)
    names = list(Kernel.objects.active().of_suite(selection.suite).values_list("name", flat=True))
    page = Paginator(found.one_sided, ROWS_A_PAGE).get_page(request.GET.get("page"))
    said = details(list(page.object_list))
    models = {ratios.model.pk: ratios.model for ratios in found.models}
    query = selection.query()
    context = {
        "section": "architectures",
        "selection": selection,
        "query": query,
        "found": found,
        "any_pairs": any(ratios.overall.pairs for ratios in found.models),
        "baselines": [r for r in found.models if r.model.is_baseline and r.model.name in BASELINES and r.overall.pairs],
        "shown": shown,
        "kernels": [{"name": name, "ratios": [ratios.kernels.get(name) for ratios in shown]} for name in names],
        "page": page,
        "one_sided": [{"one": one, "model": models[one.model_id], "detail": said.get(one.uid, "")} for one in page.object_list],
        "throughput_figure": f"{reverse('figure_architectures', args=['throughput'])}?{query}",
        "memory_figure": f"{reverse('figure_architectures', args=['memory'])}?{query}",
    }
    return render(request, "leaderboard/architectures.html", context)


@with_selection()
def ratios_figure(request: HttpRequest, selection: Selection, what: str) -> HttpResponse:
    names = list(Kernel.objects.active().of_suite(selection.suite).values_list("name", flat=True))
    return JsonResponse(charts.ratios_of_kernels(shown_models(ratios_of(selection)), names, what))

"""The queue, for people and as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.board.selection import Selection, with_selection
from leaderboard.lib import stale_cache
from leaderboard.models import Result
from leaderboard.models.querysets import ResultQuerySet
from leaderboard.queue.page import progress
from leaderboard.queue.status import queue_status

ROWS = 20


@with_selection()
def queue(request: HttpRequest, selection: Selection) -> HttpResponse:
    """Counts and progress of each architecture, what runs, what failed, what was graded last; public rows only."""
    stale_cache.moving.set(True)
    now = timezone.now()
    results = Result.objects.public().filter(_narrowed(selection)).light().select_related("submission", "kernel", "model")
    context = {
        "section": "queue",
        "selection": selection,
        "statuses": [status for status in progress() if status.arch in selection.archs],
        "running": [_seen(result, now) for result in results.running().order_by("started_at")[:ROWS]],
        "retrying": results.queued().filter(failure__gt="").order_by("-priority", "id")[:ROWS],
        "failed": results.failed().order_by("-id")[:ROWS],
        "graded": [_seen(result, now) for result in _last_graded(results, selection)],
    }
    return render(request, "leaderboard/queue.html", context)


@csrf_exempt  # it only reads, and a wrong method is to be told so
@require_safe
def api_queue(request: HttpRequest) -> JsonResponse:
    stale_cache.moving.set(True)
    return JsonResponse(queue_status())


def _narrowed(selection: Selection) -> Q:
    """The selection; without a named suite, of all suites, since hosts work on all of them."""
    return selection.narrowed if selection.in_other_suite else selection.in_all_suites


def _last_graded(results: ResultQuerySet, selection: Selection) -> ResultQuerySet:
    """Found by their ids first, which sorts no whole rows, and without asking for the state, whose index would win over that of
    the time; what has a time is done."""
    last = (
        Result.objects.public()
        .filter(_narrowed(selection))
        .exclude(graded_at=None)
        .order_by("-graded_at", "-id")
        .values_list("pk", flat=True)
    )
    return results.filter(pk__in=list(last[:ROWS])).order_by("-graded_at", "-id")


def _seen(result: Result, now: datetime) -> Any:
    """The result with its times, for the template."""
    values = {"for_s": _seconds(result.started_at, now), "took_s": _seconds(result.started_at, result.graded_at)}
    names = ("submission", "model", "kernel", "arch", "attempt", "verdict", "speedup", "graded_at")
    return {name: getattr(result, name) for name in names} | values


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return (end - start).total_seconds() if start and end else None

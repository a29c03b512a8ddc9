"""What a page says when the host cannot do what was asked: a full disk, a database that is away."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from leaderboard.lib import faults
from leaderboard.web import uploads
from leaderboard.web.refusals import wants_json

log = logging.getLogger(__name__)

AGAIN_S = 60
WHAT = "the request was not carried out; try again later"


class HostFaults:
    """An error of a view that is a fault of this host becomes 507 (no room) or 503, with its reason: nobody takes it for a bug,
    and a program tries again. Errors in other middlewares come to leaderboard.web.errors.server_error instead."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return answer(request, error)


def answer(request: HttpRequest, error: BaseException) -> HttpResponse | None:
    """The response to a fault of the host; None if the error is not one."""
    fault = faults.fault_of(error)
    if fault is None:
        return None
    log.warning("%s %s failed", request.method, request.path, exc_info=error)
    reason, status = faults.said(error, WHAT), uploads.NO_ROOM if fault.is_full else uploads.UNAVAILABLE
    headers = {"Retry-After": str(AGAIN_S), "Cache-Control": "no-store"}
    if wants_json(request):
        return JsonResponse({"detail": reason}, status=status, headers=headers)
    return HttpResponse(page(reason), status=status, headers=headers)


def page(reason: str) -> str:
    """It asks the database nothing, not even who is signed in."""
    return render_to_string("leaderboard/host_fault.html", {"reason": reason})

"""Health checks for whoever watches the service: does the process answer, and can it serve?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from leaderboard.web import readiness


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nothing else, so that a slow database does not get it killed."""
    return HttpResponse("ok", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 and "ok", or 503 and the reasons, in the first line; then a line per check. A silent cluster is named, with 200:
    pages do not need it."""
    checks = readiness.checks()
    failed = [check.reason for check in checks if check.stops and check.reason]
    lines = ["; ".join(failed) or "ok", *(check.line for check in checks)]
    return HttpResponse("\n".join(lines) + "\n", status=503 if failed else 200, content_type="text/plain; charset=utf-8")

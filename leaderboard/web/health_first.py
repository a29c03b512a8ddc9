"""First of the middleware: /healthz and /readyz are answered whatever the Host and the scheme, to whoever watches the process.

A container's own check, a load balancer and an orchestrator ask by address, not by the names in ALLOWED_HOSTS.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from leaderboard.web import health

VIEWS = {"/healthz": "healthz", "/readyz": "readyz"}


class HealthFirst:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if view := VIEWS.get(request.path_info):
            answer: HttpResponse = getattr(health, view)(request)
            answer["Content-Length"] = str(len(answer.content))
            return answer
        return self.get_response(request)

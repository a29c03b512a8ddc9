"""The last page: what no view and no middleware has answered."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from leaderboard.web.host_faults import answer


def server_error(request: HttpRequest) -> HttpResponse:
    """A fault of the host says so, wherever it was met; anything else is a bug of ours."""
    error = sys.exc_info()[1]
    return (answer(request, error) if error else None) or defaults.server_error(request)

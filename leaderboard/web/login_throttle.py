"""Whoever guesses passwords is stopped for a while: django-axes counts failed logins by name and address.

Chosen over code of our own because it is kept up (a release for each Django), counts in the database, which all processes share,
and covers every form that calls `authenticate`: the admin's and that of /try/.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from axes.backends import AxesStandaloneBackend
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class LoginThrottle(AxesStandaloneBackend):
    """First of the backends. A command that checks a password has no request, and no address to be stopped at."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **more: Any
    ) -> None:
        if request is not None:
            super().authenticate(request, username, password, **more)


def stopped(
    request: HttpRequest, response: HttpResponse | None = None, credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """The page for whoever has to wait. For the longest that may be: asking again in between does not lengthen it."""
    pause: timedelta = settings.AXES_COOLOFF_TIME
    context = {"failure_limit": settings.AXES_FAILURE_LIMIT, "minutes": round(pause.total_seconds() / 60)}
    page = render(request, "leaderboard/locked.html", context, status=429)
    page["Retry-After"] = str(round(pause.total_seconds()))
    return page


def asked_too_often(request: HttpRequest) -> HttpResponse:
    """Refuse whoever asks for one mail after another, whether there is an account or not."""
    pause: timedelta = settings.AXES_COOLOFF_TIME
    page = render(request, "leaderboard/locked.html", {"mails": True, "minutes": round(pause.total_seconds() / 60)}, status=429)
    page["Retry-After"] = str(round(pause.total_seconds()))
    return page

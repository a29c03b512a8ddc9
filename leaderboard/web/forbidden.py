"""What is refused, with the right that it needs: a page of the site, one of the admin, or JSON for a program."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard.models import access
from leaderboard.web import rights
from leaderboard.web.refusals import wants_json


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The answer to PermissionDenied. Django's own pages of the admin do not say what was missing: their address does."""
    said = reason(request, exception)
    if wants_json(request):
        return JsonResponse({"detail": said}, status=403)
    context = {"title": "You may not do that", "reason": said}
    user = getattr(request, "user", None)
    if request.path.startswith(reverse("admin:index")) and user is not None and user.is_staff:
        return render(request, "admin/403.html", admin.site.each_context(request) | context, status=403)
    return render(request, "403.html", context, status=403)


def reason(request: HttpRequest, exception: Exception) -> str:
    if isinstance(exception, access.Missing):
        return rights.sentence(exception.right)
    if isinstance(exception, PermissionDenied) and str(exception):
        return str(exception)
    at = request.resolver_match
    right = access.right_to(at.url_name or "", request.method or "") if at else ""
    return rights.sentence(right) if right else "You may not do that. Ask an operator."

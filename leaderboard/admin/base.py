"""What the pages of the admin have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.contrib.admin import helpers
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

LOGGED_AT_MOST = 1000  # of one selection, row by row


class ReadOnlyAdmin(admin.ModelAdmin):
    """To look at: rows come from elsewhere."""

    show_full_result_count = False  # a second COUNT over a million rows

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def log_action(request: HttpRequest, rows: QuerySet[Any], message: str) -> None:
    """Into the admin's log, as an edit by hand would be. Called before the rows change: they may leave their selection."""
    LogEntry.objects.log_actions(request.user.pk, rows[:LOGGED_AT_MOST], CHANGE, change_message=message)  # type: ignore[arg-type]


def ask(
    modeladmin: admin.ModelAdmin, request: HttpRequest, rows: QuerySet[Any], *, title: str, question: str, reason: bool = False
) -> HttpResponse | None:
    """A page between an action and its effect. None once it has been answered (with a reason, where one is wanted)."""
    answered = "confirmed" in request.POST
    missing = reason and answered and not request.POST.get("reason", "").strip()
    if answered and not missing:
        return None
    across = request.POST.get("select_across") == "1"
    ids = request.POST.getlist(helpers.ACTION_CHECKBOX_NAME)
    context: dict[str, Any] = {
        **modeladmin.admin_site.each_context(request),
        "title": title,
        "question": question,
        "count": rows.count(),
        "rows": rows[:20],
        "ids": ids[:1] if across else ids,  # all of a filtered list need not be named one by one
        "across": across,
        "action": request.POST["action"],
        "reason": reason,
        "missing": missing,
        "opts": modeladmin.opts,
        "checkbox": helpers.ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/leaderboard/ask.html", context)


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


Action = Callable[[admin.ModelAdmin, HttpRequest, QuerySet[Model]], HttpResponse | None]

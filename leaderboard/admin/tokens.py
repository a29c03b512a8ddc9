"""Tokens for the HTTP API: made here and shown once; revoked here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from leaderboard.admin.base import Acting, in_bulk
from leaderboard.models import ApiToken, access
from leaderboard.services import tokens


@admin.register(ApiToken)
class ApiTokenAdmin(Acting):
    """Everybody makes, sees and revokes their own; who has the right to it sees and revokes those of others, and superusers make
    them, too."""

    list_display = ["label", "start", "user", "created_at", "used_at", "revoked_at"]
    list_select_related = ["user"]
    search_fields = ["label", "start", "user__username"]
    readonly_fields = ["start", "created_at", "used_at", "revoked_at"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter), ("used_at", admin.EmptyFieldListFilter)]
    actions = ["revoke"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        rows = super().get_queryset(request)
        return rows if access.has(request.user, "revoke_apitoken") else rows.filter(user=request.user.pk)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may make tokens sees a list of their own."""
        return super().has_view_permission(request, obj) or access.has(request.user, "add_apitoken")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        whose = ["user"] if obj or request.user.is_superuser else []
        return [*whose, "label", *(self.readonly_fields if obj else [])]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A token is not edited: it is revoked, and another is made."""
        return obj is None and super().has_change_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: ModelForm, change: bool) -> None:
        owner = obj.user if request.user.is_superuser else request.user
        made, token = tokens.make(owner, obj.label)  # type: ignore[arg-type]
        obj.pk, obj.user_id, obj.start = made.pk, made.user_id, made.start
        messages.warning(request, f"The token, which is shown only now: {token}")

    revoke = in_bulk("revoke_tokens", "Revoke ...")

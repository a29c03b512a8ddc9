"""Actions on many rows: the question before, how far they are, what they did."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme

from leaderboard.admin.base import ReadOnlyAdmin, page_of_action, tell
from leaderboard.models import ApiToken, BulkAction, Bundle, access
from leaderboard.services import bulk_actions

OWNED = (ApiToken, Bundle)  # tables whose rows have an owner, who needs less
NAMED = 20  # of the chosen rows, on the page that asks


@admin.register(BulkAction)
class BulkActionAdmin(ReadOnlyAdmin):
    """Everybody sees and confirms their own; those who may look at all of them see all."""

    list_display = ["title", "state", "total", "position", "did", "user", "created_at", "finished_at"]
    list_filter = ["state", "action"]
    list_select_related = ["user"]
    search_fields = ["title", "reason", "user__username"]
    date_hierarchy = "created_at"
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[BulkAction]:
        rows = super().get_queryset(request).exclude(state=BulkAction.State.PENDING).defer("targets")
        return rows if access.has(request.user, "view_bulkaction") else rows.filter(user=request.user.pk)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may act on rows of their own has a list of their own actions."""
        return super().has_view_permission(request, obj) or any(
            access.has(request.user, right) for right, _ in access.OWN.values()
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="what it did")
    def did(self, action: BulkAction) -> str:
        return bulk_actions.summary_text(action) if action.state == BulkAction.State.DONE else action.error

    def get_urls(self) -> list[URLPattern]:
        state = self.admin_site.admin_view(self.state)
        return [path("<int:pk>/state/", state, name="leaderboard_bulkaction_state"), *super().get_urls()]

    def found(self, request: HttpRequest, pk: str) -> BulkAction:
        action = BulkAction.objects.filter(pk=pk).first() if pk.isdecimal() else None
        if action is None:
            raise Http404("There is no such action; an action that nobody confirms is deleted after a day.")
        if action.user_id != request.user.pk:
            access.require(request.user, "view_bulkaction")
            if action.state == BulkAction.State.PENDING:  # the page that asks names rows, which may be private
                raise access.Missing(bulk_actions.OPERATIONS[action.action].right)
        return action

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        action = self.found(request, object_id)
        operation = bulk_actions.OPERATIONS[action.action]
        asked = action.state == BulkAction.State.PENDING
        missing = False
        if request.method == "POST":
            if action.user_id != request.user.pk:
                raise PermissionDenied("Only the person who started it can continue it.")
            # again: a right may have been taken away since
            rows = operation.of._default_manager.filter(pk__in=action.targets if operation.of in OWNED else [])
            access.require_for_all(request.user, operation.right, rows)
            reason = request.POST.get("reason", "").strip()
            missing = asked and operation.reason and not reason
            if asked and not missing:
                return tell(request, bulk_actions.start(action, reason), self.back(request, action))
            if "retry" in request.POST:
                bulk_actions.retry(action)
                return HttpResponseRedirect(page_of_action(action))
        context = {
            **self.admin_site.each_context(request),
            "title": action.title,
            "opts": self.opts,
            "of": operation.of._meta,
            "action": action,
            "operation": operation,
            "missing": missing,
            "said": bulk_actions.summary_text(action),
            "back": self.back(request, action),
            "busy": action.state == BulkAction.State.RUNNING,
        }
        if asked:
            rows = operation.of._default_manager.filter(pk__in=action.targets[:NAMED])
            named = [str(row) for row in bulk_actions.with_names(operation, rows)]
            context |= {"losses": bulk_actions.losses(action), "named": named, "more": action.total - len(named)}
            return TemplateResponse(request, "admin/leaderboard/bulk/ask.html", context)
        return TemplateResponse(request, "admin/leaderboard/bulk/page.html", context)

    def state(self, request: HttpRequest, pk: int) -> JsonResponse:
        """How far it is, for the script that keeps its page up to date."""
        action = self.found(request, str(pk))
        busy = action.state == BulkAction.State.RUNNING
        said = (
            f"{action.position:,} of {action.total:,} done"
            if busy
            else f"{action.get_state_display()}: {bulk_actions.summary_text(action)}"
        )
        return JsonResponse({"stamp": f"{action.state} {action.position} {action.error}", "busy": busy, "said": said})

    def back(self, request: HttpRequest, action: BulkAction) -> str:
        """To the list it came from, with its filters; an address of this site only."""
        back = request.GET.get("back", "")
        opts = bulk_actions.OPERATIONS[action.action].of._meta
        if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
            return reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
        return back

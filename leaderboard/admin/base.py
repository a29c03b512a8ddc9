"""What the pages of the admin have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from leaderboard.models import BulkAction, access
from leaderboard.services import bulk_actions

LOGGED_AT_MOST = 1000  # of one selection, row by row
Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]
Rows = Callable[[QuerySet[Any]], QuerySet[Any]]


class Acting(admin.ModelAdmin):
    """An action of its list is offered to whoever has its right, and refused by name to anybody else."""

    def get_actions(self, request: HttpRequest, action_location: Any = None) -> dict[str, Any]:
        """The actions of a list. Since Django 6.1 (action_location) an object's own page could offer them; here none does."""
        if action_location is not None and action_location.name != "CHANGE_LIST":
            return {}
        offered: dict[str, Any] = super().get_actions(request)
        return {name: action for name, action in offered.items() if may_act(request, function_of(action))}

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if request.method == "POST" and self.has_view_or_change_permission(request):
            for name in set(request.POST.getlist("action")) & set(self.actions or ()) - set(self.get_actions(request)):
                raise access.Missing(right_of(self, name))
        return super().changelist_view(request, extra_context)


def function_of(action: Any) -> Any:
    """An object since Django 6.1, before that a tuple."""
    return action.func if hasattr(action, "func") else action[0]


def may_act(request: HttpRequest, action: Any) -> bool:
    operation = bulk_actions.OPERATIONS.get(getattr(action, "operation", ""))
    return operation is None or access.may(request.user, operation.right)


def right_of(modeladmin: admin.ModelAdmin, name: str) -> str:
    """What an action needs: its operation's permission, else the one that Django asks for."""
    action = getattr(modeladmin, name)
    if operation := getattr(action, "operation", ""):
        return bulk_actions.OPERATIONS[operation].right
    opts = modeladmin.model._meta
    return f"{opts.app_label}.{action.allowed_permissions[0]}_{opts.model_name}"


class ReadOnlyAdmin(Acting):
    """To look at: rows come from elsewhere."""

    show_full_result_count = False  # a second COUNT over a million rows

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class NamedValues(admin.AllValuesFieldListFilter):
    """A filter by the values that there are, without the empty one, which would be a link without a text."""

    def __init__(self, field: Any, *arguments: Any, **more: Any) -> None:
        super().__init__(field, *arguments, **more)
        self.lookup_choices = self.lookup_choices.exclude(**{field.name: ""})


class DeletesInBulk(ReadOnlyAdmin):
    """Deletes, one row as well as thousands, by the operation of that name: summaries and bundles have to follow."""

    deletion: str

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The question is asked on the action's own page."""
        if not self.has_delete_permission(request):
            raise access.Missing(f"delete_{self.opts.model_name}")
        found = self.get_object(request, object_id)
        if found is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined, no-any-return]
        if not self.has_delete_permission(request, found):
            raise access.Missing(f"delete_{self.opts.model_name}")
        rows = self.model._default_manager.filter(pk=found.pk)
        return begin(request, self.deletion, rows, reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))


class SeenInPart(ReadOnlyAdmin):
    """Whoever may view the table sees all of it; whoever may upload sees what their own bundles brought."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) or access.has(request.user, "add_bundle")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: Any = super().get_queryset(request)
        return rows.looked_through_by(request.user)  # type: ignore[no-any-return]


def in_bulk(name: str, description: str, rows: Rows = lambda rows: rows) -> Action:
    """An action of a list that does `name` to the chosen rows, or to those that `rows` finds for them, with that operation's
    right."""

    @admin.action(description=description)
    def act(modeladmin: Any, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        plain = modeladmin.model._default_manager.filter(pk__in=chosen.order_by().values("pk"))
        return begin(request, name, rows(plain), request.get_full_path())

    act.operation = name  # type: ignore[attr-defined]
    return act


def begin(request: HttpRequest, name: str, rows: QuerySet[Any], back: str) -> HttpResponse:
    """Ask on a page of its own where an operation wants that; else do it, and say what was done. Raises Missing."""
    access.require_for_all(request.user, bulk_actions.OPERATIONS[name].right, rows)
    action = bulk_actions.plan(name, rows, request.user)  # type: ignore[arg-type]
    query = urlencode({"back": back})
    if bulk_actions.OPERATIONS[name].question:
        return HttpResponseRedirect(f"{page_of_action(action)}?{query}")
    return tell(request, bulk_actions.start(action), back)


def tell(request: HttpRequest, action: BulkAction, back: str) -> HttpResponse:
    """Back to the list if it is done, else to the page that shows how far it is."""
    if action.state == BulkAction.State.DONE:
        messages.success(request, f"{action.title}: {bulk_actions.summary_text(action)}.")
        return HttpResponseRedirect(back)
    return HttpResponseRedirect(page_of_action(action))


def page_of_action(action: BulkAction) -> str:
    return reverse("admin:leaderboard_bulkaction_change", args=[action.pk])


def log_action(request: HttpRequest, rows: QuerySet[Any], message: str) -> None:
    """Into the admin's log, as an edit by hand would be. Called before the rows change: they may leave their selection."""
    LogEntry.objects.log_actions(request.user.pk, rows[:LOGGED_AT_MOST], CHANGE, change_message=message)  # type: ignore[arg-type]


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""Answers and their gradings: to look at, to grade again, to declare invalid."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading.result import Verdict
from leaderboard.admin.base import DeletesInBulk, SeenInPart, in_bulk
from leaderboard.board import marks as board_marks
from leaderboard.models import Bundle, BundleEntry, Result, Submission


class FromBundle(admin.SimpleListFilter):
    """Filter by the bundle that brought the answer: the bundle's page links here."""

    title = "bundle"
    parameter_name = "bundle"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        uid = request.GET.get(self.parameter_name, "")
        named = Bundle.objects.seen_by(request.user).filter(uid=uid.replace("\0", "")).values_list("uid", "name")
        return [(uid, f"{name} ({uid})") for uid, name in named] or ([(uid, "no such bundle")] if uid else [])

    def has_output(self) -> bool:
        return bool(self.value())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        brought = BundleEntry.objects.filter(bundle__uid=str(self.value()).replace("\0", "")).values("submission")
        return queryset.filter(**{"pk__in" if queryset.model is Submission else "submission__in": brought})


class ByVerdict(admin.SimpleListFilter):
    """The verdicts there can be: to look which there are would go through all rows."""

    title = "verdict"
    parameter_name = "verdict"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(verdict.value, verdict.value) for verdict in Verdict if verdict is not Verdict.INTERNAL_ERROR]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(verdict=self.value()) if self.value() else queryset


def answers_of(results: QuerySet[Any]) -> QuerySet[Any]:
    return Submission.objects.filter(pk__in=results.values("submission"))


def valid_results_of(answers: QuerySet[Any]) -> QuerySet[Any]:
    return Result.objects.done().filter(submission__in=answers.values("pk"), invalidated=False)


@admin.register(Submission)
class SubmissionAdmin(SeenInPart, DeletesInBulk):
    list_display = ["answer", "model", "kernel", "rollout", "public", "cut_short", "created_at", "page"]
    list_filter = ["public", "shown", "cut_short", FromBundle, "created_at", "kernel", "model__kind"]
    deletion = "delete_answers"
    list_select_related = ["model", "kernel"]
    search_fields = ["uid", "=identity", "model__name", "kernel__name"]
    actions = ["regrade", "make_public", "make_private", "invalidate", "delete_selected"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return super().get_queryset(request).defer("reply", "source")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """To look at; what can be done to it is an action."""
        return ["page", *(field.name for field in self.model._meta.fields if field.name != "id")]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return self.get_readonly_fields(request, obj)

    @admin.display(description="answer", ordering="id")
    def answer(self, submission: Submission) -> str:
        return submission.uid

    @admin.display(description="page")
    def page(self, submission: Submission) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("submission", args=[submission.uid]), submission.uid)

    regrade = in_bulk("regrade_answers", "Grade again")
    make_public = in_bulk("publish_answers", "Make public ...")
    make_private = in_bulk("hide_answers", "Make private ...")
    invalidate = in_bulk("invalidate_results", "Declare their results invalid ...", valid_results_of)
    delete_selected = in_bulk("delete_answers", "Delete ...")


@admin.register(Result)
class ResultAdmin(SeenInPart, DeletesInBulk):
    list_display = ["answer", "arch", "state", "verdict", "speedup", "current", "marks", "attempt", "why"]
    list_filter = [
        "state",
        "arch",
        ByVerdict,
        "is_current",
        FromBundle,
        "graded_at",  # a hierarchy of dates would go through all rows for every page
        "flagged",
        "invalidated",
        "emulated",
        "double",
        "drifting",
        "public",
        "kernel",
        "model__kind",
    ]
    list_select_related = ["model", "kernel", "submission"]
    search_fields = ["submission__uid", "model__name", "kernel__name"]
    deletion = "delete_results"
    actions = [
        *("regrade", "grade_again", "invalidate", "validate", "flag", "clear_flag", "make_public", "make_private"),
        *("first", "last", "cancel", "delete_selected"),
    ]
    editable = ("invalid_reason", "flag_note")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Result]:
        return super().get_queryset(request).defer("samples", "log", "seconds", "submission__reply", "submission__source")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        names = [field.name for field in self.model._meta.fields if field.name not in (*self.editable, "id")]
        return ["page", *names]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [*self.get_readonly_fields(request, obj), *self.editable]

    @admin.display(description="answer", ordering="id")
    def answer(self, result: Result) -> str:
        return f"{result.model} on {result.kernel}, {result.submission.rollout}"

    @admin.display(description="current", boolean=True, ordering="is_current")
    def current(self, result: Result) -> bool:
        return result.is_current

    @admin.display(description="marks")
    def marks(self, result: Result) -> str:
        ours = {"double": result.double, "private": not result.public}  # of which no reader learns
        return ", ".join([*board_marks.marks(result), *(mark for mark, applies in ours.items() if applies)])

    @admin.display(description="reason")
    def why(self, result: Result) -> str:
        """Why it failed, was flagged or declared invalid."""
        return (result.failure or result.invalid_reason or result.flag_note)[:160]

    @admin.display(description="page")
    def page(self, result: Result) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("submission", args=[result.submission.uid]), result.submission.uid)

    regrade = in_bulk("regrade_results", "Grade these answers again")
    grade_again = in_bulk("revive_results", "Retry gradings that failed on our side")
    invalidate = in_bulk("invalidate_results", "Declare invalid ...")
    validate = in_bulk("validate_results", "Take an invalidation back")
    flag = in_bulk("flag_results", "Too good to be true: flag ...")
    clear_flag = in_bulk("clear_flags", "Too good, and true: let it count ...")
    make_public = in_bulk("publish_answers", "Make these answers public ...", answers_of)
    make_private = in_bulk("hide_answers", "Make these answers private ...", answers_of)
    first = in_bulk("move_first", "Queue: first")
    last = in_bulk("move_last", "Queue: last")
    cancel = in_bulk("cancel_results", "Queue: cancel ...")
    delete_selected = in_bulk("delete_results", "Delete gradings ...")

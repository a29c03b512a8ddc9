"""Answers and their gradings: to look at, to grade again, to declare invalid."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.admin.base import ReadOnlyAdmin, ask, log_action, plural
from leaderboard.models import Result, Submission
from leaderboard.services import judgement, queueing


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["uid", "model", "kernel", "rollout", "public", "cut_short", "created_at"]
    list_filter = ["public", "cut_short", "kernel", "model__kind"]
    list_select_related = ["model", "kernel"]
    search_fields = ["uid", "=identity", "model__name", "kernel__name"]
    actions = ["regrade"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return super().get_queryset(request).defer("reply", "source")

    @admin.action(description="Grade again", permissions=["view"])
    def regrade(self, request: HttpRequest, submissions: QuerySet[Submission]) -> None:
        log_action(request, submissions, "Queued again.")
        queued = queueing.regrade(Submission.objects.filter(pk__in=submissions.values("pk")))
        messages.success(request, f"{plural(queued, 'grading')} queued.")


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    list_display = ["answer", "arch", "state", "verdict", "speedup", "current", "marks", "attempt", "why"]
    list_filter = [
        "state",
        "arch",
        "verdict",
        "is_current",
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
    actions = ["regrade", "grade_again", "invalidate", "validate", "clear_flag", "first", "last", "cancel"]
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
        marks = {
            "too good": result.flagged,
            "invalid": result.invalidated,
            "emulated": result.emulated,
            "double": result.double,
            "drifting": result.drifting,
            "private": not result.public,
        }
        return ", ".join(mark for mark, applies in marks.items() if applies)

    @admin.display(description="reason")
    def why(self, result: Result) -> str:
        """Why it failed, was flagged or declared invalid."""
        return (result.failure or result.invalid_reason or result.flag_note)[:160]

    @admin.display(description="page")
    def page(self, result: Result) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("submission", args=[result.submission.uid]), result.submission.uid)

    @admin.action(description="Grade these answers again", permissions=["change"])
    def regrade(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        log_action(request, results, "Queued again.")
        queued = 0
        for arch in queueing.ARCHS:
            chosen = results.filter(arch=arch).order_by().values("submission")
            queued += queueing.regrade(Submission.objects.filter(pk__in=chosen), [arch])
        messages.success(request, f"{plural(queued, 'grading')} queued.")

    @admin.action(description="Grade what failed on our side again", permissions=["change"])
    def grade_again(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        failed = Result.objects.filter(pk__in=results.values("pk")).failed()
        log_action(request, failed, "Queued again after our failure.")
        messages.success(request, f"{plural(queueing.revive(failed), 'grading')} queued.")

    @admin.action(description="Declare invalid ...", permissions=["change"])
    def invalidate(self, request: HttpRequest, results: QuerySet[Result]) -> HttpResponse | None:
        question = "They stop counting; an earlier result of the same answer becomes current. The reason is shown with them."
        if page := ask(self, request, results, title="Declare results invalid", question=question, reason=True):
            return page
        reason = request.POST["reason"].strip()
        log_action(request, results, f"Declared invalid: {reason}")
        changed = judgement.invalidate(list(results), reason)
        messages.success(request, f"{plural(changed, 'result')} declared invalid.")
        return None

    @admin.action(description="Take an invalidation back", permissions=["change"])
    def validate(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        log_action(request, results, "Invalidation taken back.")
        messages.success(request, f"{plural(judgement.validate(list(results)), 'result')} valid again.")

    @admin.action(description="Too good, and true: let it count ...", permissions=["change"])
    def clear_flag(self, request: HttpRequest, results: QuerySet[Result]) -> HttpResponse | None:
        question = "Somebody has read the code: the speedup is real, and counts from now on. The note is shown with it."
        if page := ask(self, request, results, title="Clear the flag", question=question, reason=True):
            return page
        note = request.POST["reason"].strip()
        log_action(request, results, f"Flag cleared: {note}")
        messages.success(request, f"{plural(judgement.clear_flag(list(results), note), 'flag')} cleared.")
        return None

    @admin.action(description="Queue: first", permissions=["change"])
    def first(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        self.prioritise(request, results, queueing.BASELINES_FIRST + 1)

    @admin.action(description="Queue: last", permissions=["change"])
    def last(self, request: HttpRequest, results: QuerySet[Result]) -> None:
        self.prioritise(request, results, -queueing.BASELINES_FIRST)

    def prioritise(self, request: HttpRequest, results: QuerySet[Result], priority: int) -> None:
        log_action(request, results, f"Priority {priority}.")
        moved = queueing.prioritise(Result.objects.filter(pk__in=results.values("pk")), priority)
        messages.success(request, f"{plural(moved, 'queued grading')} moved.")

    @admin.action(description="Queue: cancel ...", permissions=["change"])
    def cancel(self, request: HttpRequest, results: QuerySet[Result]) -> HttpResponse | None:
        question = "Gradings that are not done leave the queue; results that are done stay as they are."
        if page := ask(self, request, results, title="Cancel gradings", question=question):
            return page
        log_action(request, results, "Cancelled.")
        cancelled = queueing.cancel(Result.objects.filter(pk__in=results.values("pk")))
        messages.success(request, f"{plural(cancelled, 'grading')} cancelled.")
        return None

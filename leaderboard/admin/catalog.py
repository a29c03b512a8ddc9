"""Kernels, machines, workers: to look at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest

from leaderboard.admin.base import ReadOnlyAdmin, in_bulk
from leaderboard.models import Calibration, Kernel, Machine, Result, Submission, Worker


@admin.register(Kernel)
class KernelAdmin(ReadOnlyAdmin):
    list_display = ["name", "title", "version", "answers", "memory_limit_mb", "benchmark", "retired"]
    list_filter = ["suite", "retired"]
    search_fields = ["name", "title"]
    actions = ["regrade"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).annotate(n=Count("submissions"))
        return rows

    @admin.display(ordering="n")
    def answers(self, kernel: Any) -> int:
        return int(kernel.n)

    regrade = in_bulk("regrade_answers", "Grade all answers again", lambda rows: Submission.objects.filter(kernel__in=rows))


@admin.register(Machine)
class MachineAdmin(ReadOnlyAdmin):
    list_display = ["uid", "arch", "cpu_model", "vcpus", "compiler", "backend", "emulated", "measured", "first_seen"]
    list_filter = ["arch", "backend", "emulated"]
    search_fields = ["uid", "cpu_model", "compiler"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = (
            super().get_queryset(request).annotate(n=Count("results", filter=Q(results__state=Result.State.DONE)))
        )
        return rows

    @admin.display(description="results", ordering="n")
    def measured(self, machine: Any) -> int:
        return int(machine.n)


@admin.register(Calibration)
class CalibrationAdmin(ReadOnlyAdmin):
    list_display = ["measured_at", "machine", "place", "drifting", "note"]
    search_fields = ["place", "note", "machine__cpu_model"]
    date_hierarchy = "measured_at"
    list_filter = ["drifting", "machine__arch", "machine__backend"]
    list_select_related = ["machine"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ["name", "cluster", "reason", "started_at", "beat_at"]
    list_filter = ["cluster"]
    search_fields = ["name", "reason"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AttemptAdmin(ReadOnlyAdmin):
    """Failed logins; to delete one ends its pause."""

    list_display = ["attempt_time", "ip_address", "username", "failures_since_start", "user_agent"]
    list_filter = ["attempt_time"]
    search_fields = ["ip_address", "username"]
    fields = ["username", "ip_address", "user_agent", "path_info", "failures_since_start", "attempt_time"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

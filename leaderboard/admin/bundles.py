"""Bundles: their list and what can be done to many of them. Uploading and a bundle's own page: bundle_pages.py."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from leaderboard.admin.base import DeletesInBulk, NamedValues, in_bulk
from leaderboard.admin.bundle_pages import BundlePages, fault
from leaderboard.models import Bundle, Result, Submission


def answers_of(bundles: QuerySet[Any]) -> QuerySet[Any]:
    return Submission.objects.filter(entries__bundle__in=bundles.values("pk")).distinct()


def jobs_of(bundles: QuerySet[Any]) -> QuerySet[Any]:
    return Result.objects.filter(submission__in=answers_of(bundles).values("pk"))


def valid_results_of(bundles: QuerySet[Any]) -> QuerySet[Any]:
    return Result.objects.done().filter(submission__in=answers_of(bundles).values("pk"), invalidated=False)


@admin.register(Bundle)
class BundleAdmin(BundlePages, DeletesInBulk):
    list_display = ["name", "what_it_is", "public", "format", "answers", "added", "skipped", "uploader", "created_at"]
    list_filter = ["state", "public", ("format", NamedValues), ("uploader", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["uploader"]
    search_fields = ["name", "uid", "sha256", "uploader__username", "models__name"]
    date_hierarchy = "created_at"
    deletion = "delete_bundles"
    actions = [*("regrade", "make_public", "make_private", "invalidate", "first", "last", "cancel", "delete_selected")]

    regrade = in_bulk("regrade_answers", "Grade their answers again", answers_of)
    make_public = in_bulk("publish_bundles", "Make public ...")
    make_private = in_bulk("hide_bundles", "Make private ...")
    invalidate = in_bulk("invalidate_results", "Declare all their results invalid ...", valid_results_of)
    first = in_bulk("move_first", "Queue: first", jobs_of)
    last = in_bulk("move_last", "Queue: last", jobs_of)
    cancel = in_bulk("cancel_results", "Queue: cancel ...", jobs_of)
    delete_selected = in_bulk("delete_bundles", "Delete ...")

    @admin.display(description="state", ordering="state")
    def what_it_is(self, bundle: Bundle) -> str:
        """What the page of a file that waits and can never be imported says."""
        waits_in_vain = bundle.state == Bundle.State.PREVIEW and not bundle.answers and fault(bundle)
        return "not a bundle" if waits_in_vain else bundle.get_state_display()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bundle]:
        return super().get_queryset(request).defer("report", "counts", "config")

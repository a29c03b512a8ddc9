"""Upload, look, confirm; then watch a bundle being graded."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from grading.architectures import ARCHS
from leaderboard.admin.bundle_forms import AgainForm, BundleModelForm, ConfirmForm, OverlapForm, UploadForm, bundle_model_forms
from leaderboard.lib import faults
from leaderboard.models import Bundle, BundleEntry, access
from leaderboard.queue import bundle_progress
from leaderboard.services import (
    bundle_decisions,
    bundle_files,
    bundle_lease,
    bundle_models,
    bundle_reading,
    leases,
    matching,
    queueing,
)
from leaderboard.storage import room
from leaderboard.web import uploads
from leaderboard.web.refusals import wants_json

log = logging.getLogger(__name__)

AT_WORK = (Bundle.State.READING, Bundle.State.IMPORTING, Bundle.State.DELETING)
NAMELESS = "no model name"  # how the reason of such rows begins
OUR_ERROR = re.compile(rf"{leases.OURS}|\w*(Error|Exception|Exit|Expired|Interrupt): ")  # how services.bundle_lease notes one
COLUMNS = 6  # models that stand side by side in the table of kernels; more are listed one per line


class BundlePages(admin.ModelAdmin):
    """A bundle is its uploader's, and everybody's who has the right to all of them."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bundle]:
        rows: Any = super().get_queryset(request)
        return rows.seen_by(request.user)  # type: ignore[no-any-return]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may(request.user, "view_bundle", obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may(request.user, "change_bundle", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may(request.user, "delete_bundle", obj)

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("add/", self.refusing(wrap(self.add_view)), name="leaderboard_bundle_add"),
            path("<int:pk>/confirm/", wrap(self.confirm), name="leaderboard_bundle_confirm"),
            path("<int:pk>/again/", wrap(self.again), name="leaderboard_bundle_again"),
            path("<int:pk>/models/", wrap(self.models), name="leaderboard_bundle_models"),
            path("<int:pk>/state/", wrap(self.state), name="leaderboard_bundle_state"),
            path("<int:pk>/file/", wrap(self.download), name="leaderboard_bundle_file"),
            *super().get_urls(),
        ]

    def found(self, request: HttpRequest, pk: int, *, change: bool = False) -> Bundle:
        access.require(request.user, "view_bundle")
        bundle: Bundle | None = self.get_object(request, str(pk))
        if bundle is None:
            raise Http404("There is no such bundle.")
        if change:
            access.require(request.user, "change_bundle", bundle)
        return bundle

    # Upload

    def refusing(self, view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        """Too large an upload, or one that there is no room for, is refused by its announced length, on the form itself: the
        CSRF check would read the whole body."""

        def refuse(request: HttpRequest) -> HttpResponse:
            if request.method == "POST" and self.has_add_permission(request):
                if uploads.is_too_large(request):
                    uploads.read_off(request)
                    return self.form_page(request, UploadForm(), refused=uploads.too_large())
                try:
                    uploads.check_room(request)
                except (faults.NoRoom, OSError) as error:
                    uploads.read_off(request)
                    return self.no_room(request, error)
            return view(request)

        refuse.csrf_exempt = True  # type: ignore[attr-defined]  # the view inside checks
        return refuse

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        access.require(request.user, "add_bundle")
        form = UploadForm(request.POST or None, request.FILES or None)
        if trouble := uploads.trouble_of(request):
            return self.no_room(request, trouble)
        if request.method == "POST" and form.is_valid():
            try:
                return self.receive(request, form)
            except Exception as error:
                if not faults.fault_of(error):
                    raise
                return self.no_room(request, error)
        return self.form_page(request, form)

    def no_room(self, request: HttpRequest, error: Exception) -> HttpResponse:
        """The host cannot keep it now: said on the form, with what is free and what is needed."""
        if not faults.fault_of(error):
            raise error
        status, reason = uploads.refusal(error, uploads.announced(request))
        log.warning("an upload was refused: %s", reason, exc_info=error)
        return self.form_page(request, UploadForm(), refused=reason, status=status)

    def form_page(self, request: HttpRequest, form: UploadForm, refused: str = "", status: int = 413) -> HttpResponse:
        """The form, with its errors; for the script that sends the file, only these."""
        faulty = bool(refused or (form.is_bound and form.errors))
        status = status if refused else 422 if faulty else 200
        if faulty and wants_json(request):
            errors = {"file": [refused]} if refused else {name: list(found) for name, found in form.errors.items()}
            return JsonResponse({"errors": errors}, status=status)
        context = {
            **self.admin_site.each_context(request),
            "title": "Upload a bundle",
            "form": form,
            "refused": refused,
            "opts": self.opts,
            "limit_mb": settings.UPLOAD_MAX_MB,
            "limit_bytes": uploads.limit_bytes(),
            "read_now_mb": settings.BUNDLE_READ_NOW_MB,
        }
        return TemplateResponse(request, "admin/leaderboard/bundle/upload.html", context, status=status)

    def receive(self, request: HttpRequest, form: UploadForm) -> HttpResponse:
        file, values = form.cleaned_data["file"], form.cleaned_data
        try:
            bundle = bundle_files.keep_file(
                file,
                name=file.name,
                public=bool(values["public"]),
                model=values["model"],
                uploader=request.user,  # type: ignore[arg-type]
            )
        except bundle_files.AlreadyThere as known:
            messages.warning(
                request,
                format_html('The same file is here already: <a href="{}">{}</a>.', page_of(known.bundle), known.bundle.name),
            )
            return gone_to(request, page_of(known.bundle))
        self.log_addition(request, bundle, [{"added": {}}])
        self.read(bundle)
        return gone_to(request, page_of(bundle))

    def read(self, bundle: Bundle) -> None:
        if bundle.size_bytes > settings.BUNDLE_READ_NOW_MB << 20:
            queueing.wake("housekeeping")
            return
        try:
            bundle_reading.read(bundle)
        except bundle_lease.Taken:
            pass
        except Exception:  # logged there; the page shows it, and the housekeeping cluster tries again
            queueing.wake("housekeeping")

    # One bundle

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not (object_id.isdecimal() and len(object_id) <= 20):  # Python reads no number of thousands of digits
            raise Http404("There is no such bundle.")
        return self.page(request, self.found(request, int(object_id)))

    def page(
        self, request: HttpRequest, bundle: Bundle, forms: list[BundleModelForm] | None = None, overlap: OverlapForm | None = None
    ) -> HttpResponse:
        if bundle.state in (Bundle.State.READING, Bundle.State.IMPORTING):
            bundle.error = bundle.error or room.why_not(bundle.size_bytes)
        preview = bundle.state == Bundle.State.PREVIEW
        graded = bundle.state == Bundle.State.IMPORTED
        counts = bundle_progress.counts(bundle) if graded else {}
        moving = bundle_progress.moving(bundle, counts) if graded else []
        rows = list(bundle.models.select_related("model"))
        reasons = bundle.counts.get("reasons", {})
        open_overlap = preview and bool(matching.open_overlaps(bundle))
        context = {
            **self.admin_site.each_context(request),
            "title": bundle.name,
            "bundle": bundle,
            "opts": self.opts,
            "original": bundle,
            "confirm": ConfirmForm(initial={"public": "1" if bundle.public else ""}),
            "model_forms": (forms or bundle_model_forms(request, bundle)) if preview else [],
            "overlap": (overlap or OverlapForm()) if open_overlap else None,
            "overlaps": overlaps_of(bundle),
            "again": AgainForm(initial={"model": bundle.model_override}) if preview and NAMELESS in reasons else None,
            "nameless": reasons.get(NAMELESS, 0),
            "at_work": bundle.state in AT_WORK,
            "brought": bundle.entries.count() if bundle.state == Bundle.State.IMPORTING else 0,
            "moving": moving,
            "verdicts": bundle_progress.verdict_table(bundle_progress.verdicts(bundle, counts)) if graded else [],
            "archs": ARCHS,
            "models": rows,
            "kernels": kernel_table(rows) if len(rows) <= COLUMNS else [],
            "gradings": f"{reverse('admin:leaderboard_result_changelist')}?bundle={bundle.uid}",
            "import_label": import_label(bundle, undecided=open_overlap),
            "entries": first_entries(bundle) if graded else [],
            "reasons": reasons,
            "listed": bundle.report[:50],
            "further": bundle.report[50:],
            "unlisted": max(0, sum(reasons.values()) - len(bundle.report)),
            "may_see_models": access.has(request.user, "view_languagemodel"),
            "may_change": self.has_change_permission(request, bundle),
            "may_delete": self.has_delete_permission(request, bundle),
            "fault": fault(bundle),
            "busy": bundle.state in AT_WORK or any(row["waiting"] for row in moving),
        }
        return TemplateResponse(request, "admin/leaderboard/bundle/page.html", context)

    def state(self, request: HttpRequest, pk: int) -> JsonResponse:
        """How far it is, for the script that keeps its page up to date."""
        bundle = self.found(request, pk)
        if bundle.state == Bundle.State.IMPORTING:
            brought = bundle.entries.count()
            said = bundle.error or f"{brought:,} of {bundle.answers:,} answers imported"
            stamp = f"{brought} {bundle.error}"
        elif bundle.state == Bundle.State.IMPORTED:
            rows = bundle_progress.moving(bundle)
            stamp = str([(row["done"], row["waiting"], row["failed"], row["reason"]) for row in rows])
            said = "; ".join(f"{row['arch']}: {row['done']:,} of {row['total']:,} graded" for row in rows)
            busy = any(row["waiting"] for row in rows)
            return JsonResponse({"stamp": f"{bundle.state} {stamp}", "busy": busy, "said": said})
        else:
            stamp, said = bundle.error, bundle.get_state_display()
        return JsonResponse({"stamp": f"{bundle.state} {stamp}", "busy": bundle.state in AT_WORK, "said": said})

    def confirm(self, request: HttpRequest, pk: int) -> HttpResponse:
        bundle = self.found(request, pk, change=True)
        if request.method != "POST":
            return HttpResponseRedirect(page_of(bundle))
        form, about = ConfirmForm(request.POST), bundle_model_forms(request, bundle, bound=True)
        overlap = OverlapForm(request.POST) if matching.open_overlaps(bundle) else None
        if bundle.state != Bundle.State.PREVIEW:  # twice, or in two windows
            return HttpResponseRedirect(page_of(bundle))
        if not all_valid(form, *about, *([overlap] if overlap else [])):
            return self.page(request, bundle, about, overlap)
        for part in about:
            part.save()
        bundle_decisions.confirm(
            bundle, public=bool(form.cleaned_data["public"]), overlap=overlap.cleaned_data["overlap"] if overlap else ""
        )
        self.log_change(request, bundle, "Import confirmed.")
        messages.success(request, "Import started; answers are graded one by one.")
        return HttpResponseRedirect(page_of(bundle))

    def again(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Read it again: one that failed as it is, one that waits with a name for the rows that name no model."""
        bundle = self.found(request, pk, change=True)
        if request.method == "POST" and bundle_decisions.read_failed_again(bundle):
            self.log_change(request, bundle, "Read again after it had failed.")
            return HttpResponseRedirect(page_of(bundle))
        form = AgainForm(request.POST)
        if request.method == "POST" and form.is_valid() and bundle_decisions.read_again(bundle, form.cleaned_data["model"]):
            self.log_change(request, bundle, "Read again with another model name.")
            self.read(bundle)
        return HttpResponseRedirect(page_of(bundle))

    def models(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Mend afterwards what the preview was told."""
        bundle = self.found(request, pk, change=True)
        if bundle.state != Bundle.State.IMPORTED:
            return HttpResponseRedirect(page_of(bundle))
        forms = bundle_model_forms(request, bundle, bound=request.method == "POST")
        if request.method == "POST" and all_valid(*forms):
            for form in forms:
                form.save()
            rows = bundle.models.exclude(model=None).select_related("model")
            bundle_models.apply(bundle, {row.name: row.model for row in rows if row.model}, by=request.user)
            self.log_change(request, bundle, "Details of its models changed.")
            messages.success(request, "Saved.")
            return HttpResponseRedirect(page_of(bundle))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Models of {bundle.name}",
            "bundle": bundle,
            "opts": self.opts,
            "model_forms": forms,
        }
        return TemplateResponse(request, "admin/leaderboard/bundle/models.html", context)

    def download(self, request: HttpRequest, pk: int) -> FileResponse | HttpResponse:
        bundle = self.found(request, pk)
        try:
            stored = bundle.file.open("rb")
        except (FileNotFoundError, ValueError):  # ValueError: there never was one
            reason = f"The file of bundle {bundle.uid} ({bundle.name}) is no longer in the site's media folder."
            return render(request, "404.html", {"reason": reason}, status=404)
        return FileResponse(stored, as_attachment=True, filename=bundle.name, content_type="application/octet-stream")


def fault(bundle: Bundle) -> tuple[str, str] | None:
    """What is the matter with a file that cannot be imported, in two words and in a sentence."""
    if bundle.state == Bundle.State.FAILED:
        if bundle_lease.NOT_DELETED in bundle.error:
            return "It could not be deleted completely.", bundle.error
        ours = OUR_ERROR.match(bundle.error) is not None
        said = bundle.error or "The reason is in the log."
        if bundle.answers:
            return "It could not be imported.", said
        return ("It could not be read.", f"The fault is ours: {said}") if ours else ("Not a bundle.", said)
    nameless = NAMELESS in bundle.counts.get("reasons", {})  # with a name for their model, rows may be answers
    if bundle.state != Bundle.State.PREVIEW or bundle.answers or nameless:
        return None
    rows = "its only row" if bundle.rows == 1 else f"none of its {bundle.rows:,} rows"
    is_one = "is not one" if bundle.rows == 1 else "is one"
    return "Not a bundle.", f"It must contain answers to our kernels: {rows} {is_one}, for the reasons below."


def all_valid(*forms: BaseForm) -> bool:
    """Each is looked at, so that each shows what is wrong with it."""
    return all([form.is_valid() for form in forms])  # noqa: C419


def page_of(bundle: Bundle) -> str:
    return reverse("admin:leaderboard_bundle_change", args=[bundle.pk])


def gone_to(request: HttpRequest, address: str) -> HttpResponse:
    """A redirect; for the script that sent the file, its address."""
    return JsonResponse({"location": address}) if wants_json(request) else HttpResponseRedirect(address)


def overlaps_of(bundle: Bundle) -> list[dict[str, Any]]:
    """Earlier bundles that share answers, with their pages as long as they are there."""
    pages = dict(Bundle.objects.filter(uid__in=[told["uid"] for told in bundle.overlaps]).values_list("uid", "pk"))
    return [told | {"pk": pages.get(told["uid"]), "whole": told["shared"] == told["of"]} for told in bundle.overlaps]


def import_label(bundle: Bundle, *, undecided: bool) -> str:
    """The button that confirms the import. undecided: how many answers are new depends on what is said of an overlap."""
    if undecided:
        return "Import and grade what is new"
    if bundle.added:
        return f"Import and grade {bundle.added:,} new answer{'' if bundle.added == 1 else 's'}"
    return "Import: nothing in it is new"


def kernel_table(rows: list[Any]) -> list[dict[str, Any]]:
    """A row for each kernel with a count for each model."""
    names = sorted({kernel for row in rows for kernel in row.kernels})
    return [{"kernel": name, "cells": [(row, row.kernels.get(name, 0)) for row in rows]} for name in names]


def first_entries(bundle: Bundle) -> list[BundleEntry]:
    entries = bundle.entries.select_related("submission__model", "submission__kernel")
    return list(entries.defer("submission__reply", "submission__source").order_by("pk")[:20])

"""Bundles: upload, look, confirm; then watch them being graded."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from leaderboard.admin.base import ReadOnlyAdmin, ask, log_action, plural
from leaderboard.bundle_progress import progress, verdicts
from leaderboard.models import Bundle, Result, Submission
from leaderboard.services import deletion, importing, queueing, visibility

WAITING = (Bundle.State.READING, Bundle.State.IMPORTING)


class UploadForm(forms.Form):
    file = forms.FileField(
        help_text="A zip or tar.gz of a run folder, its bare traces.jsonl, or JSON lines: "
        '{"model": "...", "kernel": "...", "answer": "..."}. Nothing is graded before you have seen what is in it.'
    )
    model = forms.CharField(
        max_length=300, required=False, label="Model name", help_text="Only for rows that do not name their model."
    )
    public = forms.TypedChoiceField(
        choices=[("1", "Public: on the leaderboard, with every answer"), ("", "Private: only staff know of it")],
        coerce=bool,
        empty_value="",
        required=False,
        initial="1",
        widget=forms.RadioSelect,
        label="Who may see it",
    )


class ConfirmForm(forms.Form):
    public = UploadForm.base_fields["public"]


@admin.register(Bundle)
class BundleAdmin(ReadOnlyAdmin):
    list_display = ["name", "uid", "state", "public", "format", "answers", "added", "skipped", "uploader", "created_at"]
    list_filter = ["state", "public", "format"]
    list_select_related = ["uploader"]
    search_fields = ["name", "uid", "sha256", "uploader__username"]
    actions = ["make_public", "make_private", "regrade", "first", "last", "cancel", "delete_selected"]
    waiting_states: ClassVar = WAITING

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bundle]:
        return super().get_queryset(request).defer("report", "counts", "config")

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:pk>/confirm/", wrap(self.confirm), name="leaderboard_bundle_confirm"),
            path("<int:pk>/file/", wrap(self.download), name="leaderboard_bundle_file"),
            *super().get_urls(),
        ]

    # Upload

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = UploadForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            return self.receive(request, form)
        context = {
            **self.admin_site.each_context(request),
            "title": "Upload a bundle",
            "form": form,
            "opts": self.opts,
            "limit_mb": settings.UPLOAD_MAX_MB,
        }
        return TemplateResponse(request, "admin/leaderboard/bundle/upload.html", context)

    def receive(self, request: HttpRequest, form: UploadForm) -> HttpResponse:
        file, values = form.cleaned_data["file"], form.cleaned_data
        try:
            bundle = importing.keep_file(
                file,
                name=file.name,
                public=bool(values["public"]),
                model=values["model"],
                uploader=request.user,  # type: ignore[arg-type]
            )
        except importing.AlreadyThere as known:
            messages.warning(
                request,
                format_html('The same file is here already: <a href="{}">{}</a>.', page_of(known.bundle), known.bundle.name),
            )
            return HttpResponseRedirect(page_of(known.bundle))
        self.log_addition(request, bundle, [{"added": {}}])
        if bundle.size_bytes <= settings.BUNDLE_READ_NOW_MB << 20:
            try:
                importing.read(bundle)
            except importing.Taken:
                pass
            except Exception:  # logged there; the page shows it, and the housekeeping cluster tries again
                queueing.wake("housekeeping")
        else:
            queueing.wake("housekeeping")
        return HttpResponseRedirect(page_of(bundle))

    # One bundle

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        bundle = self.get_object(request, object_id)
        if bundle is None:
            raise Http404("There is no such bundle.")
        if not self.has_view_or_change_permission(request, bundle):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": bundle.name,
            "bundle": bundle,
            "opts": self.opts,
            "original": bundle,
            "confirm": ConfirmForm(initial={"public": "1" if bundle.public else ""}),
            "progress": progress(bundle) if bundle.state == Bundle.State.IMPORTED else [],
            "verdicts": verdicts(bundle) if bundle.state == Bundle.State.IMPORTED else [],
            "unlisted": max(0, sum(bundle.counts.get("reasons", {}).values()) - len(bundle.report)),
            "may_change": self.has_change_permission(request, bundle),
            "may_delete": self.has_delete_permission(request, bundle),
        }
        context["refresh"] = bundle.state in WAITING or any(row["waiting"] for row in context["progress"])
        return TemplateResponse(request, "admin/leaderboard/bundle/page.html", context)

    def confirm(self, request: HttpRequest, pk: int) -> HttpResponse:
        bundle = self.get_object(request, str(pk))
        if bundle is None:
            raise Http404("There is no such bundle.")
        if request.method != "POST" or not self.has_change_permission(request, bundle):
            raise PermissionDenied
        form = ConfirmForm(request.POST)
        if form.is_valid():
            importing.confirm(bundle, public=bool(form.cleaned_data["public"]))
            self.log_change(request, bundle, "Import confirmed.")
            messages.success(request, "The import has begun; its answers are graded one after another.")
        return HttpResponseRedirect(page_of(bundle))

    def download(self, request: HttpRequest, pk: int) -> FileResponse:
        bundle = self.get_object(request, str(pk))
        if bundle is None or not self.has_view_permission(request, bundle):
            raise Http404("There is no such bundle.")
        return FileResponse(
            bundle.file.open("rb"), as_attachment=True, filename=bundle.name, content_type="application/octet-stream"
        )

    # Actions

    @admin.action(description="Make public", permissions=["change"])
    def make_public(self, request: HttpRequest, bundles: QuerySet[Bundle]) -> HttpResponse | None:
        return self.show(request, bundles, True)

    @admin.action(description="Make private", permissions=["change"])
    def make_private(self, request: HttpRequest, bundles: QuerySet[Bundle]) -> HttpResponse | None:
        return self.show(request, bundles, False)

    def show(self, request: HttpRequest, bundles: QuerySet[Bundle], public: bool) -> HttpResponse | None:
        side = "public" if public else "private"
        question = f"Their answers become {side}, unless another bundle that is public brought them too."
        if page := ask(self, request, bundles, title=f"Make bundles {side}", question=question):
            return page
        log_action(request, bundles, f"Made {side}.")
        changed = sum(visibility.set_public(bundle, public) for bundle in list(bundles))
        messages.success(request, f"{plural(changed, 'answer')} made {side}.")
        return None

    @admin.action(description="Grade their answers again", permissions=["change"])
    def regrade(self, request: HttpRequest, bundles: QuerySet[Bundle]) -> None:
        log_action(request, bundles, "Queued all answers again.")
        answers = Submission.objects.filter(entries__bundle__in=bundles.values("pk")).distinct()
        messages.success(request, f"{plural(queueing.regrade(answers), 'grading')} queued.")

    @admin.action(description="Queue: first", permissions=["change"])
    def first(self, request: HttpRequest, bundles: QuerySet[Bundle]) -> None:
        self.prioritise(request, bundles, queueing.BASELINES_FIRST + 1)

    @admin.action(description="Queue: last", permissions=["change"])
    def last(self, request: HttpRequest, bundles: QuerySet[Bundle]) -> None:
        self.prioritise(request, bundles, -queueing.BASELINES_FIRST)

    def prioritise(self, request: HttpRequest, bundles: QuerySet[Bundle], priority: int) -> None:
        log_action(request, bundles, f"Priority {priority}.")
        moved = queueing.prioritise(jobs_of(bundles), priority)
        messages.success(request, f"{plural(moved, 'queued grading')} moved.")

    @admin.action(description="Queue: cancel ...", permissions=["change"])
    def cancel(self, request: HttpRequest, bundles: QuerySet[Bundle]) -> HttpResponse | None:
        question = "Gradings of their answers that are not done leave the queue; results that are done stay as they are."
        if page := ask(self, request, bundles, title="Cancel gradings", question=question):
            return page
        log_action(request, bundles, "Gradings cancelled.")
        cancelled = queueing.cancel(jobs_of(bundles))
        messages.success(request, f"{plural(cancelled, 'grading')} cancelled.")
        return None

    # Deletion: the stock pages, with our own account of what goes, and our own way of doing it

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        losses = [(bundle, deletion.loss(bundle)) for bundle in objs]
        counts = {
            "bundles": len(losses),
            "answers that only they brought": sum(loss.submissions for _, loss in losses),
            "gradings of these answers": sum(loss.results for _, loss in losses),
            "models without any other answer": sum(len(loss.models) for _, loss in losses),
        }
        lines = [
            f"{bundle.name}: {plural(loss.submissions, 'answer')}, {plural(loss.results, 'grading')}"
            + (f"; models: {', '.join(loss.models)}" if loss.models else "")
            + (f"; {plural(loss.kept, 'answer')} of other bundles too: they stay" if loss.kept else "")
            for bundle, loss in losses
        ]
        forbidden = set() if self.has_delete_permission(request) else {str(self.opts.verbose_name)}
        return lines, counts, forbidden, []

    def delete_model(self, request: HttpRequest, obj: Bundle) -> None:
        deletion.delete_bundle(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Bundle]) -> None:
        for bundle in list(queryset):
            deletion.delete_bundle(bundle)


def page_of(bundle: Bundle) -> str:
    return reverse("admin:leaderboard_bundle_change", args=[bundle.pk])


def jobs_of(bundles: QuerySet[Bundle]) -> QuerySet[Result]:
    """The gradings of what bundles brought."""
    return Result.objects.filter(submission__in=Submission.objects.filter(entries__bundle__in=bundles.values("pk")))

"""Models: what people know of them, and spellings to be merged."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet, URLField
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from leaderboard.admin.base import NamedValues, ReadOnlyAdmin, in_bulk, log_action, plural
from leaderboard.models import LanguageModel, Result, Submission
from leaderboard.services import language_models


def answers_of(models: QuerySet[Any]) -> QuerySet[Any]:
    return Submission.objects.filter(model__in=models.values("pk"))


def valid_results_of(models: QuerySet[Any]) -> QuerySet[Any]:
    return Result.objects.done().filter(model__in=models.values("pk"), invalidated=False)


@admin.register(LanguageModel)
class LanguageModelAdmin(ReadOnlyAdmin):
    list_display = ["name", "display_name", "kind", "provider", "weights", "released", "answers", "public_answers"]
    list_filter = ["kind", "weights", ("provider", NamedValues)]
    search_fields = ["name", "display_name", "slug", "provider", "aliases__name"]
    readonly_fields = ["name", "kind", "also_known_as"]
    fields = ["name", "also_known_as", "slug", "display_name", "kind", "provider", "weights", "released", "link", "notes"]
    actions = ["merge", "regrade", "make_public", "make_private", "invalidate"]
    date_hierarchy = "released"
    formfield_overrides = {URLField: {"assume_scheme": "https"}}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        public = Count("submissions", filter=Q(submissions__public=True))
        rows: QuerySet[Any] = super().get_queryset(request).annotate(n=Count("submissions"), n_public=public)
        return rows.exclude(kind=LanguageModel.Kind.TRIAL)

    @admin.display(ordering="n")
    def answers(self, model: Any) -> int:
        return int(model.n)

    @admin.display(description="public", ordering="n_public")
    def public_answers(self, model: Any) -> int:
        return int(model.n_public)

    @admin.display(description="also known as")
    def also_known_as(self, model: LanguageModel) -> str:
        return ", ".join(model.aliases.values_list("name", flat=True)) or "-"

    regrade = in_bulk("regrade_answers", "Grade all answers again", answers_of)
    make_public = in_bulk("publish_answers", "Make all answers public ...", answers_of)
    make_private = in_bulk("hide_answers", "Make all answers private ...", answers_of)
    invalidate = in_bulk("invalidate_results", "Declare all results invalid ...", valid_results_of)

    @admin.action(description="Merge into one model", permissions=["change"])
    def merge(self, request: HttpRequest, models: QuerySet[LanguageModel]) -> HttpResponse | None:
        chosen = models.filter(kind=LanguageModel.Kind.LLM)
        if chosen.count() < 2:
            messages.error(request, "Choose two models or more; baselines cannot be merged.")
            return None
        target = chosen.filter(pk=request.POST.get("target") or 0).first()
        if target is None:
            context = {**self.admin_site.each_context(request), "title": "Merge models", "models": chosen, "opts": self.opts}
            return TemplateResponse(request, "admin/leaderboard/merge.html", context)
        log_action(request, chosen, f"Merged into {target.name}.")
        merged = language_models.merge(chosen, target)
        messages.success(request, f"{plural(merged, 'model')} merged into {target.name}; the old names are now its aliases.")
        return None

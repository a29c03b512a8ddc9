"""Ask a model for answers, from the admin: at one of the endpoints that the site's operator has named (EVALUATION_ENDPOINTS)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from kernels.catalog import load_catalog
from kernels.spec import DEFAULT_SUITE
from leaderboard.admin.base import ReadOnlyAdmin
from leaderboard.evaluation.endpoints import known_endpoints
from leaderboard.models import Evaluation
from leaderboard.services import evaluations

ROLLOUTS_AT_MOST = 100


class EvaluationForm(forms.ModelForm):
    endpoint = forms.ChoiceField()
    model = forms.CharField(max_length=300, help_text="As the endpoint knows it.")
    kernels = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text=f"None chosen: all of {DEFAULT_SUITE}."
    )
    rollouts = forms.IntegerField(min_value=1, max_value=ROLLOUTS_AT_MOST, initial=3, help_text="Answers to each kernel.")
    temperature = forms.FloatField(required=False, min_value=0, max_value=5)
    max_tokens = forms.IntegerField(required=False, min_value=1)
    public = forms.BooleanField(required=False, help_text="Everybody sees its answers and results.")

    class Meta:
        model = Evaluation
        fields = ["endpoint", "model", "rollouts", "kernels", "temperature", "max_tokens", "public"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered: dict[str, Any] = {"endpoint": known_endpoints(settings.EVALUATION_ENDPOINTS), "kernels": load_catalog()}
        for field in self.fields.keys() & offered.keys():  # none when it is only looked at
            self.fields[field].choices = [(name, name) for name in offered[field]]  # type: ignore[attr-defined]

    def clean_model(self) -> str:
        name: str = self.cleaned_data["model"].strip()
        if not name.isprintable() or not name or name.startswith("-"):
            raise forms.ValidationError("The model's name, as the endpoint knows it.")
        return name


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    form = EvaluationForm
    list_display = ["model", "endpoint", "state", "answered", "errors", "total", "public", "user", "created_at", "finished_at"]
    list_filter = ["state", "endpoint"]
    list_select_related = ["user"]
    search_fields = ["model", "endpoint"]
    actions = ["stop", "resume"]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Without an endpoint in the settings, the pages of evaluations do not exist."""
        return bool(settings.EVALUATION_ENDPOINTS) and super().has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(settings.EVALUATION_ENDPOINTS) and admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An evaluation is started, stopped and resumed; what it requests is not edited."""
        return False

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = ["state", "answered", "errors", "total", "said", "bundle", "user", "created_at", "finished_at"]
        return [*self.form.Meta.fields, *(shown if obj else [])]

    def save_model(self, request: HttpRequest, obj: Evaluation, form: Any, change: bool) -> None:
        if not change:
            obj.user = request.user  # type: ignore[assignment]
            evaluations.begin(obj)

    @admin.action(description="Stop", permissions=["add"])
    def stop(self, request: HttpRequest, chosen: QuerySet[Evaluation]) -> None:
        stopped = sum(evaluations.stop(evaluation) for evaluation in chosen)
        messages.success(request, f"{stopped} stopped. Answers received so far are kept.")

    @admin.action(description="Resume", permissions=["add"])
    def resume(self, request: HttpRequest, chosen: QuerySet[Evaluation]) -> None:
        ended = chosen.filter(state__in=[Evaluation.State.FAILED, Evaluation.State.STOPPED, Evaluation.State.DONE])
        for evaluation in ended:
            evaluations.begin(evaluation)
        messages.success(request, f"{len(ended)} resumed. Answered questions are not asked again.")

"""The forms of an upload: the file, then what its preview asks of every model in it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest

from kernels.spec import BASELINES
from leaderboard.bundles.registry import FORMATS
from leaderboard.lib.text import clean
from leaderboard.models import Bundle, BundleModel, LanguageModel
from leaderboard.models.bundles import KINDS, WEIGHTS
from leaderboard.services import bundle_models

FORMS = 50  # models that are asked about; those with more answers come first


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Bundle",
        max_length=1000,
        help_text=f"A zip, tar.gz or tar.zst that holds any of these, or one of them alone: {', '.join(FORMATS.files)}. "
        "Nothing is graded before you have seen what is in it.",
        error_messages={"required": "Choose a file first.", "empty": "The file is empty."},
    )
    model = forms.CharField(
        max_length=300,
        required=False,
        label="Model name",
        help_text="Only for rows that do not name their model.",
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    public = forms.TypedChoiceField(
        choices=[
            (
                "",
                "Private: only you and the site's reviewers see it and its results; it is in no public page, count or export",
            ),
            ("1", "Public: on the leaderboard and in the exports, with every answer, its code and its reply, for everybody"),
        ],
        coerce=bool,
        empty_value="",
        required=False,
        initial="",  # what is public cannot be called back
        widget=forms.RadioSelect,
        label="Who may see it",
    )


class ConfirmForm(forms.Form):
    public = UploadForm.base_fields["public"]


class OverlapForm(forms.Form):
    """Asked only where an earlier bundle has a part of the answers."""

    overlap = forms.ChoiceField(
        choices=[
            (Bundle.Overlap.SAME, "The same run: the shared answers are here already, only the rest is new"),
            (Bundle.Overlap.ANOTHER, "Another run, in which some answers happen to be equal: all of them are new"),
        ],
        widget=forms.RadioSelect,
        label="Is it the same run?",
        error_messages={"required": "Say whether it is the same run or another one."},
    )


class AgainForm(forms.Form):
    model = UploadForm.base_fields["model"]


class BundleModelForm(forms.ModelForm):
    """One model of the bundle: its name for readers, and how it was asked."""

    sampling = forms.CharField(
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 40, "class": "ak-code", "spellcheck": "false"}),
        help_text="One setting per line: temperature = 0.7. Read from the run's configuration where it has them.",
    )

    class Meta:
        model = BundleModel
        fields = ["display_name", "provider", "kind", "weights", "prompt", "sampling"]
        labels = {"prompt": "System prompt"}
        help_texts = {
            "display_name": "What pages show instead of the name in the runs.",
            "provider": "Who made it.",
            "kind": "A baseline is shown beside the models and has no rank.",
            "prompt": "As recorded by the run; the task's own prompt belongs to the kernel.",
        }
        widgets = {
            "display_name": forms.TextInput(attrs={"class": "vTextField"}),
            "provider": forms.TextInput(attrs={"class": "vTextField"}),
            "prompt": forms.Textarea(attrs={"rows": 3, "cols": 40}),
        }

    def __init__(self, data: Any, request: HttpRequest, row: BundleModel, *, imported: bool) -> None:
        known = row.model or bundle_models.known_model(row.name, request.user)
        initial: dict[str, Any] = {"sampling": bundle_models.sampling_text(row.sampling)}
        if known:
            initial |= {name: getattr(row, name) or getattr(known, name) for name in bundle_models.DETAILS}
        super().__init__(data, prefix=f"m{row.pk}", instance=row, initial=initial)
        self.known = known
        self.fields["kind"] = forms.ChoiceField(choices=KINDS, disabled=imported, help_text=self.Meta.help_texts["kind"])
        self.fields["weights"] = forms.ChoiceField(choices=WEIGHTS, required=False)
        if known and not bundle_models.may_tell(request.user, known):
            for name in bundle_models.DETAILS:
                self.fields[name].disabled = True

    def clean_kind(self) -> str:
        kind = str(self.cleaned_data["kind"])
        if kind == LanguageModel.Kind.BASELINE and self.instance.name in BASELINES:
            raise forms.ValidationError(f"{self.instance.name} is one of our own baselines: an upload cannot add to it.")
        return kind

    def clean_sampling(self) -> dict[str, str]:
        try:
            return bundle_models.parse_sampling(self.cleaned_data["sampling"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_prompt(self) -> str:
        return clean(self.cleaned_data["prompt"])


def bundle_model_forms(request: HttpRequest, bundle: Bundle, *, bound: bool = False) -> list[BundleModelForm]:
    imported = bundle.state not in (Bundle.State.READING, Bundle.State.PREVIEW)
    rows = list(bundle.models.select_related("model")[:FORMS])
    if bound:  # a script need not send them: then what the run says holds
        rows = [row for row in rows if f"m{row.pk}-sampling" in request.POST]
    return [BundleModelForm(request.POST if bound else None, request, row, imported=imported) for row in rows]

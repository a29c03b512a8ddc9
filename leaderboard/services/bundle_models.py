"""What a bundle tells of its models: how many answers, how they were asked, and what people add in the preview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q

from leaderboard.bundles.runs import SAMPLING, SERVED
from leaderboard.lib.text import clean, shorten
from leaderboard.models import Bundle, BundleEntry, BundleModel, LanguageModel, Submission, access
from leaderboard.models.querysets import brought_by

MAX_MODELS = 500  # models of one bundle that are told one by one
DETAILS = ("display_name", "provider", "weights")
RUNS_APART = "\n\n(another run of the same bundle:)\n\n"


def refresh(bundle: Bundle, cells: Mapping[str, Counter[str]], asked: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """A row for each model; one that is there keeps what people have written into it."""
    biggest = sorted(cells, key=lambda name: (-cells[name].total(), name))[:MAX_MODELS]
    known = dict(bundle.models.values_list("name", "pk"))
    rows = [
        BundleModel(
            pk=known.get(name),
            bundle=bundle,
            name=name,
            answers=cells[name].total(),
            kernels=dict(cells[name]),
            prompt=shorten(RUNS_APART.join(asked.get(name, {}).get("system_prompt", ())), 20_000),
            sampling=sampling_of(asked.get(name, {})),
        )
        for name in biggest
    ]
    BundleModel.objects.bulk_create([row for row in rows if not row.pk])
    BundleModel.objects.bulk_update([row for row in rows if row.pk], ["answers", "kernels"], batch_size=100)
    bundle.models.exclude(name__in=biggest).delete()


def sampling_of(asked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Each setting with its values; several where several runs differ in it."""
    return {key: shorten(", ".join(asked[key]), 200) for key in (*SAMPLING, SERVED) if asked.get(key)}


def kinds(bundle: Bundle) -> dict[str, str]:
    """Names that are no language models, as the preview was told."""
    return dict(bundle.models.exclude(kind=LanguageModel.Kind.LLM).values_list("name", "kind"))


def apply(bundle: Bundle, models: Mapping[str, LanguageModel], by: Any = None) -> None:
    """The import is done: the models' own pages say what the preview was told, where `by` (else the uploader) may say it."""
    for row in bundle.models.filter(name__in=list(models)):
        model = models[row.name]
        BundleModel.objects.filter(pk=row.pk).update(model=model)
        told = {name: getattr(row, name) for name in DETAILS if getattr(row, name)}
        if told and may_tell(by or bundle.uploader, model):
            LanguageModel.objects.filter(pk=model.pk).update(**told)


def may_tell(user: Any, model: LanguageModel) -> bool:
    """Whether this person may say what pages tell of a model: a right, but for a model that only they have brought and of which
    nothing is told yet."""
    if access.has(user, "change_languagemodel"):
        return True
    elsewhere = BundleEntry.objects.filter(submission=OuterRef("pk")).exclude(bundle__uploader=access.pk_of(user))
    of_others = Submission.objects.by(model).filter(~brought_by(user) | Q(Exists(elsewhere)))
    return not any(getattr(model, name) for name in DETAILS) and not of_others.exists()


def known_model(name: str, user: Any = None) -> LanguageModel | None:
    """The language model that a run's name leads to; none where all of it is private to others."""
    known = LanguageModel.objects.filter(Q(name=name) | Q(aliases__name=name), kind=LanguageModel.Kind.LLM).first()
    if known is None or access.has(user, "view_languagemodel"):
        return known
    answers = Submission.objects.by(known)
    return known if answers.seen_by(user).exists() or not answers.exists() else None


def parse_sampling(text: str) -> dict[str, str]:
    """Lines of "name = value"; raises ValueError naming a line that is none."""
    found: dict[str, str] = {}
    for line in clean(text).splitlines():
        name, sign, value = (part.strip() for part in line.partition("="))
        if not line.strip():
            continue
        if not (name and sign and value) or len(name) > 60 or len(value) > 200:
            raise ValueError(f"Not of the form name = value: {shorten(line.strip(), 60)}")
        found[name] = value
    return found


def sampling_text(sampling: Mapping[str, Any]) -> str:
    return "\n".join(f"{name} = {value}" for name, value in sampling.items())

"""Models are made when their first answer comes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.db import IntegrityError, transaction

from leaderboard.lib.text import clean, shorten
from leaderboard.models import BundleModel, LanguageModel, ModelAlias, Result, Submission
from leaderboard.services import standings

SLUG_LENGTH = 110  # of 120: room for a number


def find_model(name: str, kind: str = LanguageModel.Kind.LLM) -> LanguageModel:
    """The model of exactly that name; made, with a free slug, when it is new. Safe when two make it at the same time."""
    name = shorten(clean(name), 300)
    while True:
        known = LanguageModel.objects.filter(name=name, kind=kind).first() or aliased(name, kind)
        if known:
            return known
        try:
            with transaction.atomic():
                return LanguageModel.objects.create(name=name, kind=kind, slug=free_slug(name))
        except IntegrityError:  # somebody was faster, with the name or with the slug
            continue


def aliased(name: str, kind: str) -> LanguageModel | None:
    if kind != LanguageModel.Kind.LLM:  # baselines and trials are ours: no spelling of a run leads to them, or from them
        return None
    return LanguageModel.objects.filter(aliases__name=name).first()


@transaction.atomic
def merge(sources: Iterable[LanguageModel], target: LanguageModel) -> int:
    """Make spellings of one model one model: answers move to `target`, and the old names lead there from now on."""
    gone = [source for source in sources if source != target and not source.is_baseline]
    standings.lock_models([target.pk, *(source.pk for source in gone)])
    for source in gone:
        Submission.objects.filter(model=source).update(model=target)
        Result.objects.filter(model=source).update(model=target)
        ModelAlias.objects.filter(model=source).update(model=target)
        BundleModel.objects.filter(model=source).update(model=target)
        ModelAlias.objects.update_or_create(name=source.name, defaults={"model": target})
        source.delete()
    standings.recompute(standings.cells_of(Result.objects.by(target)))
    return len(gone)


def free_slug(name: str) -> str:
    """stub/plain-7b -> stub-plain-7b; with a number where another model has that already."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:SLUG_LENGTH] or "model"
    slug, number = stem, 2
    while LanguageModel.objects.filter(slug=slug).exists():
        slug, number = f"{stem}-{number}", number + 1
    return slug

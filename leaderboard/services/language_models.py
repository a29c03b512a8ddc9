"""Models are made when their first answer comes."""

from __future__ import annotations

import re

from django.db import IntegrityError, transaction

from leaderboard.models import LanguageModel
from leaderboard.text import clean, shorten

SLUG_LENGTH = 110  # of 120: room for a number


def find_model(name: str, kind: str = LanguageModel.Kind.LLM) -> LanguageModel:
    """The model of exactly that name; made, with a free slug, when it is new. Safe when two make it at the same time."""
    name = shorten(clean(name), 300)
    while True:
        known = LanguageModel.objects.filter(name=name, kind=kind).first()
        if known:
            return known
        try:
            with transaction.atomic():
                return LanguageModel.objects.create(name=name, kind=kind, slug=free_slug(name))
        except IntegrityError:  # somebody was faster, with the name or with the slug
            continue


def free_slug(name: str) -> str:
    """stub/plain-7b -> stub-plain-7b; with a number where another model has that already."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:SLUG_LENGTH] or "model"
    slug, number = stem, 2
    while LanguageModel.objects.filter(slug=slug).exists():
        slug, number = f"{stem}-{number}", number + 1
    return slug

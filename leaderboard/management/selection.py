"""The options --kernel, --model and --arch, which several commands have."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Q, QuerySet

from grading.architectures import ARCHS
from leaderboard.models import Kernel, LanguageModel, Submission


def selection_arguments(parser: CommandParser) -> None:
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME", help="only this kernel (may be repeated)")
    parser.add_argument("--model", action="append", default=[], metavar="NAME", help="only this model, by name or by its address")
    parser.add_argument("--arch", action="append", default=[], choices=ARCHS, help="only this architecture")


def chosen_archs(options: dict[str, Any]) -> tuple[str, ...]:
    return tuple(options["arch"]) or ARCHS


def chosen_models(options: dict[str, Any]) -> list[LanguageModel]:
    return [model for name in options["model"] for model in models_named(name)]


def models_named(name: str) -> list[LanguageModel]:
    models = list(LanguageModel.objects.filter(Q(name=name) | Q(slug=name)))
    if not models:
        raise CommandError(f"no model {name!r}")
    return models


def chosen_submissions(options: dict[str, Any]) -> QuerySet[Submission]:
    """What --kernel and --model leave. A name that does not exist is an error, not an empty selection."""
    submissions = Submission.objects.all()
    for name in options["kernel"]:
        if not Kernel.objects.filter(name=name).exists():
            raise CommandError(f"no kernel {name!r}; there are: {', '.join(Kernel.objects.values_list('name', flat=True))}")
    if options["kernel"]:
        submissions = submissions.filter(kernel__name__in=options["kernel"])
    if options["model"]:
        submissions = submissions.filter(model__in=chosen_models(options))
    return submissions

"""The options --kernel, --model, --arch and --suite, which several commands have."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Q, QuerySet

from grading.architectures import ARCHS
from kernels.spec import DEFAULT_SUITE
from leaderboard.models import Kernel, LanguageModel, Submission


def selection_arguments(parser: CommandParser, *, suites: str = f"only this suite; default: {DEFAULT_SUITE}") -> None:
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME", help="only this kernel (may be repeated)")
    parser.add_argument("--model", action="append", default=[], metavar="NAME", help="only this model, by name or by its address")
    parser.add_argument("--arch", action="append", default=[], choices=ARCHS, help="only this architecture")
    parser.add_argument("--suite", default="", metavar="NAME", help=suites)


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
    """What --kernel, --model and --suite leave. A name that does not exist is an error, not an empty selection."""
    submissions = Submission.objects.all()
    for name in options["kernel"]:
        if not Kernel.objects.filter(name=name).exists():
            raise CommandError(f"no kernel {name!r}; there are: {', '.join(Kernel.objects.values_list('name', flat=True))}")
    if (suite := options["suite"]) and suite not in (known := Kernel.objects.suites()):
        raise CommandError(f"no suite {suite!r}; there are: {', '.join(known)}")
    if suite:
        submissions = submissions.filter(kernel__suite=suite)
    if options["kernel"]:
        submissions = submissions.filter(kernel__name__in=options["kernel"])
    if options["model"]:
        submissions = submissions.filter(model__in=chosen_models(options))
    return submissions

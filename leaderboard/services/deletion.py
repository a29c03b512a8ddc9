"""A bundle goes, and with it whatever only it brought."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from leaderboard.models import Bundle, BundleEntry, LanguageModel, Result, Submission
from leaderboard.services import standings, visibility

CHUNK = 500


@dataclass(frozen=True, kw_only=True)
class Loss:
    """What goes with a bundle: said before it is deleted."""

    submissions: int
    results: int
    models: list[str]
    kept: int  # its answers that other bundles brought too


def loss(bundle: Bundle) -> Loss:
    only = only_here(bundle)
    return Loss(
        submissions=only.count(),
        results=Result.objects.filter(submission__in=only).count(),
        models=list(models_left_empty(bundle).order_by("name").values_list("name", flat=True)),
        kept=bundle.entries.count() - only.count(),
    )


def only_here(bundle: Bundle) -> QuerySet[Submission]:
    others = BundleEntry.objects.filter(submission=OuterRef("pk")).exclude(bundle=bundle)
    return Submission.objects.filter(entries__bundle=bundle).filter(~Exists(others))


def models_left_empty(bundle: Bundle) -> QuerySet[LanguageModel]:
    rest = Submission.objects.filter(model=OuterRef("pk")).exclude(pk__in=only_here(bundle).values("pk"))
    return LanguageModel.objects.language_models().filter(submissions__entries__bundle=bundle).filter(~Exists(rest)).distinct()


def delete_bundle(bundle: Bundle) -> Loss:
    """Delete it. An import under way notices at its next chunk; a worker at one of its answers drops what it measures."""
    lost = loss(bundle)
    emptied = list(models_left_empty(bundle).values_list("pk", flat=True))
    with transaction.atomic():
        Bundle.objects.filter(pk=bundle.pk).update(lease_token=None)  # ends an import under way
        ids = list(only_here(bundle).values_list("pk", flat=True))
        shared = list(bundle.entries.exclude(submission__in=ids).values_list("submission_id", flat=True))
        standings.lock_models(Submission.objects.filter(pk__in=ids).values_list("model_id", flat=True).distinct())
        for start in range(0, len(ids), CHUNK):
            _delete_submissions(ids[start : start + CHUNK])
        bundle.entries.all().delete()
        for start in range(0, len(shared), CHUNK):
            visibility.refresh(Submission.objects.filter(pk__in=shared[start : start + CHUNK]))
        LanguageModel.objects.filter(pk__in=emptied).annotate(left=Count("submissions")).filter(left=0).delete()
        stored = bundle.file
        Bundle.objects.filter(pk=bundle.pk).delete()
        transaction.on_commit(lambda: stored.delete(save=False))
    return lost


def _delete_submissions(ids: list[int]) -> None:
    results = Result.objects.filter(submission__in=ids)
    cells = standings.cells_of(results)
    results.delete()
    BundleEntry.objects.filter(submission__in=ids).delete()
    Submission.objects.filter(pk__in=ids).delete()
    standings.recompute(cells)

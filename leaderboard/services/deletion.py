"""A bundle goes, and with it whatever only it brought."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    """Counted instead of looked for one by one: with 100,000 answers that would never end."""
    goes = dict(only_here(bundle).order_by().values_list("model").annotate(n=Count("pk")))
    have = dict(Submission.objects.filter(model__in=goes).order_by().values_list("model").annotate(n=Count("pk")))
    return LanguageModel.objects.filter(pk__in=[model for model, number in goes.items() if have[model] == number])


def delete_bundle(bundle: Bundle, on_chunk: Callable[[], None] = lambda: None) -> Loss:
    """Delete it, some hundred answers at a time, so that nobody waits long for the database; begun again, it goes on.

    An import under way notices at its next chunk; a worker at one of its answers drops what it measures.
    """
    lost = loss(bundle)
    Bundle.objects.filter(pk=bundle.pk).update(state=Bundle.State.DELETING, lease_token=None)  # ends an import under way
    take_back(bundle, on_chunk)
    with transaction.atomic():
        stored = bundle.file
        Bundle.objects.filter(pk=bundle.pk).delete()
        transaction.on_commit(lambda: stored.delete(save=False))
    return lost


def take_back(bundle: Bundle, on_chunk: Callable[[], None] = lambda: None) -> None:
    """What only this bundle brought goes, its other answers are no longer its own; the bundle itself stays."""
    emptied = list(models_left_empty(bundle).values_list("pk", flat=True))
    ids = list(only_here(bundle).order_by("model", "kernel", "pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        # Asked for again in each chunk: another bundle may have brought some of them meanwhile.
        delete_answers(only_here(bundle).filter(pk__in=ids[start : start + CHUNK]).values_list("pk", flat=True))
        on_chunk()
    shared = list(bundle.entries.values_list("submission_id", flat=True))
    for start in range(0, len(shared), CHUNK):
        chunk = shared[start : start + CHUNK]
        with transaction.atomic():
            bundle.entries.filter(submission__in=chunk).delete()
            visibility.refresh(Submission.objects.filter(pk__in=chunk))
        on_chunk()
    with transaction.atomic():
        LanguageModel.objects.filter(pk__in=emptied).annotate(left=Count("submissions")).filter(left=0).delete()


@transaction.atomic
def delete_answers(chosen: Iterable[int]) -> int:
    """Answers with their gradings, out of every bundle. Returns how many gradings went. For some hundred at a time."""
    ids = list(chosen)
    standings.lock_models(Submission.objects.filter(pk__in=ids).order_by().values_list("model_id", flat=True).distinct())
    results = Result.objects.filter(submission__in=ids)
    cells = standings.cells_of(results)
    deleted, _ = results.delete()
    BundleEntry.objects.filter(submission__in=ids).delete()
    Submission.objects.filter(pk__in=ids).delete()
    standings.recompute(cells)
    return deleted

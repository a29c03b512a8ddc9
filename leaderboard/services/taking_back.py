"""What a bundle brought goes, chunk by chunk: with the bundle, or without it where its import has failed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from leaderboard.models import Bundle, BundleEntry, LanguageModel, Result, Submission
from leaderboard.services import standings, visibility

CHUNK = 500


def only_here(bundle: Bundle) -> QuerySet[Submission]:
    others = BundleEntry.objects.filter(submission=OuterRef("pk")).exclude(bundle=bundle)
    return Submission.objects.filter(entries__bundle=bundle).filter(~Exists(others))


def models_left_empty(bundle: Bundle) -> QuerySet[LanguageModel]:
    """Counted instead of looked for one by one: with 100,000 answers that would never end."""
    goes = dict(only_here(bundle).order_by().values_list("model").annotate(n=Count("pk")))
    have = dict(Submission.objects.filter(model__in=goes).order_by().values_list("model").annotate(n=Count("pk")))
    return LanguageModel.objects.filter(pk__in=[model for model, number in goes.items() if have[model] == number])


def take_back(bundle: Bundle, on_chunk: Callable[[], None] = lambda: None) -> None:
    """What only this bundle brought goes, its other answers are no longer its own; the bundle itself stays."""
    ids = list(only_here(bundle).order_by("model", "kernel", "pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        # Asked for again in each chunk: another bundle may have brought some of them meanwhile.
        chosen = only_here(bundle).filter(pk__in=ids[start : start + CHUNK])
        with transaction.atomic():
            models = set(chosen.values_list("model_id", flat=True))
            delete_answers(chosen.values_list("pk", flat=True))
            # In the same transaction: killed in between, nobody would know any more that this bundle had brought the model.
            LanguageModel.objects.filter(~Exists(Submission.objects.filter(model=OuterRef("pk"))), pk__in=models).delete()
        on_chunk()
    shared = list(bundle.entries.values_list("submission_id", flat=True))
    for start in range(0, len(shared), CHUNK):
        chunk = shared[start : start + CHUNK]
        with transaction.atomic():
            bundle.entries.filter(submission__in=chunk).delete()
            visibility.refresh(Submission.objects.filter(pk__in=chunk))
        on_chunk()


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

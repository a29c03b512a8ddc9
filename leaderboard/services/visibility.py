"""Who may see what: a submission is public when a public bundle brought it (our baselines always are), unless somebody decided
about that very answer. Its results follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from leaderboard.models import Bundle, BundleEntry, LanguageModel, Result, Submission
from leaderboard.services import standings

CHUNK = 500
OTHERS = ~Q(identity__startswith="baseline:") & ~Q(model__kind=LanguageModel.Kind.TRIAL)  # than ours, which have no bundle


def set_public(bundle: Bundle, public: bool) -> int:
    """Publish or hide a bundle. Returns how many submissions changed sides: those of other bundles may stay as they are."""
    Bundle.objects.filter(pk=bundle.pk).update(public=public)
    bundle.public = public
    brought = Submission.objects.filter(entries__bundle=bundle)
    if not public:  # hidden means hidden: also what was shown by hand
        brought.filter(shown=True).update(shown=None)
    return refresh(brought)


def show(submission_ids: list[int], public: bool) -> int:
    """Publish or hide answers by hand, whatever their bundles say. Returns how many changed sides."""
    chosen = Submission.objects.filter(OTHERS, pk__in=submission_ids)
    chosen.update(shown=public)
    return refresh(chosen)


def refresh(submissions: QuerySet[Submission]) -> int:
    """Bring submissions, their results and the summaries in line with the bundles they are in."""
    whole = Q(bundle__state=Bundle.State.IMPORTED) | Q(bundle__imported_at__isnull=False)  # nothing of a bundle before all of it
    shown = Exists(BundleEntry.objects.filter(whole, submission=OuterRef("pk"), bundle__public=True))
    ought = submissions.annotate(ought=Coalesce("shown", shown)).filter(OTHERS)
    wrong = ought.filter(Q(ought=True, public=False) | Q(ought=False, public=True)).order_by("pk")
    changes: dict[bool, list[int]] = defaultdict(list)
    for pk, public in wrong.values_list("pk", "ought"):
        changes[public].append(pk)
    for public, ids in changes.items():
        for start in range(0, len(ids), CHUNK):
            _show(ids[start : start + CHUNK], public)
    return sum(map(len, changes.values()))


@transaction.atomic
def _show(submission_ids: Iterable[int], public: bool) -> None:
    rows = Submission.objects.filter(pk__in=submission_ids)
    standings.lock_models(rows.values_list("model_id", flat=True))
    rows.update(public=public)
    results = Result.objects.filter(submission__in=submission_ids)
    results.real().update(public=public)
    standings.recompute(standings.cells_of(results))

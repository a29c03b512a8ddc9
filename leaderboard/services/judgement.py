"""What people decide about results: invalid, looked at."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from leaderboard.models import Result
from leaderboard.services import standings


def invalidate(results: Iterable[Result], reason: str) -> int:
    """Declare results invalid: an earlier one becomes current, if there is one. The reason is shown with them."""
    changed = 0
    for result in results:
        with transaction.atomic():
            standings.lock_models([result.model_id])
            row = Result.objects.filter(pk=result.pk, state=Result.State.DONE, invalidated=False)
            cells = {standings.cell_of(result)}
            if row.update(invalidated=True, invalid_reason=reason, is_current=False):
                standings.recompute(cells | standings.refresh_current(result.submission_id, result.arch))
                changed += 1
    return changed


def validate(results: Iterable[Result]) -> int:
    """Take an invalidation back."""
    changed = 0
    for result in results:
        with transaction.atomic():
            standings.lock_models([result.model_id])
            if Result.objects.filter(pk=result.pk, invalidated=True).update(invalidated=False, invalid_reason=""):
                standings.recompute(standings.refresh_current(result.submission_id, result.arch))
                changed += 1
    return changed


def clear_flag(results: Iterable[Result], note: str) -> int:
    """A person has looked at a speedup too good to be true, and it is true: it counts from now on."""
    changed = 0
    for result in results:
        with transaction.atomic():
            standings.lock_models([result.model_id])
            if Result.objects.filter(pk=result.pk, flagged=True).update(flagged=False, flag_note=note):
                standings.recompute([standings.cell_of(result)])
                changed += 1
    return changed

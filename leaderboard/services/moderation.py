"""Decisions of reviewers about results: declared invalid, flagged, reviewed, deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.models import Result
from leaderboard.services import standings

CHUNK = 500


def invalidate(results: Iterable[Result], reason: str) -> int:
    """Declare results invalid: an earlier one becomes current, if there is one. The reason is shown with them."""
    valid = {"state": Result.State.DONE, "invalidated": False}
    return _decide(results, valid, {"invalidated": True, "invalid_reason": reason, "is_current": False})


def validate(results: Iterable[Result]) -> int:
    """Take an invalidation back."""
    return _decide(results, {"invalidated": True}, {"invalidated": False, "invalid_reason": ""})


def flag(results: Iterable[Result], note: str) -> int:
    """A person doubts them: they count in no summary until somebody clears the flag. The note is shown with them."""
    return _decide(results, {"state": Result.State.DONE, "flagged": False}, {"flagged": True, "flag_note": note})


def clear_flag(results: Iterable[Result], note: str) -> int:
    """A person has looked at a speedup too good to be true, and it is true: it counts from now on."""
    return _decide(results, {"flagged": True}, {"flagged": False, "flag_note": note})


def delete(results: Iterable[Result]) -> int:
    """Gradings go for good; an earlier one of the same answer becomes current, if there is one."""
    deleted = 0
    for rows in _chunks(results):
        with transaction.atomic():
            submissions, cells = _touched(rows)
            deleted += rows.delete()[0]
            standings.recompute(cells | standings.refresh_currents(submissions))
    return deleted


def _decide(results: Iterable[Result], before: dict[str, object], after: dict[str, object]) -> int:
    changed = 0
    for chunk in _chunks(results):
        with transaction.atomic():
            rows = chunk.filter(**before)
            submissions, cells = _touched(rows)
            changed += rows.update(**after)
            standings.recompute(cells | standings.refresh_currents(submissions))
    return changed


def _touched(rows: QuerySet[Result]) -> tuple[list[int], set[standings.Cell]]:
    """The submissions and the summaries of these results, whose models stay as they are until the transaction ends."""
    standings.lock_models(rows.order_by().values_list("model_id", flat=True).distinct())
    return list(rows.values_list("submission_id", flat=True)), set(standings.cells_of(rows))


def _chunks(results: Iterable[Result]) -> Iterator[QuerySet[Result]]:
    ids = [result.pk for result in results]
    for start in range(0, len(ids), CHUNK):
        yield Result.objects.filter(pk__in=ids[start : start + CHUNK])

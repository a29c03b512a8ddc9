"""Who works on a bundle: one at a time, under a lease that is renewed, tried again a few times if the work fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.bundles.types import BundleError
from leaderboard.lib.faults import fault_of, said
from leaderboard.lib.processes import return_large_blocks
from leaderboard.lib.text import clean
from leaderboard.models import Bundle, Submission
from leaderboard.services import deletion, standings
from leaderboard.storage import room

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=2)
ATTEMPTS = 5
Work = Callable[[UUID], dict[str, Any]]  # under that token; returns what is written to the bundle's row
Finish = Callable[[dict[str, Any], QuerySet[Submission]], None]  # with what is written, and the submissions that it brought


class Taken(Exception):
    """Somebody else is reading or importing this bundle right now, or it was deleted."""


def nothing_more(values: dict[str, Any], brought: QuerySet[Submission]) -> None:
    """The bundle's own row is all that is written."""


def worked_on(bundle: Bundle, state: str, work: Work, finish: Finish = nothing_more) -> Bundle:
    """Hold the bundle's lease while working, then write what came of it, and `finish` in the same transaction. Raises Taken."""
    now, token = timezone.now(), uuid4()
    free = Bundle.objects.stalled(now).filter(pk=bundle.pk, state=state)
    if not free.update(lease_token=token, lease_until=now + LEASE, attempt=bundle.attempt + 1):
        raise Taken
    return_large_blocks()
    held = Bundle.objects.filter(pk=bundle.pk, lease_token=token)
    with _put_off_by_the_host(bundle, held):
        _work(bundle, token, held, work, finish)
    bundle.refresh_from_db()
    return bundle


def _work(bundle: Bundle, token: UUID, held: QuerySet[Bundle], work: Work, finish: Finish) -> None:
    now = timezone.now()
    try:
        values = work(token) | {"error": ""}
    except Taken:
        raise
    except BundleError as error:
        values = getattr(error, "values", {}) | failed(bundle, token, clean(str(error)))
    except Exception as error:
        if fault_of(error):
            raise
        log.exception("bundle %s", bundle.uid)
        held.update(lease_until=now, error=f"{type(error).__name__}: {clean(str(error))}")
        if bundle.attempt + 1 < ATTEMPTS:
            raise
        values = failed(bundle, token, f"{type(error).__name__}: {clean(str(error))}")
    except BaseException:  # the process is being stopped: whoever comes next need not wait for the lease to run out
        held.update(lease_until=now)
        raise
    with transaction.atomic():
        brought = Submission.objects.filter(entries__bundle=bundle)
        standings.lock_models(brought.order_by().values_list("model_id", flat=True).distinct())
        if not held.update(lease_token=None, lease_until=None, **values):
            raise Taken
        finish(values, brought)


@contextmanager
def _put_off_by_the_host(bundle: Bundle, held: QuerySet[Bundle]) -> Iterator[None]:
    """A fault of the host says nothing of the bundle: no attempt is counted, and it is taken up again after a pause."""
    try:
        yield
    except Exception as error:
        if fault_of(error):
            what = "reading" if bundle.state == Bundle.State.READING else "import"
            reason = said(error, f"the {what} will be tried again")
            log.warning("bundle %s: %s", bundle.uid, reason, exc_info=error)
            with suppress(DatabaseError):  # it cannot be written either: then the lease runs out by itself
                held.update(lease_until=timezone.now() + room.pause(), attempt=bundle.attempt, error=reason)
        raise


def failed(bundle: Bundle, token: UUID, error: str) -> dict[str, Any]:
    deletion.take_back(bundle, lambda: renew(bundle, token))
    return {"state": Bundle.State.FAILED, "error": error, "imported_at": None}


def renew(bundle: Bundle, token: UUID) -> None:
    if not Bundle.objects.filter(pk=bundle.pk, lease_token=token).update(lease_until=timezone.now() + LEASE):
        raise Taken

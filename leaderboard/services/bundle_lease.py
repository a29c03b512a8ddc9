"""The lease on a bundle: one process at a time works on it, and failed work is retried a few times."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django_q.exceptions import TimeoutException

from leaderboard.bundles.types import BundleError
from leaderboard.lib.faults import fault_of, said
from leaderboard.lib.processes import return_large_blocks
from leaderboard.lib.text import clean
from leaderboard.models import Bundle, Submission
from leaderboard.services import standings, taking_back
from leaderboard.services.leases import Leases, kept
from leaderboard.storage import room

log = logging.getLogger(__name__)

ATTEMPTS = 5
TAKE_BACK_ATTEMPTS = 3  # more, to take back what a bundle brought that is given up
BEING_WORKED_ON = Q(state__in=[Bundle.State.READING, Bundle.State.IMPORTING, Bundle.State.DELETING])
NOT_DELETED = "It is not deleted completely."
DELETE_AGAIN = (
    "It is not retried. Once the cause is fixed (the log of the housekeeping cluster may name it), delete it once more, "
    "or choose “Read it again” on its page in the admin to keep it."
)
WORDS: dict[str, str] = {Bundle.State.READING: "reading", Bundle.State.IMPORTING: "import"}
Work = Callable[[UUID], dict[str, Any]]  # under that token; returns what is written to the bundle's row
Finish = Callable[[dict[str, Any], QuerySet[Submission]], None]  # with what is written, and the submissions that it brought


class Taken(Exception):
    """Somebody else is reading or importing this bundle right now, or it was deleted."""


def nothing_more(values: dict[str, Any], brought: QuerySet[Submission]) -> None:
    """The bundle's own row is all that is written."""


def worked_on(bundle: Bundle, state: str, work: Work, finish: Finish = nothing_more, *, patient: bool = False) -> Bundle:
    """Hold the bundle's lease while working, then write what came of it, and `finish` in the same transaction. Raises Taken.

    patient: wait for the end of the pause after a failed attempt, as the sweep does; a person's request need not.
    """
    token = BUNDLES.claim(bundle.pk, Q(state=state), at_once=not patient)
    if token is None:
        bundle.refresh_from_db()
        if bundle.state == Bundle.State.FAILED:  # its process had died once too often
            return bundle
        raise Taken
    return_large_blocks()
    with working(bundle, token):
        try:
            values = work(token) | {"error": ""}
        except BundleError as error:
            values = getattr(error, "values", {}) | failed(bundle, token, clean(str(error)))
        _write(bundle, token, values, finish)
    bundle.refresh_from_db()
    return bundle


def _write(bundle: Bundle, token: UUID, values: dict[str, Any], finish: Finish = nothing_more) -> None:
    with transaction.atomic():
        brought = Submission.objects.filter(entries__bundle=bundle)
        standings.lock_models(brought.order_by().values_list("model_id", flat=True).distinct())
        if not BUNDLES.finish(token, attempt=0, **values):
            raise Taken
        finish(values, brought)


@contextmanager
def working(bundle: Bundle, token: UUID) -> Iterator[None]:
    """Renew the lease meanwhile. Whatever goes wrong: the bundle is free afterwards, and says why. Nothing is raised where that
    has failed it."""
    with kept(BUNDLES, token), _let_go(bundle, token):
        yield


@contextmanager
def _let_go(bundle: Bundle, token: UUID) -> Iterator[None]:
    try:
        yield
    except Taken:
        raise
    except Exception as error:
        if fault_of(error):  # it says nothing of the bundle
            reason = said(error, f"the {WORDS.get(bundle.state, 'deletion')} will be tried again")
            log.warning("bundle %s: %s", bundle.uid, reason, exc_info=error)
            BUNDLES.give_back_surely(token, reason, pause_s=room.pause().total_seconds())
            raise
        log.exception("bundle %s", bundle.uid)
        BUNDLES.retry(token, f"{type(error).__name__}: {clean(str(error))}")
        if not Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.FAILED).exists():
            raise
    except TimeoutException:
        BUNDLES.hung(token)
        raise
    except BaseException:  # the process is being stopped: whoever comes next need not wait for the lease to run out
        BUNDLES.give_back(token)
        raise


def failed(bundle: Bundle, token: UUID, error: str) -> dict[str, Any]:
    taking_back.take_back(bundle, lambda: renew(bundle, token))
    return {"state": Bundle.State.FAILED, "error": error, "imported_at": None}


def give_up(row: Bundle, reason: str) -> None:
    """After the last attempt: take back what the bundle brought, which may be cut short like any other work."""
    bundle = Bundle.objects.get(pk=row.pk)
    if bundle.state == Bundle.State.DELETING:
        again = f"{reason.removesuffix(BUNDLES.advice)}{NOT_DELETED} {DELETE_AGAIN}"
        BUNDLES.free().filter(pk=bundle.pk).update(state=Bundle.State.FAILED, error=again)
        return
    if bundle.attempt >= ATTEMPTS + TAKE_BACK_ATTEMPTS:
        left = f"{reason} Its answers could not be removed; deleting the bundle removes them too."
        BUNDLES.free().filter(pk=bundle.pk).update(state=Bundle.State.FAILED, error=left)
        return
    token = BUNDLES.claim(bundle.pk)
    if token is None:
        return
    with working(bundle, token):
        _write(bundle, token, failed(bundle, token, reason))


def renew(bundle: Bundle, token: UUID, *, got_on: bool = False) -> None:
    """got_on: something is done that need not be done again, whoever comes next. Raises Taken."""
    if not (BUNDLES.got_on(token) if got_on else BUNDLES.renew(token)):
        raise Taken


BUNDLES = Leases(
    Bundle,
    what="bundle",
    reason="error",
    advice="It is not retried. Once the cause is fixed (the log of the housekeeping cluster may name it), send the same file "
    "again, or choose “Read it again” on its page in the admin.",
    waiting=BEING_WORKED_ON,
    holding=BEING_WORKED_ON,
    attempts=lambda: ATTEMPTS,
    give_up=give_up,
)

"""A bundle goes, and with it whatever only it brought.

Under the bundle's lease, as reading and importing: a deletion that was begun is carried through, whatever becomes of its process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from leaderboard.models import Bundle, Result
from leaderboard.services import bundle_lease, taking_back
from leaderboard.services.bundle_lease import BUNDLES

DELETING = Q(state=Bundle.State.DELETING)


class NotDeleted(Exception):
    """It was tried too often; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Loss:
    """What goes with a bundle: said before it is deleted."""

    submissions: int
    results: int
    models: list[str]
    kept: int  # its answers that other bundles brought too


def loss(bundle: Bundle) -> Loss:
    only = taking_back.only_here(bundle)
    return Loss(
        submissions=only.count(),
        results=Result.objects.filter(submission__in=only).count(),
        models=list(taking_back.models_left_empty(bundle).order_by("name").values_list("name", flat=True)),
        kept=bundle.entries.count() - only.count(),
    )


def delete_bundle(bundle: Bundle, on_chunk: Callable[[], None] = lambda: None) -> Loss:
    """Delete it, some hundred answers at a time, so that nobody waits long for the database; begun again, it goes on.

    An import under way notices at its next chunk; a worker at one of its answers drops what it measures. A deletion under way is
    left to whoever is at it. Raises NotDeleted.
    """
    lost = loss(bundle)
    others = Bundle.objects.filter(pk=bundle.pk).exclude(DELETING)
    others.update(  # ends an import under way
        state=Bundle.State.DELETING, error="", lease_token=None, lease_until=None, worker="", attempt=0, not_before=None
    )
    if token := BUNDLES.claim(bundle.pk, DELETING, at_once=True):
        _carry_through(bundle, token, on_chunk)
    if failed := Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.FAILED).first():
        raise NotDeleted(failed.error)
    return lost


def carry_on(bundle: Bundle, on_chunk: Callable[[], None] = lambda: None) -> None:
    """For the sweep: one whose process has died, or has failed at it."""
    if token := BUNDLES.claim(bundle.pk, DELETING):
        _carry_through(bundle, token, on_chunk)


def _carry_through(bundle: Bundle, token: UUID, on_chunk: Callable[[], None]) -> None:
    def got_on() -> None:
        bundle_lease.renew(bundle, token, got_on=True)  # what is deleted stays so
        on_chunk()

    try:
        with bundle_lease.working(bundle, token):
            taking_back.take_back(bundle, got_on)
            with transaction.atomic():
                bundle_lease.renew(bundle, token)
                stored = bundle.file
                Bundle.objects.filter(pk=bundle.pk).delete()
                transaction.on_commit(lambda: stored.delete(save=False))
    except bundle_lease.Taken:  # whoever took it carries it through
        pass

"""Evaluations from the admin: each runs in a process of its own, under a lease, and goes on where it was if that process dies.

Asking takes minutes or hours, so that it must not hold up a cluster: housekeeping only starts the process.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection
from django.db.models import F, Q
from django.utils import timezone

from leaderboard.models import Evaluation
from leaderboard.services import queueing
from leaderboard.storage import room

log = logging.getLogger(__name__)

ATTEMPTS = 5
LEASE = timedelta(seconds=90)
BEAT_S = 5.0
JOIN_S = 20.0  # for a last renewal under way; one that the database keeps waiting must not keep the work
State = Evaluation.State


def begin(evaluation: Evaluation) -> None:
    """Queue it, new or after it failed or was stopped."""
    evaluation.state, evaluation.attempt, evaluation.finished_at, evaluation.said = State.QUEUED, 0, None, ""
    evaluation.save()
    queueing.wake("housekeeping")


def stop(evaluation: Evaluation) -> bool:
    """Stop an evaluation: its process notices that the lease is gone, and ends; answers received so far are kept."""
    open_ones = Evaluation.objects.filter(pk=evaluation.pk, state__in=[State.QUEUED, State.RUNNING])
    return open_ones.update(state=State.STOPPED, lease_token=None, lease_until=None, finished_at=timezone.now()) == 1


def launch() -> None:
    """For the sweep: start the next one, unless one is under way. A dead one's lease runs out, and it is started again."""
    now = timezone.now()
    if Evaluation.objects.filter(state=State.RUNNING, lease_until__gte=now).exists():
        return
    due = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=now)
    following = Evaluation.objects.filter(due).order_by("id").first()
    if following is None:
        return
    if following.attempt >= ATTEMPTS:
        said = f"Its process died {ATTEMPTS} times. {following.said}"
        Evaluation.objects.filter(pk=following.pk).update(state=State.FAILED, said=said, finished_at=now)
        return
    room.check(0)  # a reply that cannot be kept is paid for in vain
    token = uuid4()
    values = {"state": State.RUNNING, "lease_token": token, "lease_until": now + LEASE, "attempt": F("attempt") + 1}
    if Evaluation.objects.filter(due, pk=following.pk, attempt=following.attempt).update(**values):
        start_process(following.pk, token)


def start_process(pk: int, token: UUID) -> None:
    """It ends with this worker, and is started again by the next; the lease tells which of two may write."""
    command = [sys.executable, "manage.py", "run_evaluation", str(pk), str(token)]
    environment = os.environ | {"DATA_DIR": str(settings.DATA_DIR)}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, env=environment)
    threading.Thread(target=process.wait, daemon=True).start()  # collected as soon as it ends


@contextmanager
def held(pk: int, token: UUID, on_loss: Callable[[], None]) -> Iterator[None]:
    """Renew the lease by a thread for as long as the work lasts; on_loss is called once if it is taken away."""
    ended = threading.Event()

    def beat() -> None:
        try:
            while not ended.wait(BEAT_S):
                try:
                    if not report(pk, token):
                        on_loss()
                        return
                except Exception:
                    log.exception("could not renew the lease; trying again")
        finally:
            connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(JOIN_S)
        if thread.is_alive():
            log.warning("evaluation %s: a renewal has waited %.0f s for the database: it is left behind", pk, JOIN_S)


def report(pk: int, token: UUID, **values: object) -> bool:
    """Write how far it is, and renew the lease; False if it was taken away."""
    held_by = Evaluation.objects.filter(pk=pk, state=State.RUNNING, lease_token=token)
    return held_by.update(lease_until=timezone.now() + LEASE, **values) == 1


def put_back(pk: int, token: UUID, **values: object) -> None:
    """It was interrupted in order: nobody's fault, so no attempt is counted."""
    held_by = Evaluation.objects.filter(pk=pk, state=State.RUNNING, lease_token=token)
    held_by.update(state=State.QUEUED, lease_token=None, lease_until=None, attempt=0, **values)


def put_off(pk: int, token: UUID, **values: object) -> None:
    """The host could not go on with it: no attempt is counted, and it is started again after a pause."""
    held_by = Evaluation.objects.filter(pk=pk, state=State.RUNNING, lease_token=token)
    held_by.update(lease_token=None, lease_until=timezone.now() + room.pause(), attempt=0, **values)


def finish(pk: int, token: UUID, state: str, **values: object) -> None:
    held_by = Evaluation.objects.filter(pk=pk, state=State.RUNNING, lease_token=token)
    held_by.update(state=state, lease_token=None, lease_until=None, finished_at=timezone.now(), **values)

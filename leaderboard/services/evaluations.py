"""Evaluations from the admin: each runs in a process of its own, under a lease, and resumes where it was if that process dies.

Asking takes minutes or hours and must not hold up a cluster: housekeeping only starts the process.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, IntegerField, Q, Value, When
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.lib.processes import process_name
from leaderboard.models import Evaluation
from leaderboard.services import queueing
from leaderboard.services.leases import FREE, Leases, kept
from leaderboard.storage import room

log = logging.getLogger(__name__)

ATTEMPTS = 5
State = Evaluation.State


def begin(evaluation: Evaluation) -> None:
    """Queue it, new or after it failed or was stopped."""
    evaluation.state, evaluation.attempt, evaluation.finished_at, evaluation.said = State.QUEUED, 0, None, ""
    evaluation.not_before = None
    evaluation.save()
    queueing.wake("housekeeping")


def stop(evaluation: Evaluation) -> bool:
    """Stop an evaluation: its process notices that the lease is gone, and ends; answers received so far are kept."""
    open_ones = Evaluation.objects.filter(pk=evaluation.pk, state__in=[State.QUEUED, State.RUNNING])
    return open_ones.update(state=State.STOPPED, finished_at=timezone.now(), **FREE) == 1


def launch() -> None:
    """For the sweep: start the next evaluation, unless one is running. One whose process died is started again."""
    EVALUATIONS.reclaim()
    following = EVALUATIONS.free().order_by("id").first()
    if following is None or Evaluation.objects.filter(state=State.RUNNING).exclude(lease_token=None).exists():
        return
    room.check(0)  # a reply that cannot be kept is paid for in vain
    if token := EVALUATIONS.claim(following.pk):
        try:
            start_process(following.pk, token)
        except OSError:  # no process can be started: the host's fault
            EVALUATIONS.give_back(token)
            raise


def start_process(pk: int, token: UUID) -> None:
    """The process ends with this worker, and the next worker starts it again; the lease decides which of two may write."""
    command = [sys.executable, "manage.py", "run_evaluation", str(pk), str(token)]
    environment = os.environ | {"DATA_DIR": str(settings.DATA_DIR)}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, env=environment)
    EVALUATIONS.held(token).update(worker=process_name(process.pid))  # when that dies, the next one need not wait for the lease
    threading.Thread(target=process.wait, daemon=True).start()  # collected as soon as it ends


def held(token: UUID, on_loss: Callable[[], None]) -> AbstractContextManager[None]:
    """Renew the lease for as long as the work lasts; on_loss is called once if it is taken away."""
    return kept(EVALUATIONS, token, on_loss)


def report(token: UUID, **values: object) -> bool:
    """Write the progress, and renew the lease; False if the lease was taken away.

    Only another answer resets the attempts: a process that dies at the same place each time gets none by reporting.
    """
    if "answered" in values:
        further = When(answered__lt=values["answered"], then=Value(1))
        values["attempt"] = Case(further, default=F("attempt"), output_field=IntegerField())
    return EVALUATIONS.renew(token, **values)


def put_back(token: UUID, said: str) -> None:
    """It was interrupted in an ordinary way: no attempt is counted."""
    EVALUATIONS.give_back(token, said)


def put_off(token: UUID, said: str) -> None:
    """A fault of the host stopped it: no attempt is counted, and it is started again after a pause."""
    EVALUATIONS.give_back_surely(token, said, pause_s=room.pause().total_seconds())


def finish(token: UUID, state: str, **values: object) -> None:
    EVALUATIONS.finish(token, state=state, finished_at=timezone.now(), **values)


EVALUATIONS = Leases(
    Evaluation,
    what="evaluation",
    reason="said",
    advice="It is not retried; answers received so far are kept. Once the cause is fixed (the log of the housekeeping cluster "
    "may name it), choose “Resume” in the list of evaluations.",
    waiting=Q(state__in=[State.QUEUED, State.RUNNING]),  # running and held by nobody: as former versions put one off
    holding=Q(state=State.RUNNING),
    attempts=lambda: ATTEMPTS,
    claimed={"state": State.RUNNING},
    freed={"state": State.QUEUED},
    given_up={"state": State.FAILED, "finished_at": Now()},
)

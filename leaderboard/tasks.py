"""What the clusters run. A task is only a wake-up: the tables say what there is to do, so a message may be lost or come twice."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django_q.exceptions import TimeoutException

from grading.architectures import ARCHS
from grading.faults import CalibrationFailed, Fault
from grading.sandbox.registry import backend
from leaderboard.board import architecture_ratios, summaries
from leaderboard.lib.faults import fault_of, said, tolerated
from leaderboard.lib.processes import die_with_parent
from leaderboard.models import Result
from leaderboard.queue import status
from leaderboard.services import (
    bulk_actions,
    bundle_lease,
    calibration,
    evaluations,
    housekeeping,
    importing,
    passwords,
    provisional,
    queueing,
    recording,
)
from leaderboard.storage import room
from leaderboard.worker import leases
from leaderboard.worker.leases import Lease, Presence

log = logging.getLogger(__name__)

PARKED_FOR_S = 60.0  # after an operator's fault, until it is tried again; twice as long after each calibration that fails
PARKED_FOR_MOST_S = 960.0
SWEEP_SANDBOXES_S = 300.0
MEANWHILE_S = 5.0  # as often as the supervisor wakes this cluster: who dies meanwhile is noticed as soon as ever
WARM_S = 20.0
_swept_at = float("-inf")
_late: dict[UUID, str] = {}  # tokens of rows that are to be given back as soon as the database takes it, and why
_parked: dict[str, tuple[float, str]] = {}  # arch -> until when (monotonic), why
_failed_calibrations: dict[str, int] = {}  # arch -> how many in a row


def tick(arch: str) -> None:
    """Grade the due rows of an architecture, one after another, for TICK_S; then hand over to the next tick."""
    with tolerated(f"{arch}: nothing is graded for now"):
        grade_for_a_while(arch)


def grade_for_a_while(arch: str) -> None:
    grader = import_module(settings.GRADER)
    reason = parked(arch) or grader.why_unavailable(arch) or no_room_for_records()
    with leases.presence(arch, reason) as me:
        give_back_late()
        if reason:
            return
        if grader.is_real(arch):
            provisional.requeue_provisional(arch)
        try:
            grade_what_is_due(arch, me, grader)
        except BaseException:  # stopped between two lines: whatever it holds goes back
            if me.lease:
                _late[me.lease.token] = ""
            with suppress(Exception):  # what does not go back now goes back late
                queueing.give_back(me.name)
            raise


def grade_what_is_due(arch: str, me: Presence, grader: Any) -> None:
    end = time.monotonic() + settings.TICK_S
    while time.monotonic() < end:
        if others_first(arch):
            return
        if reason := grader.why_unavailable(arch):
            me.set_reason(reason)
            return
        lease = me.lease = leases.take(arch, me.name)
        if lease is None:
            return
        grade_one(lease, me, grader)
        me.lease = None
        if me.reason:
            return
    queueing.wake(arch)


def others_first(arch: str) -> bool:
    """Emulated gradings measure nothing and take this host's lock from those that do: they wait until nobody else has work."""
    if not backend(settings.SANDBOXES[arch]).emulates:
        return False
    at_work = {cluster for cluster, reason in status.living_workers() if not reason}
    return any(
        backend(sandbox).on_this_host() and not backend(sandbox).emulates and Result.objects.due(other).exists()
        for other, sandbox in settings.SANDBOXES.items()
        if other in at_work
    )


def grade_one(lease: Lease, me: Presence, grader: Any) -> None:
    """Grade and record one row. Whatever goes wrong is ours, and puts the row back."""
    job = Result.objects.held_by(lease.token).select_related("kernel", "submission").first()
    if job is None:  # cancelled in the same moment
        return
    try:
        measured = calibration.calibration_of(job.arch, grader)
        graded = grader.grade(job.kernel.name, job.submission.source, job.arch)
        if recording.record_result(lease.token, graded, drifting=bool(measured and measured.drifting)) is None:
            log.info("result %s was taken away meanwhile: grading dropped", lease.result_id)
        _failed_calibrations.pop(job.arch, None)
    except Fault as fault:
        log.warning("result %s: %s", lease.result_id, fault.reason)
        if fault.needs_operator:
            queueing.release(lease.token, fault.reason)
            me.lease = None
            park(job.arch, fault)
            me.set_reason(fault.reason)
        else:
            queueing.requeue(lease.token, fault.reason)
    except Exception as error:
        if fault_of(error):  # its record could not be kept: no attempt is counted, and the next row would fare no better
            reason = said(error, "it will be graded again")
            log.warning("result %s: %s", lease.result_id, reason, exc_info=error)
            _parked[job.arch] = (time.monotonic() + room.pause().total_seconds(), reason)
            me.lease = None
            _late[lease.token] = reason
            give_back_late()
            me.set_reason(reason)
            return
        log.exception("result %s", lease.result_id)
        queueing.requeue(lease.token, f"{type(error).__name__}: {error}")
    except TimeoutException:  # django-q2 ends a task that hangs, and this process with it
        queueing.requeue(lease.token, f"The grading did not end within {settings.Q_CLUSTER['timeout']} s.")
        raise
    except BaseException:  # the process is being stopped: nobody's fault, so no attempt is counted
        queueing.release(lease.token)
        raise


def no_room_for_records() -> str:
    """Why no grading is started: the database has no room on its disk, so that no record could be kept; empty if it has."""
    return room.why_not(0) if connection.vendor == "sqlite" else ""


def give_back_late() -> None:
    """Release what could not even be given back while the host was at fault; no attempt is counted for it."""
    for token, reason in list(_late.items()):
        try:
            queueing.release(token, reason)
        except Exception as error:
            if not fault_of(error):
                raise
            return  # with the next wake-up
        del _late[token]


def park(arch: str, fault: Fault) -> None:
    """Leave an architecture alone for a while; longer each time in a row where a try costs a calibration."""
    times = _failed_calibrations[arch] = _failed_calibrations.get(arch, 0) + 1 if isinstance(fault, CalibrationFailed) else 0
    for_s = min(PARKED_FOR_S * 2 ** max(0, min(times - 1, 10)), PARKED_FOR_MOST_S)
    _parked[arch] = (time.monotonic() + for_s, fault.reason)


def parked(arch: str) -> str:
    """Why this process does not even try for the moment; empty: it does."""
    until, reason = _parked.get(arch, (0.0, ""))
    return reason if time.monotonic() < until else ""


def sweep() -> None:
    """Housekeeping: reclaim what dead processes held, wake clusters that have work, continue imports, delete what has expired,
    compute the intervals and ranks of what was recorded meanwhile."""
    with tolerated("housekeeping waits"), leases.presence("housekeeping"):
        for chore in (look_after_the_queue, carry_on_actions, carry_on_bundles, evaluations.launch, prune, sweep_sandboxes):
            with tolerated(f"housekeeping continues without {chore.__name__}"):  # what needs no room is done all the same
                chore()
        summaries.warm()
        architecture_ratios.warm()


def carry_on_actions(within_s: float = float("inf")) -> None:
    bulk_actions.ACTIONS.reclaim()
    for action in bulk_actions.ACTIONS.free().order_by("pk"):
        bulk_actions.carry_on(action, within_s, meanwhile(look_after_the_queue, evaluations.launch))


def begin_actions() -> None:
    """Work on each waiting action for a few seconds."""
    carry_on_actions(bulk_actions.NOW_S)


def carry_on_bundles() -> None:
    bundle_lease.BUNDLES.reclaim()
    for bundle in bundle_lease.BUNDLES.free().order_by("pk"):
        importing.carry_on(bundle, meanwhile(look_after_the_queue, begin_actions, evaluations.launch))


def prune() -> None:
    housekeeping.prune(timezone.now())


def look_after_the_queue() -> None:
    queueing.RESULTS.reclaim()
    for arch in ARCHS:
        if Result.objects.due(arch).exists():
            queueing.wake(arch)


def meanwhile(*chores: Callable[[], object]) -> Callable[[], None]:
    """What cannot wait for the end of work of minutes is done between two of its chunks."""
    last = warmed = time.monotonic()

    def look() -> None:
        nonlocal last, warmed
        if time.monotonic() - last > MEANWHILE_S:
            for chore in chores:
                with tolerated(f"the work under way continues without {getattr(chore, '__name__', chore)}"):
                    chore()
            last = time.monotonic()
        if time.monotonic() - warmed > WARM_S:
            summaries.warm()
            warmed = time.monotonic()

    return look


def send_password_mail(email: str, base: str) -> None:
    """What fails is in the log, without the address; whoever waits in vain asks again."""
    try:
        passwords.send(email, base)
    except OSError as error:  # smtplib's errors are some, too
        log.error("a mail for a new password could not be sent: %s", error)


def sweep_sandboxes() -> None:
    """Once in a while: it asks the services that the sandboxes are at."""
    global _swept_at
    if time.monotonic() - _swept_at < SWEEP_SANDBOXES_S:
        return
    _swept_at = time.monotonic()
    try:
        import_module(settings.GRADER).sweep()
    except Fault as fault:
        log.warning("could not look for leaked sandboxes: %s", fault.reason)


def stop_gracefully(**_: object) -> None:
    """Called in each worker process: SIGTERM ends the grading and puts the row back, instead of leaving it to the sweep."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    if os.environ.get("ARCH_KERNELS_SUPERVISED"):
        die_with_parent(signal.SIGTERM)  # its sentinel dies by the same signal, and must not take it along too soon

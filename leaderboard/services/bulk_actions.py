"""Actions on many rows: kept with their targets, done in chunks, carried on by the housekeeping cluster when they take long.

A chunk, its lines in the admin's log and the new position are one transaction: an action that is killed continues from there.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_q.exceptions import TimeoutException

from leaderboard.lib import faults
from leaderboard.lib.faults import fault_of, tolerated
from leaderboard.lib.text import clean
from leaderboard.models import ApiToken, BulkAction, Bundle, BundleEntry, Result, Submission
from leaderboard.services import bulk_handlers as work
from leaderboard.services import queueing
from leaderboard.services.bulk_handlers import Beat, Done
from leaderboard.services.leases import Leases, kept
from leaderboard.storage import room

log = logging.getLogger(__name__)

CHUNK = 500
NOW_S = 4.0  # what a request may spend on it before the housekeeping cluster continues
ENTRIES_NOW = 3000  # of bundles
ATTEMPTS = 3
UNCONFIRMED_RETENTION = timedelta(days=1)
RETENTION = timedelta(days=90)


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What can be done to many rows of a table."""

    title: str
    of: type[models.Model]
    work: Callable[[list[int], str, Beat], Done]
    right: str  # that it needs (leaderboard.models.access); rows of one's own may need less
    question: str = ""  # asked on a page of its own; empty: done without asking
    losses: Callable[[list[int]], Done] | None = None  # the counts on that page
    reason: bool = False  # a reason is asked for, and shown to everybody
    deletes: bool = False
    applies: Q = field(default_factory=Q)  # the rows that change: only they are in the log
    chunk: int = CHUNK


INVALID = "They no longer count; an earlier result of the same answer becomes current. The reason is shown with them."
OPERATIONS: dict[str, Operation] = {
    "regrade_answers": Operation(
        title="Grade answers again",
        of=Submission,
        work=work.regrade_answers,
        right="regrade_result",
    ),
    "publish_answers": Operation(
        title="Make answers public",
        of=Submission,
        work=work.publish_answers,
        right="publish_submission",
        question="Everybody sees these answers from now on, also those of private bundles.",
        losses=work.shown_with_answers,
    ),
    "hide_answers": Operation(
        title="Make answers private",
        of=Submission,
        work=work.hide_answers,
        right="publish_submission",
        question="They leave every public page, count and export, also where a public bundle brought them.",
        losses=work.shown_with_answers,
    ),
    "delete_answers": Operation(
        title="Delete answers",
        of=Submission,
        work=work.delete_answers,
        right="delete_submission",
        question="The answers and their gradings are deleted permanently. Bundles stay, with the uploaded files; so do models, "
        "and our own baselines.",
        losses=work.lost_with_answers,
        deletes=True,
        applies=~Q(**work.OURS),
    ),
    "regrade_results": Operation(
        title="Grade answers again",
        of=Result,
        work=work.regrade_results,
        right="regrade_result",
    ),
    "revive_results": Operation(
        title="Retry gradings that failed on our side",
        of=Result,
        work=work.revive_results,
        right="regrade_result",
        applies=Q(state="failed"),
    ),
    "invalidate_results": Operation(
        title="Declare results invalid",
        of=Result,
        work=work.invalidate_results,
        right="invalidate_result",
        question=INVALID,
        losses=work.lost_with_invalidating,
        reason=True,
        applies=Q(state=Result.State.DONE, invalidated=False),
    ),
    "validate_results": Operation(
        title="Take invalidations back",
        of=Result,
        work=work.validate_results,
        right="invalidate_result",
        applies=Q(invalidated=True),
    ),
    "clear_flags": Operation(
        title="Clear flags",
        of=Result,
        work=work.clear_flags,
        right="flag_result",
        question="Somebody has read the code: the speedup is real, and counts from now on. The note is shown with it.",
        reason=True,
        applies=Q(flagged=True),
    ),
    "flag_results": Operation(
        title="Flag results",
        of=Result,
        work=work.flag_results,
        right="flag_result",
        question="They are excluded from every summary until somebody clears the flag. The note is shown with them.",
        reason=True,
        applies=Q(state=Result.State.DONE, flagged=False),
    ),
    "move_first": Operation(
        title="Move gradings to the front of the queue",
        of=Result,
        work=work.move_first,
        right="queue_result",
        applies=Q(state="queued"),
    ),
    "move_last": Operation(
        title="Move gradings to the end of the queue",
        of=Result,
        work=work.move_last,
        right="queue_result",
        applies=Q(state="queued"),
    ),
    "cancel_results": Operation(
        title="Cancel gradings",
        of=Result,
        work=work.cancel_results,
        right="queue_result",
        question="Gradings that are not done leave the queue; results that are done stay as they are.",
        losses=work.lost_with_cancelling,
        applies=~Q(state=Result.State.DONE),
    ),
    "delete_results": Operation(
        title="Delete gradings",
        of=Result,
        work=work.delete_results,
        right="delete_result",
        question="The gradings are deleted permanently, with their samples and logs; the answers stay.",
        losses=work.lost_with_results,
        deletes=True,
    ),
    "publish_bundles": Operation(
        title="Make bundles public",
        of=Bundle,
        work=work.publish_bundles,
        right="publish_bundle",
        question="Everybody sees their answers from now on, but for those that were made private one by one.",
        losses=work.shown_with_bundles,
        chunk=1,
    ),
    "hide_bundles": Operation(
        title="Make bundles private",
        of=Bundle,
        work=work.hide_bundles,
        right="publish_bundle",
        question="Their answers become private, unless another bundle that is public brought them too.",
        losses=work.shown_with_bundles,
        chunk=1,
    ),
    "delete_bundles": Operation(
        title="Delete bundles",
        of=Bundle,
        work=work.delete_bundles,
        right="delete_bundle",
        question="The uploaded files are deleted permanently, with every answer that only they contain, and all its gradings. "
        "Answers that other bundles contain too stay, with their results.",
        losses=work.lost_with_bundles,
        deletes=True,
        chunk=1,
    ),
    "revoke_tokens": Operation(
        title="Revoke tokens",
        of=ApiToken,
        work=work.revoke_tokens,
        right="revoke_apitoken",
        question="Programs that use them are refused from now on. A revoked token cannot be brought back.",
        losses=work.lost_with_tokens,
    ),
}


def plan(name: str, rows: QuerySet, user: AbstractBaseUser) -> BulkAction:
    """Keep what was chosen, as it is now: what is confirmed is what was seen."""
    operation = OPERATIONS[name]
    if operation.of in (Submission, Result):  # rows of one summary together: it is made anew once a chunk
        rows = rows.order_by("model_id", "kernel_id", "pk")
    targets = list(dict.fromkeys(rows.values_list("pk", flat=True)))
    return BulkAction.objects.create(
        user=user,  # type: ignore[misc]
        action=name,
        title=operation.title,
        targets=targets,
        total=len(targets),
    )


def losses(action: BulkAction) -> Done:
    """The counts to be confirmed."""
    counts = OPERATIONS[action.action].losses
    return counts(action.targets) if counts else {"rows": action.total}


def start(action: BulkAction, reason: str = "") -> BulkAction:
    """Start a confirmed action; what takes longer than NOW_S is left to the housekeeping cluster."""
    asked = BulkAction.objects.filter(pk=action.pk, state=BulkAction.State.PENDING)
    if asked.update(state=BulkAction.State.RUNNING, reason=clean(reason)):
        if too_long(action):
            queueing.wake("housekeeping")
        else:
            carry_on(action, NOW_S)
    action.refresh_from_db()
    return action


def too_long(action: BulkAction) -> bool:
    """A bundle is one chunk, however large: a large one is not begun within a request."""
    if OPERATIONS[action.action].of is not Bundle:
        return False
    return BundleEntry.objects.filter(bundle__in=action.targets).count() > ENTRIES_NOW


def retry(action: BulkAction) -> None:
    failed = BulkAction.objects.filter(pk=action.pk, state=BulkAction.State.FAILED)
    if failed.update(state=BulkAction.State.RUNNING, error="", attempt=0, not_before=None):
        queueing.wake("housekeeping")


def carry_on(action: BulkAction, within_s: float = float("inf"), progress: Callable[[], None] = lambda: None) -> None:
    """Do chunk after chunk, unless another process holds the action. After an error the sweep retries; the last one is shown.

    progress: called between two steps, outside of a transaction.
    """
    token = ACTIONS.claim(action.pk)
    if token is None:
        return
    try:
        action.refresh_from_db()
        with kept(ACTIONS, token):
            _work_off(action, token, time.monotonic() + within_s, progress)
    except _Taken:
        return
    except Exception as error:
        if fault_of(error):  # the host's: no attempt is counted, and what is done of it is kept
            reason = faults.said(error, "the action will continue automatically")
            log.warning("bulk action: %s", reason, exc_info=error)
            ACTIONS.give_back_surely(token, reason, pause_s=room.pause().total_seconds())
            return
        log.exception("bulk action %s", action.pk)
        ACTIONS.retry(token, f"{type(error).__name__}: {clean(str(error))}")
    except TimeoutException:
        ACTIONS.hung(token)
        raise
    finally:  # also when the process is being stopped, or its time is over: the next one need not wait
        with tolerated(f"bulk action {action.pk} is given back"):
            ACTIONS.give_back(token)
    if BulkAction.objects.filter(pk=action.pk, state=BulkAction.State.RUNNING).exists():
        queueing.wake("housekeeping")


class _Taken(Exception):
    """Another process holds the action."""


def _work_off(action: BulkAction, token: UUID, until: float, progress: Callable[[], None]) -> None:
    operation = OPERATIONS[action.action]

    def got_on(**values: object) -> None:
        if not ACTIONS.got_on(token, **values):
            raise _Taken
        if not connection.in_atomic_block:
            progress()

    while action.position < action.total:
        chunk = action.targets[action.position : action.position + operation.chunk]
        # A bundle is a chunk of many transactions, each of which may be repeated.
        with transaction.atomic() if operation.chunk > 1 else nullcontext():
            note(action, operation, chunk)
            done = operation.work(chunk, action.reason, got_on)
            action.counts = dict(Counter(action.counts) + Counter(done))
            action.position += len(chunk)
            got_on(position=action.position, counts=action.counts, error="")
        progress()
        if time.monotonic() > until and action.position < action.total:
            return
    with transaction.atomic():
        if not ACTIONS.finish(token, state=BulkAction.State.DONE, finished_at=timezone.now()):
            raise _Taken
        summarise(action)


def note(action: BulkAction, operation: Operation, chunk: list[int]) -> None:
    """A line for every row in the admin's log, as an edit by hand would leave; before the rows change or go."""
    if action.user_id is None:
        return
    message = f"{operation.title}: {action.reason}" if action.reason else f"{operation.title}."
    rows = with_names(operation, operation.of._default_manager.filter(operation.applies, pk__in=chunk))
    flag = DELETION if operation.deletes else CHANGE
    LogEntry.objects.log_actions(action.user_id, rows, flag, change_message=message)


def with_names(operation: Operation, rows: QuerySet) -> QuerySet:
    """The rows with what their names are made of, without their long texts."""
    if operation.of not in (Submission, Result):
        return rows
    return rows.select_related("model", "kernel").defer(*HEAVY[operation.of])


HEAVY: dict[type[models.Model], tuple[str, ...]] = {
    Submission: ("reply", "source"),
    Result: ("samples", "log", "seconds", "detail"),
}


def summarise(action: BulkAction) -> None:
    """One line in the log for the whole: it comes last, and so stands on top."""
    if action.user_id is not None:
        message = f"{action.title}, {action.total} chosen: {summary_text(action)}."
        LogEntry.objects.log_actions(action.user_id, [action], CHANGE, change_message=message)


def summary_text(action: BulkAction) -> str:
    """What the action did, in words."""
    return "; ".join(f"{n:,} {what}" for what, n in action.counts.items() if n) or "nothing had to be changed"


def prune(now: datetime) -> None:
    BulkAction.objects.filter(state=BulkAction.State.PENDING, created_at__lt=now - UNCONFIRMED_RETENTION).delete()
    BulkAction.objects.filter(finished_at__lt=now - RETENTION).delete()


ACTIONS = Leases(
    BulkAction,
    what="action",
    reason="error",
    advice="It is not retried; what is done of it stays. Once the cause is fixed (the log of the housekeeping cluster may name "
    "it), choose “Retry the rest” on its page in the admin.",
    waiting=Q(state=BulkAction.State.RUNNING),
    holding=Q(state=BulkAction.State.RUNNING),
    attempts=lambda: ATTEMPTS,
    given_up={"state": BulkAction.State.FAILED},
)

"""Leases: how a process takes a row of work, keeps it, gives it back, and what becomes of a row whose process has died.

Theory of operation. A claim is one guarded update: a row that nobody holds gets a token, the name of the process, the end of the
lease, and one attempt more. Whoever writes a row's outcome names the token, so that of two processes on one row only one counts.
A thread renews the lease every BEAT_S. The sweep takes a row away from a process of this host that is dead, at once, and from any
other one whose lease has run out. The row keeps its count of attempts: one whose process dies each time, or hangs until its
task is ended, is failed after the last attempt, with a reason that says what happened and what to do, and the queue continues.
Work that makes progress (a chunk, an answer) has all its attempts again. An ordinary stop and a fault of the host count none.

Times are the database's (`Now()`): hosts whose clocks differ agree on when a lease ends. The database's own clock (on SQLite the
host's) may jump. After a jump back, leases last longer. After a jump forward, all leases seem to have run out at once: so the
sweep looks twice, and between the two looks every living process has renewed its lease.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection
from django.db.models import Case, DateTimeField, ExpressionWrapper, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from leaderboard.lib.faults import fault_of
from leaderboard.lib.processes import is_dead, process_name
from leaderboard.models.leases import Leased
from leaderboard.services import late

log = logging.getLogger(__name__)

FREE: dict[str, Any] = {"lease_token": None, "lease_until": None, "worker": ""}
UNCOUNTED = Case(When(attempt__gt=0, then=F("attempt") - 1), default=Value(0))  # as if it had never been claimed
LIGHT = ("pk", "lease_token", "lease_until", "worker", "attempt")
JOIN_S = 20.0  # for a last renewal under way; one that the database keeps waiting must not keep the work
ANY = Q()
DUE = Q(not_before=None) | Q(not_before__lte=Now())
LONGEST_PAUSE_S = 40.0  # so that work continues within a minute
LOOKED_AGAIN = 2.5  # beats between the sweep's two looks at a lease that has run out
OURS = "The process working on this "  # the beginning of reasons that say nothing about the work itself


def from_now(seconds: float) -> ExpressionWrapper:
    """A time of the database's clock."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def no_pause(attempt: int) -> float:
    """None: another process may claim the row at once."""
    return 0.0


def growing_pause_s(attempt: int) -> float:
    """Work that kills its process must not block other work: from the second attempt on, others go first for a while."""
    return min(LONGEST_PAUSE_S, float(settings.BACKOFF_S) * (attempt - 1))


@dataclass
class Leases:
    """The work of one table. `what` names it in sentences, `reason` is the column that says why the last attempt failed, `advice`
    tells an operator what to do once it was given up."""

    table: type[Leased]
    what: str
    reason: str
    advice: str
    waiting: Q  # the rows that are to be worked on, while nobody holds them
    holding: Q  # those that somebody holds
    attempts: Callable[[], int]  # how often a row is claimed without getting on, before it is failed
    claimed: dict[str, Any] = field(default_factory=dict)  # written beside the lease
    freed: dict[str, Any] = field(default_factory=dict)
    given_up: dict[str, Any] = field(default_factory=dict)  # written after the last attempt
    give_up: Callable[[Any, str], None] | None = None  # where more is to be done then; the row is nobody's when it is called
    pause_s: Callable[[int], float] = growing_pause_s  # before it is tried again, by the attempts that there were
    pause_after_death_s: Callable[[int], float] = growing_pause_s  # the same where the process has died
    _lapsed: dict[UUID, tuple[datetime, float]] = field(default_factory=dict)  # token -> its end, when it was first seen over

    @property
    def rows(self) -> QuerySet[Any]:
        return self.table._default_manager.all()

    # one process's view

    def free(self) -> QuerySet[Any]:
        """The rows that may be claimed."""
        return self.rows.filter(self.waiting, DUE, lease_token=None)

    def claim(self, pk: int, of: Q = ANY, *, worker: str = "", at_once: bool = False, **values: Any) -> UUID | None:
        """Claim the row if it is among `of`. Returns the token; None if another process holds the row, or it no longer waits.

        A row that a dead process of this host holds is freed first. at_once: claim it during its pause too, as a person's
        request does.
        """
        token = uuid4()
        self.reclaim_dead(Q(pk=pk))
        values = {"not_before": None} | self.claimed | values
        lease = {"lease_token": token, "lease_until": from_now(settings.LEASE_S), "worker": worker or process_name()}
        free = self.rows.filter(self.waiting, ANY if at_once else DUE, of, pk=pk, lease_token=None)
        return token if free.update(attempt=F("attempt") + 1, **lease, **values) else None

    def held(self, token: UUID) -> QuerySet[Any]:
        """The row under this lease; empty once the lease was taken away."""
        return self.rows.filter(lease_token=token)

    def renew(self, token: UUID, **values: Any) -> bool:
        """Extend the lease, and write how far the work is; False if the lease was taken away."""
        return self.held(token).update(lease_until=from_now(settings.LEASE_S), **values) == 1

    def got_on(self, token: UUID, **values: Any) -> bool:
        """The same when something is done for good: all attempts are there again. What kills its process gets no further."""
        return self.renew(token, attempt=1, **values)

    def finish(self, token: UUID, **values: Any) -> bool:
        """Write the outcome and free the row; False, and nothing is written, if the lease was taken away."""
        return self.held(token).update(**(FREE | values)) == 1

    def give_back(self, token: UUID, reason: str | None = None, *, pause_s: float = 0.0, **values: Any) -> bool:
        """Free the row and count no attempt, after an ordinary stop or a fault of the host. It may be claimed after the pause.

        Without a reason the row keeps the one that it has.
        """
        return self._put_back(token, reason, pause_s, attempt=UNCOUNTED, **values)

    def give_back_surely(self, token: UUID, reason: str | None = None, *, pause_s: float = 0.0) -> None:
        """The same; as soon as the database takes it, if that is at fault. Else the lease would run out, and count an attempt."""
        try:
            self.give_back(token, reason, pause_s=pause_s)
        except Exception as error:
            if not fault_of(error):
                raise
            log.warning("%s: given back as soon as the database takes it", self.what)
            late.add(lambda: self.give_back(token, reason))  # without a pause: when that is written, the fault is over

    def retry(self, token: UUID, reason: str) -> bool:
        """Count a failed attempt: the row is retried after a pause; after the last attempt it is failed, visibly."""
        row: Any = self.held(token).only(*LIGHT).first()
        return row is not None and self._count(row, reason, self.pause_s(row.attempt))

    def hung(self, token: UUID) -> bool:
        """Count a failed attempt: the task took so long that django-q2 ends it, and its process."""
        row: Any = self.held(token).only(*LIGHT).first()
        limit_s = settings.Q_CLUSTER["ALT_CLUSTERS"]["housekeeping"]["timeout"]
        return row is not None and self.retry(token, self._reason(row, f"did not end within {limit_s} s"))

    # the sweep's view

    def reclaim(self) -> int:
        """Free the rows of dead processes: on this host at once, on other hosts when the lease has run out."""
        is_over = Q(lease_until__lt=Now()) | Q(lease_until=None)
        lapsed = self.rows.exclude(lease_token=None).filter(self.holding, is_over).only(*LIGHT)
        return self.reclaim_dead() + sum(self._reclaim_one(row, is_over) for row in lapsed if self._was_seen_before(row))

    def reclaim_dead(self, of: Q = ANY) -> int:
        held = self.rows.exclude(lease_token=None).filter(self.holding, of).only(*LIGHT)
        return sum(self._reclaim_one(row) for row in held if is_dead(row.worker))

    def give_back_of(self, *workers: str) -> int:
        """Give back what these processes hold: they are shutting down and have lost track of it."""
        held = self.rows.exclude(lease_token=None).filter(self.holding, worker__in=workers)
        return sum(self.give_back(token) for token in list(held.values_list("lease_token", flat=True)))

    def _was_seen_before(self, row: Any) -> bool:
        """Whether the lease was seen to be over before, and for longer than a living process takes to renew it."""
        now = time.monotonic()
        end, since = self._lapsed.get(row.lease_token, (None, now))
        if end != row.lease_until:
            since = now
        self._lapsed = {token: seen for token, seen in self._lapsed.items() if now - seen[1] < 3600}  # forget the old ones
        self._lapsed[row.lease_token] = (row.lease_until, since)
        return now - since >= LOOKED_AGAIN * float(settings.BEAT_S)

    def _reclaim_one(self, row: Any, still: Q = ANY) -> bool:
        """still: a condition at the moment of the update, since a living process may have renewed just now."""
        self._lapsed.pop(row.lease_token, None)
        reason = self._reason(row, "disappeared")
        if not self._count(row, reason, self.pause_after_death_s(row.attempt), still):
            return False
        log.warning("%s %s: %s It was %s.", self.what, row.pk, reason, row.worker)
        return True

    def _reason(self, row: Any, what: str) -> str:
        """A sentence without the name of the process, which only the log has: uploaders read this."""
        most = self.attempts()
        return f"{OURS}{self.what} {what}, attempt {min(row.attempt, most)} of {most}."

    def _count(self, row: Any, reason: str, pause_s: float, still: Q = ANY) -> bool:
        """Free the row after a failed attempt, or give it up after the last one."""
        if row.attempt < self.attempts():
            return self._put_back(row.lease_token, reason, pause_s, still)
        said = f"{reason.rstrip('.')}. {self.advice}"
        if not self._put_back(row.lease_token, said, 0.0, still, **self.given_up):
            return False
        if self.give_up:
            self.give_up(row, said)
        return True

    def _put_back(self, token: UUID, reason: str | None, pause_s: float, still: Q = ANY, **values: Any) -> bool:
        values = {"not_before": from_now(pause_s) if pause_s else None} | values
        if reason is not None:
            values[self.reason] = reason
        return self.held(token).filter(still).update(**(FREE | self.freed | values)) == 1


@contextmanager
def kept(leases: Leases, token: UUID, on_loss: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Renew the lease in a thread while the work lasts, whatever it waits for; on_loss is called once if the lease is lost."""
    ended = threading.Event()

    def beat() -> None:
        try:
            while not ended.wait(settings.BEAT_S):
                try:
                    if not leases.renew(token):
                        on_loss()
                        return
                except Exception:
                    log.exception("could not renew the lease; trying again")  # a database that restarts must not end the thread
                    connection.close()
        finally:
            connection.close()

    thread = threading.Thread(target=beat, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(JOIN_S)
        if thread.is_alive():
            log.warning("%s: a renewal has waited %.0f s for the database: it is left behind", leases.what, JOIN_S)

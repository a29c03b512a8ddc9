"""How a worker holds a row of the queue: claimed by one guarded update, renewed by a thread for as long as it is worked on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from leaderboard.lib.processes import process_name
from leaderboard.models import Result, Worker
from leaderboard.queue.tuned_first import tuned_first
from leaderboard.services import queueing
from leaderboard.services.leases import JOIN_S

log = logging.getLogger(__name__)

LOOKED_AT = 10  # candidates per look: several workers of one architecture spread over them


@dataclass(frozen=True)
class Lease:
    result_id: int
    token: UUID


@dataclass
class Presence:
    """A worker at work: says that it lives, and keeps what it holds. Made by `presence()`."""

    cluster: str
    name: str = field(default_factory=process_name)
    reason: str = ""
    lease: Lease | None = None
    _ended: threading.Event = field(default_factory=threading.Event)

    def beat(self) -> None:
        values = {"cluster": self.cluster, "reason": self.reason, "beat_at": Now()}
        Worker.objects.update_or_create(name=self.name, defaults=values)
        lease = self.lease
        if lease and not queueing.RESULTS.renew(lease.token):
            log.info("the lease on result %s is gone: what comes of it will be dropped", lease.result_id)

    def set_reason(self, reason: str) -> None:
        """Tell at once what keeps this worker from grading; empty: nothing."""
        if reason != self.reason:
            self.reason = reason
            self.beat()

    def keep_beating(self) -> None:
        while not self._ended.wait(settings.BEAT_S):
            try:
                self.beat()
            except Exception:
                log.exception("could not renew the lease; trying again")  # a database that restarts must not end the thread
                connection.close()
        connection.close()


@contextmanager
def presence(cluster: str, reason: str = "") -> Iterator[Presence]:
    """Beat once now and then from a thread, so that waiting for the host's lock or a long benchmark loses no lease."""
    me = Presence(cluster, reason=reason)
    me.beat()
    thread = threading.Thread(target=me.keep_beating, name="beat", daemon=True)
    thread.start()
    try:
        yield me
    finally:
        me._ended.set()
        thread.join(JOIN_S)
        if thread.is_alive():
            log.warning("%s: a renewal has waited %.0f s for the database: it is left behind", me.name, JOIN_S)


def take(arch: str, worker: str) -> Lease | None:
    """Claim the next due row of an architecture; None if there is none. On a lost race it looks again.

    A row whose kernel still lacks its tuned baseline hands its turn to that.
    """
    while True:
        before = tuned_first(arch)
        due = Result.objects.due(arch).exclude(kernel__in=[kernel for kernel, pk in before.items() if pk is None])
        candidates = [before.get(kernel) or pk for pk, kernel in due.values_list("pk", "kernel_id")[:LOOKED_AT]]
        if not candidates:
            return None
        for pk in dict.fromkeys(candidates):
            token = queueing.RESULTS.claim(pk, worker=worker)
            if token:
                return Lease(pk, token)

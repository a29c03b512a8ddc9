"""Asking again: back-off that doubles, what the service says of when to come back, and a pause of all when it is busy."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from leaderboard.evaluation.endpoint import Failed, Reply

LONGEST_S = 60.0  # of our own back-off
LONGEST_TOLD_S = 900.0  # a service that wants us to wait longer has no answer today


class Stopped(Exception):
    """Somebody ended the evaluation while this question waited: it was not answered, and will be asked the next time."""


@dataclass(kw_only=True)
class Patience:
    """Shared by all who ask the same endpoint. stop: set when the evaluation ends."""

    retries: int
    first_s: float = 1.0
    stop: threading.Event = field(default_factory=threading.Event)
    _not_before: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, ask: Callable[[Mapping[str, Any]], Reply], body: Mapping[str, Any]) -> tuple[Reply, int]:
        """The reply, and at which attempt it came. Raises Failed when patience is at its end, and Stopped."""
        attempt = 0
        while True:
            self._wait_for_turn()
            attempt += 1
            try:
                return ask(body), attempt
            except Failed as failed:
                failed.attempts = attempt
                wait_s = self._wait_s(failed, attempt)
                if wait_s is None:
                    raise
                if failed.retry_after_s is not None:
                    self._pause_all(wait_s)
            self._sleep(wait_s)

    def _wait_s(self, failed: Failed, attempt: int) -> float | None:
        """Seconds until the next attempt; None if retrying is pointless."""
        told = failed.retry_after_s
        if not failed.passing or attempt > self.retries or (told or 0) > LONGEST_TOLD_S:
            return None
        own: float = min(LONGEST_S, self.first_s * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)  # apart from the others
        return own if told is None else told + 0.1 * own

    def _pause_all(self, wait_s: float) -> None:
        """The service is busy: questions that are not under way yet would only be refused, too."""
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + wait_s)

    def _wait_for_turn(self) -> None:
        while (wait_s := self._not_before - time.monotonic()) > 0:
            self._sleep(wait_s)
        if self.stop.is_set():
            raise Stopped

    def _sleep(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

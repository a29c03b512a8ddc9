"""Stale while revalidate: what pages show of many results is computed once and kept in the cache that all processes share.

A value is kept with the version of what it was made from, and is valid while that is the present version. On a site so large that
computing takes longer than a page may, the previous value is shown for a while after something new was recorded, with its time,
and is marked as requested: housekeeping computes it anew. Nobody waits, and nothing old is shown as if it were new.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.core.cache import cache

KEPT_S = 7 * 24 * 3600
STALE_S = 600  # for so long an earlier value may be shown
REQUESTED_S = 3600  # for so long what somebody asked for is kept up to date
AGAIN_S = 60
MAX_REQUESTED = 40
REQUESTED = "kept-requested"
moving: ContextVar[bool] = ContextVar("moving", default=False)  # what this request shows will soon be something else


class Entry(NamedTuple):
    version: Hashable
    at: float  # seconds since the epoch
    value: Any


@dataclass(kw_only=True)
class StaleWhileRevalidate:
    """Values of one present version. large: earlier values will do. fresh: they will not (housekeeping)."""

    version: Hashable
    large: bool = False
    fresh: bool = False
    stale_at: list[float] = field(default_factory=list)  # when the earlier values that were given out had been computed

    def get(self, what: Hashable, compute: Callable[[], Any], *, at_most_s: float = KEPT_S) -> Any:
        """The value of `what`, not older than at_most_s even if nothing that the version tells of has changed."""
        key = "kept-" + hashlib.sha256(repr(what).encode()).hexdigest()[:40]
        kept: Entry | None = cache.get(key)
        now = time.time()
        if kept and kept.version == self.version and now - kept.at < at_most_s:
            return kept.value
        if kept and self.large and not self.fresh and now - kept.at < STALE_S:
            self.stale_at.append(kept.at)
            moving.set(True)
            mark_requested(what)
            return kept.value
        value = compute()
        cache.set(key, Entry(self.version, now, value), KEPT_S)
        return value

    @property
    def as_of(self) -> datetime | None:
        """When the oldest of what was given out had been computed, if it was not of the present version."""
        return datetime.fromtimestamp(min(self.stale_at), UTC) if self.stale_at else None


def mark_requested(what: Hashable) -> None:
    """Somebody saw an earlier value of this: housekeeping is to compute it anew."""
    requested: dict[Hashable, float] = cache.get(REQUESTED) or {}
    now = time.time()
    if now - requested.get(what, 0) > AGAIN_S:
        latest = sorted({**requested, what: now}.items(), key=lambda item: -item[1])[:MAX_REQUESTED]
        cache.set(REQUESTED, dict(latest), REQUESTED_S)


def recently_requested() -> list[Any]:
    """The questions of which readers saw earlier values within REQUESTED_S."""
    since = time.time() - REQUESTED_S
    return [what for what, at in (cache.get(REQUESTED) or {}).items() if at > since]

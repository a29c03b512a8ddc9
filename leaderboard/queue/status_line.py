"""The progress of grading as a line now and then, for whoever watches the terminal."""

from __future__ import annotations

import time
from typing import Any, Protocol

from leaderboard.queue.status import queue_status

EVERY_S = 10.0


class Writes(Protocol):
    def write(self, msg: str) -> Any: ...

    def flush(self) -> Any: ...


class StatusLine:
    """Says something when something has changed, at most every EVERY_S."""

    def __init__(self, out: Writes) -> None:
        self.out = out
        self.last = ""
        self.next_at = time.monotonic() + EVERY_S

    def show(self) -> None:
        if time.monotonic() < self.next_at:
            return
        self.next_at = time.monotonic() + EVERY_S
        line = "; ".join(describe(arch) for arch in queue_status(private=True)["archs"])
        if line != self.last:
            self.out.write(line)
            self.out.flush()
            self.last = line


def describe(arch: dict[str, Any]) -> str:
    """amd64: graded 12 of 66, 53 queued, 1 running"""
    total = sum(arch[name] for name in ("graded", "queued", "running", "failed", "parked"))
    parts = [f"graded {arch['graded']} of {total}"]
    parts += [f"{arch[name]} {name}" for name in ("queued", "running", "failed") if arch[name]]
    if arch["parked"]:
        parts.append(f"{arch['parked']} wait: {arch['reason']}")
    elif arch["reason"]:
        parts.append(arch["reason"])
    return f"{arch['arch']}: {', '.join(parts)}"

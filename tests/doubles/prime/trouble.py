"""What can go wrong at each call, on demand or at random."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass

# the calls of the service
CONTROL = ("create", "auth", "status", "get", "list", "delete", "bulk-delete", "error-context")
GATEWAY = ("upload", "execute")

# Before the call does anything: an HTTP status ("401", "503", ...), "drop" the connection, "hang", "garble" (answer nonsense),
# "vanish" (the sandbox is gone).
# With the call done: "lost" (drop the connection instead of answering), "flood" (40 MB of output with the answer).
# Of create alone: "pending" (for ever), "error" (the sandbox does not start), "image" (its image cannot be had).
BEFORE = ("drop", "hang", "garble", "vanish")
PASSING = ("drop", "503", "429", "vanish", "lost")


@dataclass
class Trouble:
    call: str
    what: str
    times: int = 1
    after: int = 0  # calls of this kind that go well before it


class Troubles:
    """The troubles to come; one is used up per call."""

    def __init__(self, chaos: float = 0.0, seed: int = 0) -> None:
        self._planned: list[Trouble] = []
        self._lock = threading.Lock()
        self._chaos = chaos  # the share of gateway calls that go wrong by chance
        self._random = random.Random(seed)

    def plan(self, call: str, what: str, times: int = 1, after: int = 0) -> None:
        if call not in CONTROL + GATEWAY:
            raise ValueError(f"no call {call!r}")
        with self._lock:
            self._planned.append(Trouble(call, what, times, after))

    def next(self, call: str) -> str:
        """What goes wrong at this call; empty: nothing."""
        with self._lock:
            for trouble in self._planned:
                if trouble.call != call or not trouble.times:
                    continue
                if trouble.after:
                    trouble.after -= 1
                    continue
                trouble.times -= 1
                return trouble.what
            if call in GATEWAY and self._random.random() < self._chaos:
                return self._random.choice(PASSING)
            return ""

    def clear(self) -> None:
        """No more trouble."""
        with self._lock:
            self._planned.clear()

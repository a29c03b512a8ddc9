"""One line per minute for a fault of the host, not a thousand: a full disk is met by every request and every beat."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

from leaderboard.lib.faults import HostFault, fault_of

EVERY_S = 60.0


class OncePerMinute(logging.Filter):
    """Lets one record of each fault pass in a minute and process, without its traceback, and counts the others.

    A fault is known by the exception that is logged (exc_info, the message or an argument). Other records pass as they are.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.lock = threading.Lock()
        self.told_at: dict[str, float] = {}
        self.held_back: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error, fault = next(((error, fault) for error in errors_in(record) if (fault := fault_of(error))), (None, None))
        if fault is None:
            return True
        more = self.passes(fault)
        if more is None:
            return False
        text = " ".join(record.getMessage().split())
        counted = f" ({more} more in the last minute)" if more else ""
        parts = [text, fault.sentence, f"{type(error).__name__}: {error}"]
        record.msg = ": ".join(" ".join(part.split()) for part in parts if (part and part not in text) or part is text) + counted
        record.args = ()
        record.exc_info = record.exc_text = None
        record.stack_info = None
        return True

    def passes(self, fault: HostFault) -> int | None:
        """How many were held back since the last one that passed; None: this one is held back, too."""
        now = time.monotonic()
        with self.lock:
            if now - self.told_at.get(fault.key, float("-inf")) < EVERY_S:
                self.held_back[fault.key] = self.held_back.get(fault.key, 0) + 1
                return None
            self.told_at[fault.key] = now
            return self.held_back.pop(fault.key, 0)


def errors_in(record: logging.LogRecord) -> Iterator[BaseException]:
    if record.exc_info and isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
        yield record.exc_info[1]
    arguments = record.args if isinstance(record.args, tuple) else ()
    yield from (value for value in (record.msg, *arguments) if isinstance(value, BaseException))

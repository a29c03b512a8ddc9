"""What is written to the database as soon as that takes it: tried again by a thread, for as long as this process lives.

A command that ends waits for it a while; a worker or a web process goes on with other things.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import connection

from leaderboard.lib.faults import fault_of

log = logging.getLogger(__name__)

FOR_S = 3600.0
WAITED_FOR_S = 600.0  # by a command in its end
_threads: list[threading.Thread] = []


def add(write: Callable[[], object]) -> None:
    """Try it every BEAT_S until it is written, or fails for another reason than a fault of the host."""
    if not _threads:
        atexit.register(wait)
    _threads[:] = [thread for thread in _threads if thread.is_alive()]
    _threads.append(threading.Thread(target=_try, args=(write,), name="late", daemon=True))
    _threads[-1].start()


def wait() -> None:
    """Until all is written, or that takes too long. When an ordinary program ends, this is done by itself."""
    end = time.monotonic() + WAITED_FOR_S
    for thread in _threads:
        thread.join(max(0.0, end - time.monotonic()))


def _try(write: Callable[[], object]) -> None:
    end = time.monotonic() + FOR_S
    try:
        while time.monotonic() < end:
            time.sleep(settings.BEAT_S)
            connection.close()
            try:
                write()
                return
            except Exception as error:
                if not fault_of(error):
                    raise
    except Exception:
        log.exception("what was to be written late is lost")
    finally:
        connection.close()

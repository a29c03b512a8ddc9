"""The cache of files, as a cache should be: what cannot be kept is computed again, and what cannot be read was not kept."""

from __future__ import annotations

import logging
import pickle
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from django.core.cache.backends.filebased import FileBasedCache

from leaderboard.lib.faults import fault_of

log = logging.getLogger(__name__)
T = TypeVar("T")
# A file that a broken disk has changed, or one that an earlier version of the code has written.
UNREADABLE = (
    EOFError,
    pickle.UnpicklingError,
    zlib.error,
    ValueError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    TypeError,
)


class ForgivingFiles(FileBasedCache):
    """Files, because the clusters' processes share them. A full or broken disk is never a reader's error."""

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._forgiving(lambda: FileBasedCache.get(self, key, default, version), default)

    def set(self, key: Any, value: Any, *arguments: Any, **more: Any) -> None:
        self._forgiving(lambda: FileBasedCache.set(self, key, value, *arguments, **more), None)

    def add(self, key: Any, value: Any, *arguments: Any, **more: Any) -> bool:
        return self._forgiving(lambda: FileBasedCache.add(self, key, value, *arguments, **more), False)

    def touch(self, key: Any, *arguments: Any, **more: Any) -> bool:
        return self._forgiving(lambda: FileBasedCache.touch(self, key, *arguments, **more), False)

    def delete(self, key: Any, version: Any = None) -> bool:
        return self._forgiving(lambda: FileBasedCache.delete(self, key, version), False)

    def has_key(self, key: Any, version: Any = None) -> bool:
        return self._forgiving(lambda: FileBasedCache.has_key(self, key, version), False)

    def clear(self) -> None:
        self._forgiving(lambda: FileBasedCache.clear(self), None)

    def _forgiving(self, act: Callable[[], T], otherwise: T) -> T:
        try:
            return act()
        except UNREADABLE:
            return otherwise
        except Exception as error:
            fault = fault_of(error)
            if fault is None:
                raise
            log.warning("the cache is not used: %s", fault.sentence, exc_info=error)
            return otherwise

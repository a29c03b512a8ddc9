"""Public pages are kept for a moment by the site itself, so that what many readers ask for at once is made once.

PAGES_KEPT_S says how long (0: not at all). Whoever is signed in, or has a token, never gets a kept page, and what they change
ends all kept pages at once; gradings and commands show after that time. Kept as they are sent, in a cache that all processes
share.
"""

from __future__ import annotations

import hashlib
import pickle
import zlib
from contextlib import suppress
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

LARGEST = 1 << 20
GENERATION = "generation"
FOREVER_S = 30 * 24 * 3600


def key_of(request: HttpRequest, coding: str | None) -> str | None:
    """The key of a page, made before the page is: a page made in an earlier generation is never found by a later one."""
    if not settings.PAGES_KEPT_S or request.method != "GET":
        return None
    generation = _get(GENERATION)
    asked = (generation, coding, request.scheme, request.META.get("HTTP_HOST"), request.get_full_path())
    return hashlib.sha256(repr(asked).encode()).hexdigest()


def find(key: str) -> HttpResponse | None:
    kept = _get(key)
    if kept is None:
        return None
    content, headers = kept
    return HttpResponse(content, headers=headers)


def keep(key: str, response: Any) -> None:
    """A full or broken disk is no reason not to answer."""
    if not response.streaming and len(response.content) <= LARGEST:
        with suppress(OSError):
            caches["pages"].set(key, (response.content, dict(response.items())), settings.PAGES_KEPT_S)


def end() -> None:
    """Somebody changed something."""
    if settings.PAGES_KEPT_S:
        with suppress(OSError):
            caches["pages"].set(GENERATION, uuid4().hex, FOREVER_S)


def _get(key: str) -> Any:
    with suppress(OSError, EOFError, pickle.UnpicklingError, zlib.error):
        return caches["pages"].get(key)
    return None

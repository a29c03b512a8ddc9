"""How often one may ask. Readers are told apart by their address, programs with a token by their user."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.core.cache import BaseCache, caches
from django.http import HttpRequest
from ninja.throttling import SimpleRateThrottle

from leaderboard.web.client_address import client_address


class Limit(SimpleRateThrottle):
    """A limit of requests per period, read from a setting at each request; 0 is no limit."""

    timer: Any = staticmethod(time.time)

    def __init__(self, setting: str, period_s: int) -> None:
        super().__init__(f"1/{period_s}")
        self.setting = setting

    @property
    def cache(self) -> BaseCache:  # type: ignore[override]
        """One that all processes share, and of its own: many readers must not push the pages' summaries out."""
        return caches["limits"]

    def get_cache_key(self, request: HttpRequest) -> str | None:
        self.num_requests = getattr(settings, self.setting)
        if not self.num_requests:
            return None
        who = f"user-{request.user.pk}" if request.user.is_authenticated else client_address(request)
        return f"{self.setting}-{who}"


RETRY = {  # what the document says of the header that comes with a 429
    "responses": {
        429: {
            "headers": {
                "Retry-After": {"required": True, "description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}
            }
        }
    }
}
reads = Limit("API_READS_PER_MINUTE", 60)
uploads = Limit("API_UPLOADS_PER_HOUR", 3600)

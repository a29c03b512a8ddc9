"""One question to an OpenAI-compatible endpoint: what came back, or why nothing did."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from leaderboard.bundles.formats.base import content_text, count, table, tables
from leaderboard.bundles.runs import first_text
from leaderboard.evaluation.secret import Secret

CONNECT_S = 15.0
ANSWER_LIMIT = 32 << 20
STOPPING = {401, 402, 403, 404, 405}  # wrong key, no credit, no such model: the next question would fare no better
PASSING = {408, 409, 425, 429}  # and every 5xx: worth another try


class Failed(Exception):
    """No reply. passing: it may work the next time; stopping: nothing will work before somebody has changed something."""

    def __init__(
        self, message: str, *, status: int | None = None, passing: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.retry_after_s = message, status, retry_after_s
        self.attempts = 1
        self.stopping = status in STOPPING
        self.passing = passing or status in PASSING or (status or 0) >= 500


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the model said, empty or not, and what it took."""

    text: str
    finish_reason: str
    served_model: str
    response_id: str
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None  # as the service says it; few do


class Endpoint:
    """Thread-safe. No redirect is followed: the key would go somewhere else."""

    def __init__(self, url: str, key: Secret, timeout_s: float) -> None:
        self.url, self.key, self.timeout_s = url, key, timeout_s
        timeout = httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s), pool=None)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self.client = httpx.Client(timeout=timeout, limits=limits, follow_redirects=False)

    def close(self) -> None:
        self.client.close()

    def ask(self, body: Mapping[str, Any]) -> Reply:
        """Raises Failed, whose message does not hold the key."""
        try:
            status, headers, data = self._post(body)
        except httpx.HTTPError as error:
            raise Failed(self._safe(f"{type(error).__name__}: {error}".strip(": ")), passing=True) from None
        if not 200 <= status < 300:
            message = self._safe(_error_text(data)) or "no message"
            raise Failed(message, status=status, retry_after_s=retry_after(headers))
        return self._parse(data)

    def _post(self, body: Mapping[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        """The timeout is of the whole answer, however slowly it drips."""
        end = time.monotonic() + self.timeout_s
        with self.client.stream("POST", self.url, json=body, headers=self.key.headers) as response:
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > ANSWER_LIMIT:
                    raise Failed(f"a response of over {ANSWER_LIMIT >> 20} MB")
                if time.monotonic() > end:
                    raise Failed(f"no whole answer within {self.timeout_s:g} s", passing=True)
            return response.status_code, response.headers, bytes(data)

    def _parse(self, data: bytes) -> Reply:
        try:
            raw = json.loads(data)
        except (ValueError, RecursionError):
            raise Failed("the response is not JSON", passing=True) from None
        raw = table(self.key.hidden_in(raw))
        choices = tables(raw.get("choices"))
        if not choices:
            error = table(raw.get("error"))  # some services say 200 and put the error inside
            code = error.get("code")
            status = code if isinstance(code, int) and 400 <= code < 600 else None
            raise Failed(_message(raw) or "the response has no choices", status=status, passing=status is None)
        message, usage = table(choices[0].get("message")), table(raw.get("usage"))
        cost = usage.get("cost")
        return Reply(
            text=content_text(message.get("content")) or first_text(message.get("refusal")) or "",
            finish_reason=first_text(choices[0].get("finish_reason")) or "",
            served_model=first_text(raw.get("model")) or "",
            response_id=first_text(raw.get("id")) or "",
            prompt_tokens=count(usage.get("prompt_tokens")),
            completion_tokens=count(usage.get("completion_tokens")),
            reasoning_tokens=count(table(usage.get("completion_tokens_details")).get("reasoning_tokens")),
            cached_tokens=count(table(usage.get("prompt_tokens_details")).get("cached_tokens")),
            cost_usd=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e6 else None,
        )

    def _safe(self, text: str) -> str:
        return str(self.key.hidden_in(text))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from a number of them or a date (RFC 9110, 10.2.3), or from milliseconds where the service says those."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        if not (value := headers.get("retry-after")):
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _error_text(data: bytes) -> str:
    """What a service says of its error, in any of the usual shapes; one line."""
    text = data[:20_000].decode("utf-8", "replace")
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return " ".join(text.split())[:300]
    return _message(table(raw)) or " ".join(text.split())[:300]


def _message(raw: dict[str, Any]) -> str:
    error = raw.get("error")
    said = first_text(error, table(error).get("message"), raw.get("message"), raw.get("detail"))
    return " ".join(said.split())[:300] if said else ""

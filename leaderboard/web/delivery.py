"""How answers leave: who may keep them and for how long, by which tag they are known again, and compressed or not.

One rule, for every address: an answer is public if anybody who asks without a session or a token gets it, by GET, with 200, and
it sets no cookie. A public answer may be kept by everybody for a minute (five seconds while what it shows is still moving), has
an ETag (of its bytes before compression), and is compressed. Everything else is private: nobody keeps it, and it is never
compressed, since a page that has a secret and repeats something of the request gives the secret away by its length (BREACH).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import brotli
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from leaderboard.lib import stale_cache
from leaderboard.web import page_cache

KEPT_S = 60
MOVING_S = 5
PERSONAL = ("/admin/", "/account/", "/try/")  # forms, and what one has tried out
API = "/api/"  # answers to a token, too, and counts who asks
SAFE = ("GET", "HEAD")
SMALLEST = 200  # bytes that are worth it
TEXT = ("text/", "application/json", "application/javascript", "application/x-tex", "image/svg+xml")
BROTLI_QUALITY = 4  # smaller than gzip's level 6 in the same time
GZIP_LEVEL = 6


class Delivery:
    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        coding = best_coding(request.headers.get("Accept-Encoding", ""))
        key = page_cache.key_of(request, coding) if may_be_public(request) and not request.path_info.startswith(API) else None
        response = page_cache.find(key) if key else None
        if response is None:
            response = self.make(request, coding)
            if key and "public" in directives(response):
                page_cache.keep(key, response)
        if "ETag" in response.headers and "public" in directives(response):
            return get_conditional_response(request, etag=response["ETag"], response=response)
        return response

    def make(self, request: HttpRequest, coding: str | None) -> Any:
        stale_cache.moving.set(False)
        response = self.get_response(request)
        if not is_public(request, response):
            if request.method not in SAFE and asks_as_somebody(request):
                page_cache.end()
            if not {"no-store", "private"} <= set(directives(response)):
                response["Cache-Control"] = "private, no-store"
            return response
        response["Cache-Control"] = f"public, max-age={MOVING_S if stale_cache.moving.get() else KEPT_S}"
        patch_vary_headers(response, ["Cookie", "Authorization"] if request.path_info.startswith(API) else ["Cookie"])
        if response.streaming:
            if request.method == "HEAD":
                response.streaming_content = ()
        else:
            response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        compress(response, coding)
        return response


def asks_as_somebody(request: HttpRequest) -> bool:
    return settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers


def may_be_public(request: HttpRequest) -> bool:
    return request.method in SAFE and not asks_as_somebody(request) and not request.path_info.startswith(PERSONAL)


def is_public(request: HttpRequest, response: HttpResponse) -> bool:
    return (
        may_be_public(request)
        and response.status_code == 200
        and not response.cookies
        and not {"private", "no-store"} & set(directives(response))
    )


def directives(response: HttpResponse) -> list[str]:
    return [word.strip().lower() for word in response.get("Cache-Control", "").split(",")]


# Compression


class Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


class Brotli:
    def __init__(self) -> None:
        self._made = brotli.Compressor(quality=BROTLI_QUALITY)

    def compress(self, data: bytes) -> bytes:
        return bytes(self._made.process(data))

    def flush(self) -> bytes:
        return bytes(self._made.finish())


CODINGS: dict[str, Callable[[], Compressor]] = {
    "br": Brotli,
    "gzip": lambda: zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS),
}


def compress(response: Any, coding: str | None) -> None:
    """Public text, as the client can take it; streamed as it was."""
    if not response.get("Content-Type", "").startswith(TEXT) or response.has_header("Content-Encoding"):
        return
    patch_vary_headers(response, ["Accept-Encoding"])
    if coding is None or (not response.streaming and len(response.content) < SMALLEST):
        return
    if response.streaming:
        response.streaming_content = compressed(response.streaming_content, CODINGS[coding]())
        del response["Content-Length"]
    else:
        response.content = b"".join(compressed([response.content], CODINGS[coding]()))
        response["Content-Length"] = str(len(response.content))
        response["ETag"] = f"W/{response['ETag']}"  # the same page, in other bytes
    response["Content-Encoding"] = coding


def compressed(chunks: Iterable[bytes], compressor: Compressor) -> Iterator[bytes]:
    for chunk in chunks:
        if data := compressor.compress(chunk):
            yield data
    yield compressor.flush()


def best_coding(accepted: str) -> str | None:
    """The coding with the highest weight of an Accept-Encoding (RFC 9110, section 12.5.3), ours in order where equal."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, *parameters = (word.strip() for word in part.split(";"))
        weight = next((word[2:] for word in parameters if word.startswith("q=")), "1")
        try:
            weights[name] = float(weight)
        except ValueError:
            weights[name] = 0.0
    found = [(weights.get(coding, weights.get("*", 0.0)), coding) for coding in CODINGS]
    best, coding = max(found, key=lambda pair: pair[0])
    return coding if best > 0 and best >= weights.get("identity", 0.0) else None

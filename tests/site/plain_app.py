"""A WSGI application without a database, for tests of the worker that serves it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from typing import Any

MB = 1 << 20


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """/slow/SECONDS; /big/MEGABYTES, streamed; else what of a body came, and where from."""
    path = environ["PATH_INFO"]
    if path.startswith("/slow/"):
        time.sleep(float(path.removeprefix("/slow/")))
    if path.startswith("/big/"):
        start_response("200 OK", [("Content-Type", "text/plain")])
        return (bytes(MB) for _ in range(int(path.removeprefix("/big/"))))
    digest, length = hashlib.sha256(), 0
    while chunk := environ["wsgi.input"].read(1 << 16):
        digest.update(chunk)
        length += len(chunk)
    said = f"{length} {digest.hexdigest()} {environ.get('CONTENT_LENGTH', '')} {environ['REMOTE_ADDR'] or '-'}"
    if length == 0 and int(environ.get("CONTENT_LENGTH") or 0):
        start_response("413 Content Too Large", [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
    else:
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(said)))])
    return [said.encode()]

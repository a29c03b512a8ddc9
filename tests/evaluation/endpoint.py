"""A loopback endpoint that misbehaves by order: what happens to each request is a function, in turn; the last one repeats."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.doubles.openai import completion

KEY = "sk-very-secret-0123456789"
CODE = "<answer>\nfloat dot_f32(const float *a, const float *b, size_t n) { return 0; }\n</answer>"
Act = Callable[["Handler", dict[str, Any]], None]


class Endpoint:
    def __init__(self, *acts: Act) -> None:
        self.acts = acts or (answer(),)
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.keys: list[str | None] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.endpoint = self  # type: ignore[attr-defined]

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        endpoint: Endpoint = self.server.endpoint  # type: ignore[attr-defined]
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with endpoint.lock:
            number = len(endpoint.requests)
            endpoint.requests.append(request)
            endpoint.times.append(time.monotonic())
            endpoint.keys.append(self.headers.get("Authorization"))
        endpoint.acts[min(number, len(endpoint.acts) - 1)](self, request)

    def send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def answer(text: str | None = CODE, *, finish_reason: str = "stop", after_s: float = 0.0, **usage: Any) -> Act:
    def act(handler: Handler, request: dict[str, Any]) -> None:
        time.sleep(after_s)
        made = completion(request, text or "")
        made["choices"][0]["message"]["content"] = text
        made["choices"][0]["finish_reason"] = finish_reason
        made["usage"] |= usage
        handler.send(200, json.dumps(made).encode())

    return act


def refuse(status: int, message: str = "no", **headers: str) -> Act:
    def act(handler: Handler, request: dict[str, Any]) -> None:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.send(status, json.dumps({"error": {"message": message}}).encode(), names)

    return act


def raw(data: bytes, status: int = 200) -> Act:
    return lambda handler, request: handler.send(status, data)


def hang(seconds: float = 30.0) -> Act:
    return lambda handler, request: time.sleep(seconds)


def drip(handler: Handler, request: dict[str, Any]) -> None:
    """A byte now and then, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def drop(handler: Handler, request: dict[str, Any]) -> None:
    """The connection ends in the middle of an answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.close()
    handler.close_connection = True

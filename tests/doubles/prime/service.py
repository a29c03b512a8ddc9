"""A loopback double of the Prime service, for the real client: control plane and gateway in one HTTP server."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from tests.doubles.loopback import JsonHandler, LoopbackServer
from tests.doubles.prime.boxes import Box, make_folder
from tests.doubles.prime.trouble import GATEWAY, Troubles
from tests.doubles.prime.wire import Stream, command_of, read_body

KEY = "key-of-the-double"
FLOOD_BYTES = 40 << 20
ENDED = {"ERROR", "TERMINATED", "TIMEOUT"}
ROUTES = [
    ("POST", r"/api/v1/sandbox", "create"),
    ("GET", r"/api/v1/sandbox", "list"),
    ("DELETE", r"/api/v1/sandbox", "bulk-delete"),
    ("POST", r"/api/v1/sandbox/status:batchGet", "status"),
    ("POST", r"/api/v1/sandbox/([\w-]+)/auth", "auth"),
    ("GET", r"/api/v1/sandbox/([\w-]+)/error-context", "error-context"),
    ("GET", r"/api/v1/sandbox/([\w-]+)", "get"),
    ("DELETE", r"/api/v1/sandbox/([\w-]+)", "delete"),
    ("POST", r"/gateway/double/([\w-]+)/upload", "upload"),
    ("POST", r"/gateway/double/([\w-]+)/command_session.CommandSession/Start", "execute"),
    ("POST", r"/double/trouble", "plan"),  # for tests in another process
    ("GET", r"/double/calls", "calls"),
]


@dataclass(frozen=True)
class Call:
    name: str
    box: str
    bytes_in: int
    trouble: str


class PrimeDouble:
    """The service. `with PrimeDouble() as double: ...`, the client pointed at it by `double.environment`."""

    def __init__(
        self,
        *,
        port: int = 0,
        latency_s: float = 0.0,
        chaos: float = 0.0,
        seed: int = 0,
        keys: frozenset[str] | None = frozenset({KEY}),
        minute_s: float | None = None,
    ) -> None:
        self.latency_s = latency_s  # of each round trip
        self.keys = keys  # None: any
        self.minute_s = minute_s  # how long a minute of a sandbox's idle timeout lasts here; None: idle ones are kept
        self.troubles = Troubles(chaos, seed)
        self.boxes: dict[str, Box] = {}
        self.flaws: set[str] = set()  # of sandboxes to come: machine, compiler, disk
        self.calls: list[Call] = []
        self.made = 0
        self._by_key: dict[str, str] = {}  # idempotency key -> sandbox
        self._folder = make_folder()
        self.closing = threading.Event()
        self.lock = threading.RLock()
        self._server = Server(("127.0.0.1", port), Handler)
        self._server.double = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> PrimeDouble:
        self._thread.start()
        if self.minute_s is not None:
            threading.Thread(target=self._end_idle, args=(self.minute_s,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        for box in list(self.boxes.values()):
            box.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What points the client here, and names the image by the compiler that its sandboxes have: this host's."""
        return {
            "PRIME_API_BASE_URL": self.url,
            "PRIME_API_KEY": KEY,
            "PRIME_IMAGE": f"gcc:{host_gcc()}",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def count(self, *names: str) -> int:
        """Calls so far, of these kinds (all by default)."""
        with self.lock:
            by_name = Counter(call.name for call in self.calls)
        return sum(by_name[name] for name in names) if names else by_name.total()

    @property
    def round_trips(self) -> int:
        """Calls of the gateway so far."""
        return self.count(*GATEWAY)

    @property
    def running(self) -> list[Box]:
        with self.lock:
            return [box for box in self.boxes.values() if box.status not in ENDED]

    def vanish(self, box_id: str) -> None:
        with self.lock:
            box = self.boxes.pop(box_id, None)
        if box:
            box.end()

    def _end_idle(self, minute_s: float) -> None:
        """What the service does by itself."""
        while not self.closing.wait(minute_s / 4):
            for box in self.running:
                if box.idle_s() > box.request["idle_timeout_minutes"] * minute_s:
                    self.vanish(box.id)

    def make(self, request: dict[str, Any]) -> Box:
        """Make a sandbox; the same idempotency key gets the same one."""
        with self.lock:
            key = request.get("idempotency_key", "")
            if (known := self._by_key.get(key)) in self.boxes:
                return self.boxes[known]
            self.made += 1
            box = self.new_box(f"double-{uuid4().hex[:12]}", request)
            self.boxes[box.id] = box
            self._by_key[key] = box.id
            return box

    def new_box(self, box_id: str, request: dict[str, Any]) -> Box:
        return Box(box_id, request, self._folder, set(self.flaws))


class Server(LoopbackServer):
    double: PrimeDouble


class Handler(JsonHandler):
    server: Server

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        self.double = self.server.double
        body = read_body(self)
        path = urlsplit(self.path).path
        found = next((r for r in ((name, re.fullmatch(p, path)) for m, p, name in ROUTES if m == self.command) if r[1]), None)
        if found is None:
            return self._json({"detail": f"no route {self.command} {path}"}, 404)
        name, match = found
        box_id = match[1] if match and match.groups() else ""
        self._query = parse_qs(urlsplit(self.path).query)
        if name in ("plan", "calls"):
            return getattr(self, f"_{name}")(body)
        trouble = self.double.troubles.next(name)
        with self.double.lock:
            self.double.calls.append(Call(name, box_id, len(body), trouble))
        time.sleep(self.double.latency_s)
        if self._stopped_by(trouble, box_id):
            return None
        if name not in GATEWAY and not self._has_key():
            return self._json({"detail": "invalid key"}, 401)
        return getattr(self, f"_{name.replace('-', '_')}")(box_id, body, trouble)

    def _has_key(self) -> bool:
        keys = self.double.keys
        return keys is None or self.headers.get("Authorization", "").removeprefix("Bearer ") in keys

    def _stopped_by(self, trouble: str, box_id: str) -> bool:
        """Trouble that comes before the call does anything."""
        if trouble.isdigit():
            self._json({"detail": f"trouble {trouble}"}, int(trouble))
        elif trouble == "drop":
            self._drop()
        elif trouble == "hang":
            self.double.closing.wait()
            self._drop()
        elif trouble == "garble":
            self._json({"un": "expected"}, 200)
        elif trouble == "vanish":
            self.double.vanish(box_id)
            return False
        else:
            return False
        return True

    # Control plane --------------------------------------------------------------------------------------------------------

    def _create(self, _: str, body: bytes, trouble: str) -> None:
        box = self.double.make(json.loads(body))
        if trouble == "pending":
            box.status = "PENDING"
        elif trouble in ("error", "image"):
            box.status, box.error_type = "ERROR", "IMAGE_PULL_FAILED" if trouble == "image" else "START_FAILED"
        self._answer(box.as_json(), trouble, 201)

    def _list(self, _: str, __: bytes, trouble: str) -> None:
        page, size = (int(self._query.get(name, [default])[0]) for name, default in (("page", "1"), ("per_page", "50")))
        wanted = set(self._query.get("labels", []))
        boxes = [box for box in self.double.running if wanted <= set(box.request.get("labels", []))]
        shown = boxes[(page - 1) * size : page * size]
        listed = {"sandboxes": [box.as_json() for box in shown], "total": len(boxes), "page": page, "perPage": size}
        self._answer(listed | {"hasNext": page * size < len(boxes)}, trouble)

    def _status(self, _: str, body: bytes, trouble: str) -> None:
        statuses, errors = [], []
        for box_id in json.loads(body)["sandbox_ids"]:
            if box := self.double.boxes.get(box_id):
                statuses.append({"sandbox_id": box_id, "status": box.status, "error_type": box.error_type, "error_message": None})
            else:
                errors.append({"sandbox_id": box_id, "code": "NOT_FOUND", "message": "no such sandbox"})
        self._answer({"statuses": statuses, "errors": errors}, trouble)

    def _auth(self, box_id: str, _: bytes, trouble: str) -> None:
        if box_id not in self.double.boxes:
            return self._json({"detail": "no such sandbox"}, 404)
        until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
        gateway = {"gateway_url": f"{self.double.url}/gateway", "user_ns": "double", "job_id": box_id}
        return self._answer(gateway | {"token": "token", "expires_at": until}, trouble)

    def _get(self, box_id: str, _: bytes, trouble: str) -> None:
        box = self.double.boxes.get(box_id)
        self._answer(box.as_json(), trouble) if box else self._json({"detail": "no such sandbox"}, 404)

    def _error_context(self, box_id: str, _: bytes, trouble: str) -> None:
        box = self.double.boxes.get(box_id)
        self._answer({"status": box.status if box else None, "errorType": box.error_type if box else None}, trouble)

    def _delete(self, box_id: str, _: bytes, trouble: str) -> None:
        if box_id not in self.double.boxes:
            return self._json({"detail": "no such sandbox"}, 404)
        self.double.vanish(box_id)
        return self._answer({"deleted": True}, trouble)

    def _bulk_delete(self, _: str, body: bytes, trouble: str) -> None:
        wanted = set(json.loads(body).get("labels") or [])
        ended = [box.id for box in self.double.running if wanted <= set(box.request.get("labels", []))]
        for box_id in ended:
            self.double.vanish(box_id)
        self._answer({"succeeded": ended, "failed": [], "message": ""}, trouble)

    # Gateway --------------------------------------------------------------------------------------------------------------

    def _upload(self, box_id: str, body: bytes, trouble: str) -> None:
        box = self.double.boxes.get(box_id)
        if box is None:
            return self._json({"error": "sandbox_terminated"}, 410)
        path = self._query["path"][0]
        data = file_of(self.headers["Content-Type"], body)
        box.upload(path, data)
        now = datetime.now(UTC).isoformat()
        return self._answer({"success": True, "path": path, "size": len(data), "timestamp": now}, trouble)

    def _execute(self, box_id: str, body: bytes, trouble: str) -> None:
        box = self.double.boxes.get(box_id)
        if box is None:
            return Stream(self).error("not_found", "no such sandbox")
        stream = None if trouble == "lost" else Stream(self)
        outputs: list[tuple[str, bytes]] = []
        status = box.execute(command_of(body), stream.start if stream else _ignore, lambda *output: outputs.append(output))
        if stream is None:
            return self._drop()
        if box_id not in self.double.boxes:  # it vanished meanwhile
            return stream.error("not_found", "the sandbox is gone")
        for name, data in outputs:
            stream.output(name, data)
        if trouble == "flood":
            stream.output("stderr", bytes(FLOOD_BYTES))
        return stream.end(status)

    # For tests in another process -----------------------------------------------------------------------------------------

    def _plan(self, body: bytes) -> None:
        self.double.troubles.plan(**json.loads(body))
        self._json({})

    def _calls(self, _: bytes) -> None:
        with self.double.lock:
            calls = [vars(call) for call in self.double.calls]
        self._json({"calls": calls, "made": self.double.made, "running": [box.id for box in self.double.running]})

    def _answer(self, answer: dict[str, Any], trouble: str, status: int = 200) -> None:
        self._drop() if trouble == "lost" else self._json(answer, status)

    def _drop(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


@cache
def host_gcc() -> str:
    """The major version of this host's gcc."""
    done = subprocess.run(["/usr/bin/gcc", "-dumpversion"], capture_output=True, text=True, check=True)
    return done.stdout.strip().partition(".")[0]


def file_of(content_type: str, body: bytes) -> bytes:
    """The one file of a multipart form."""
    boundary = content_type.partition("boundary=")[2].strip('"').encode()
    return body.partition(b"\r\n\r\n")[2].rpartition(b"\r\n--" + boundary)[0]


def _ignore(_: int) -> None:
    pass

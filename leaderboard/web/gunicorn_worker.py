"""gunicorn's worker: requests are received whole, and answers sent off, by one loop; threads are for pages alone.

A thread that read from a client would be held by whoever sends a byte every few seconds: eight of them stopped a site. So a
loop receives headers and body (in memory, then in a file) and hands over what is complete; a thread hands back its answer,
which the loop sends (from memory, then from a file) as slowly as the client reads. Loop, parser and buffers are those of
waitress, which Pylons keeps; gunicorn starts, watches and ends the processes. What is added here: a body is refused by its
announced length before it is sent, a client that would never finish is cut off, and /healthz has a thread of its own.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import time
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any

from gunicorn.workers.base import Worker  # type: ignore[import-untyped]
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.buffers import OverflowableBuffer, TempfileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer, UnixWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import Error

MB = 1 << 20
HEADER_BYTES = 64 << 10  # of all headers together
FORM_BYTES = 4 * MB  # of a body where no files are sent: ten thousand selected rows, the longest answer under /try/
AROUND_FILE_BYTES = MB  # a form's own fields
FILES_GO_TO = ("/api/bundles", "/admin/")  # addresses that begin so take files
SMALLEST_FILE = 4 * MB  # there has to be room on the disk for what is larger
WHOLE_WITHIN_S = 60.0  # a request, ...
SLOWEST_BYTES_S = 1000  # ... and a second more for so many bytes of its body
IDLE_S = 75  # a connection without a request
UNREAD_S = 20.0  # a client that is still sending what was refused has so long to see why
KEPT_ANSWERS_BYTES = 256 * MB  # of one connection: only beyond does a thread wait for the client to read
CONNECTIONS = 4000
HEALTH = "/healthz"


class Refusal(Error):
    """Said before the site is asked; to programs as the API says everything."""

    def __init__(self, said: str, path: str) -> None:
        super().__init__(said)
        self.path = path

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        status, _, _ = super().to_response(ident)
        is_api = self.path.startswith("/api/")
        body = json.dumps({"detail": self.body}) if is_api else f"{self.body}\n"
        kind = "application/json; charset=utf-8" if is_api else "text/plain; charset=utf-8"
        return status, [("Content-Type", kind), ("Cache-Control", "private, no-store")], body.encode()


class NoRoom(Refusal):
    code = 507
    reason = "Insufficient Storage"


class TooLarge(Refusal):
    code = 413
    reason = "Content Too Large"


class OnDisk(TempfileBasedBuffer):
    """A file without a name where uploads go: a full or small /tmp has nothing to do with them."""

    def newfile(self) -> IO[bytes]:
        return TemporaryFile("w+b", dir=upload_folder())


class Body(OverflowableBuffer):
    buf: Any

    def _set_large_buffer(self) -> None:
        before, self.buf, self.overflowed = self.buf, OnDisk(self.buf), True
        if before is not None:
            before.close()


class Request(HTTPRequestParser):
    """A request as it comes in."""

    error: Error | None = None
    body_rcv: Any
    unread = False  # its body was too large by its announced length: the site says so, and nothing of it is read
    limit = FORM_BYTES

    def __init__(self, adj: Adjustments) -> None:
        super().__init__(adj)
        self.begun = time.monotonic()

    def received(self, data: bytes) -> int:
        """How many bytes belong to this request. What is refused takes all that comes: no body may pass for further requests."""
        try:
            taken: int = super().received(data)
        except OSError as fault:  # of the disk that bodies are kept on
            free = shutil.disk_usage(upload_folder()).free >> 20
            self.refuse(
                NoRoom(f"The body cannot be kept ({fault.strerror}; {free} MB are free): send it again later.", self.path)
            )
        if self.body_bytes_received > self.limit:  # its length was not announced
            self.refuse(TooLarge(f"The body is larger than {self.limit >> 20} MB.", self.path))
        self.unread = self.unread or self.error is not None
        return len(data) if self.unread else taken

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.body_rcv is None:
            return
        self.limit = body_limit(self.path)
        self.body_rcv.buf = Body(self.adj.inbuf_overflow)
        if self.content_length > self.limit:
            self.leave_unread()
        elif self.content_length > SMALLEST_FILE and (free := shutil.disk_usage(upload_folder()).free) < self.content_length:
            said = f"The body has {self.content_length >> 20} MB, and {free >> 20} MB are free: send it again later."
            self.leave_unread()
            self.error = NoRoom(said, self.path)

    def leave_unread(self) -> None:
        """The site answers by the announced length, without a body, and the connection ends."""
        self.unread, self.expect_continue, self.body_rcv, self.content_length = True, False, None, 0
        self.headers["CONNECTION"] = "close"

    def refuse(self, error: Refusal) -> None:
        self.error, self.completed, self.expect_continue = error, True, False

    @property
    def is_too_slow(self) -> bool:
        return bool(time.monotonic() - self.begun > WHOLE_WITHIN_S + self.body_bytes_received / SLOWEST_BYTES_S)


class Answer(WSGITask):
    """To HEAD without its body, whatever the application wrote."""

    @property
    def has_body(self) -> bool:
        return bool(super().has_body) and self.request.command.upper() != "HEAD"

    logged_write_no_body = True  # it is no mistake


class Connection(HTTPChannel):
    parser_class = Request
    task_class = Answer
    unread_until: float | None = None  # the answer is sent; what the client still sends is thrown away
    has_unread = False

    def readable(self) -> bool:
        return self.unread_until is not None or bool(super().readable())

    def writable(self) -> bool:
        return (self.unread_until is None or self.will_close) and bool(super().writable())

    def handle_read(self) -> None:
        if self.unread_until is None:
            super().handle_read()
            return
        with suppress(OSError):
            if self.socket.recv(self.adj.recv_bytes):
                return
        self.handle_close()

    def handle_close(self) -> None:
        """Whoever is still sending when the connection is closed is told that it broke, and never sees the answer."""
        if self.has_unread and self.unread_until is None and self.connected:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.unread_until = time.monotonic() + UNREAD_S
                self.will_close = False
                return
        super().handle_close()

    def close_if_too_slow(self) -> None:
        sending = self.request is not None and not self.requests and self.request.is_too_slow
        if sending or (self.unread_until is not None and time.monotonic() > self.unread_until):
            self.has_unread = False
            self.will_close = True


class Threads(ThreadedTaskDispatcher):
    """Threads for pages; and one more that has nothing to do but to say that the process lives, however long pages take."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.set_thread_count(count)
        self.for_health = ThreadedTaskDispatcher()
        self.for_health.set_thread_count(1)

    def add_task(self, connection: Connection) -> None:
        asked = connection.requests[0]
        connection.has_unread = asked.unread
        if getattr(asked, "path", "") == HEALTH:
            self.for_health.add_task(connection)
        else:
            super().add_task(connection)

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        self.for_health.shutdown(cancel_pending, 0)
        return bool(super().shutdown(cancel_pending, timeout))


class Listening:
    """What the loop does with a socket of gunicorn's, of either kind."""

    channel_class = Connection
    active_channels: dict[int, Connection]

    def maintenance(self, now: float) -> None:
        super().maintenance(now)  # type: ignore[misc]
        for connection in list(self.active_channels.values()):
            connection.close_if_too_slow()


class OnPort(Listening, TcpWSGIServer):
    pass


class OnFile(Listening, UnixWSGIServer):
    pass


class BufferingWorker(Worker):
    """`gunicorn --worker-class leaderboard.web.gunicorn_worker.BufferingWorker --threads N`"""

    def run(self) -> None:
        self.map: dict[int, Any] = {}
        self.threads = Threads(self.cfg.threads)
        settings = Adjustments(
            ident="arch-kernels",
            server_name="localhost",  # where a request has no Host
            connection_limit=most_connections(),
            cleanup_interval=5,
            channel_timeout=IDLE_S,
            recv_bytes=128 << 10,
            max_request_header_size=HEADER_BYTES,
            max_request_body_size=1 << 50,  # each request knows its limit
            outbuf_high_watermark=KEPT_ANSWERS_BYTES,
            log_socket_errors=False,  # clients come and go
            clear_untrusted_proxy_headers=False,  # TRUSTED_PROXIES and HTTPS say what is believed
        )
        self.servers = [self.server_on(sock, settings) for sock in self.sockets]
        while self.alive and self.ppid == os.getppid() and all(server.connected or server.accepting for server in self.servers):
            self.notify()
            wasyncore.poll2(1.0, self.map)
        self.finish()

    def server_on(self, sock: Any, settings: Adjustments) -> Any:
        listening = getattr(sock, "sock", sock)
        kind = OnFile if listening.family == socket.AF_UNIX else OnPort
        info = (listening.family, listening.type, listening.proto, listening.getsockname())
        return kind(self.wsgi, self.map, True, listening, dispatcher=self.threads, adj=settings, sockinfo=info, bind_socket=False)

    def handle_exit(self, sig: int, frame: Any) -> None:
        super().handle_exit(sig, frame)
        for server in getattr(self, "servers", ()):
            server.pull_trigger()  # the loop need not wait for its time

    def finish(self) -> None:
        """What was received whole is answered, for as long as gunicorn waits."""
        until = time.monotonic() + max(0.0, self.cfg.graceful_timeout - 0.5)
        for server in self.servers:
            server.accepting = False
            server.del_channel()
        while time.monotonic() < until and any(
            connection.requests or connection.total_outbufs_len
            for server in self.servers
            for connection in list(server.active_channels.values())
        ):
            self.notify()
            wasyncore.poll2(0.1, self.map)
        self.threads.shutdown(timeout=0.1)


def most_connections() -> int:
    """As many connections as files may be open, less what pages and the database need: a connection can have three."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 3 * CONNECTIONS + 1000
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CONNECTIONS if soft == resource.RLIM_INFINITY else max(100, min(CONNECTIONS, (soft - 200) // 3))


def body_limit(path: str) -> int:
    from django.conf import settings

    takes_files = path.startswith(FILES_GO_TO) and not path.startswith("/admin/login/")
    return int(settings.UPLOAD_MAX_MB) * MB + AROUND_FILE_BYTES if takes_files else FORM_BYTES


def upload_folder() -> str:
    from django.conf import settings

    return str(settings.FILE_UPLOAD_TEMP_DIR)

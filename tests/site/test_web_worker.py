"""Requests are whole before a thread sees them, and answers leave it at once: no client holds a thread."""

from __future__ import annotations

import hashlib
import http.client
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.site.running import below, free_port, wait_until

THREADS = 2
MB = 1 << 20


class Server:
    """gunicorn with the worker, one process of two threads."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.port, self.folder = free_port(), folder
        self.socket_file = folder / "socket"
        command = [sys.executable, "-m", "gunicorn", "tests.site.plain_app:application", "--bind", f"127.0.0.1:{self.port}"]
        command += ["--bind", f"unix:{self.socket_file}", "--worker-class", "leaderboard.web.gunicorn_worker.BufferingWorker"]
        command += ["--workers", "1", "--threads", str(THREADS), "--graceful-timeout", "4", "--log-level", "warning"]
        command += ["--no-control-socket"]
        given = {"DATA_DIR": str(folder / "data"), "DJANGO_SETTINGS_MODULE": "leaderboard.settings", "UPLOAD_MAX_MB": "32"}
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT.parent, env=os.environ | given | environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_until(lambda: self.get("/healthz") is not None, 60, "the server answers")

    def get(self, path: str, timeout: float = 30) -> bytes | None:
        with suppress(OSError):
            return self.ask("GET", path, timeout=timeout)[1]
        return None

    def ask(self, method: str, path: str, body: object = None, timeout: float = 30, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers)  # type: ignore[arg-type]
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def connect(self, receive_bytes: int = 0) -> socket.socket:
        made = socket.socket()
        if receive_bytes:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        made.settimeout(30)
        made.connect(("127.0.0.1", self.port))
        return made

    def memory_mb(self) -> float:
        texts = [Path(f"/proc/{pid}/status").read_text() for pid in below(self.process.pid)]
        return max(int(text.partition("VmHWM:")[2].split()[0]) for text in texts) / 1024

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("server"))
    yield made
    made.stop()


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def answers_soon(server: Server, path: str = "/healthz") -> None:
    for _ in range(5):
        began = time.monotonic()
        assert server.get(path, timeout=5) is not None
        assert time.monotonic() - began < 1


HEAD = b"POST /try/login/ HTTP/1.1\r\nHost: localhost\r\n"
DRIPS: dict[str, bytes] = {
    "no byte": b"",
    "half a request line": b"POST /try/lo",
    "half of the headers": HEAD + b"X-Slow: ",
    "half of a body": HEAD + b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n\r\nusername=",
    "half of an upload": b"POST /api/bundles HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\nPK",
    "half of a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nusername=",
    "an idle connection": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("kind", DRIPS)
def test_clients_that_drip_hold_no_thread(server: Server, held: ExitStack, kind: str) -> None:
    clients = [held.enter_context(server.connect()) for _ in range(50)]
    for client in clients:
        client.sendall(DRIPS[kind])
    for byte in b"abc" if "idle" not in kind else b"":
        for client in clients:
            client.sendall(bytes([byte]))
        answers_soon(server)
        answers_soon(server, "/")


def test_clients_that_do_not_read_hold_no_thread(server: Server, held: ExitStack) -> None:
    for _ in range(8):
        client = held.enter_context(server.connect(receive_bytes=4096))
        client.sendall(b"GET /big/20 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answers_soon(server)
    wait_until(lambda: server.get("/", timeout=1) is not None, 20, "the answers of all are kept aside")
    answers_soon(server, "/")
    assert server.memory_mb() < 150, "kept in files, not in memory"


def test_health_is_told_while_every_thread_is_busy(server: Server, held: ExitStack) -> None:
    for _ in range(3 * THREADS):
        client = held.enter_context(server.connect())
        client.sendall(b"GET /slow/3 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    time.sleep(0.2)
    assert server.get("/", timeout=0.5) is None, "no thread is free"
    answers_soon(server)


@pytest.mark.parametrize("length", [0, 1, 8191, 600_000, 3 * MB])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_arrives_as_it_was_sent(server: Server, length: int, chunked: bool) -> None:
    body = os.urandom(length)
    sent = (body[at : at + 10_000] for at in range(0, length, 10_000)) if chunked else body
    status, said = server.ask("POST", "/", sent)
    assert status == 200
    assert said.split()[:2] == [str(length).encode(), hashlib.sha256(body).hexdigest().encode()]


def test_a_large_upload_is_kept_in_a_file_where_uploads_go(server: Server) -> None:
    body = os.urandom(30 * MB)
    assert server.ask("POST", "/api/bundles", body)[1].startswith(str(30 * MB).encode())
    assert server.memory_mb() < 150


@pytest.mark.parametrize(("path", "length"), [("/api/bundles", 40 * MB), ("/try/login/", 5 * MB), ("/admin/login/", 5 * MB)])
def test_a_body_that_is_announced_too_large_is_refused_before_it_is_sent(server: Server, path: str, length: int) -> None:
    with server.connect() as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode())
        said = b""
        while chunk := client.recv(10_000):  # the head and the body may come one after the other
            said += chunk
    assert said.startswith(b"HTTP/1.1 413 ")
    assert f" {length} ".encode() in said, "the site itself says so, knowing the announced length"


def test_whoever_sends_on_nevertheless_sees_the_refusal(server: Server) -> None:
    with server.connect() as client:
        client.sendall(f"POST /try/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {9 * MB}\r\n\r\n".encode())
        for _ in range(9):
            client.sendall(b"GET /slow/9 HTTP/1.1\r\n\r\n".ljust(MB))
            time.sleep(0.02)
        said = b""
        while chunk := client.recv(10_000):
            said += chunk
    assert said.count(b"HTTP/1.1") == 1
    assert said.startswith(b"HTTP/1.1 413 ")


def test_a_body_of_unknown_length_is_cut_off_where_it_is_too_large(server: Server) -> None:
    status, said = server.ask("POST", "/api/bundles", (bytes(MB) for _ in range(40)))
    assert (status, said) == (413, b'{"detail": "The body is larger than 33 MB."}')


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", b"501"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + bytes(70_000) + b"\r\n\r\n", b"431"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", b"431"),
    ],
)
def test_what_is_no_request_is_refused_and_harms_nobody(server: Server, sent: bytes, status: bytes) -> None:
    with server.connect() as client:
        with suppress(OSError):
            client.sendall(sent)
        assert client.recv(10_000).split()[1] == status
    answers_soon(server)


def test_requests_on_one_connection_are_answered_in_turn(server: Server) -> None:
    with server.connect() as client:
        client.sendall(b"GET /slow/0.3 HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\n\r\n")
        said = b""
        while chunk := client.recv(10_000):
            said += chunk
    assert said.count(b"HTTP/1.") >= 2
    assert said.startswith(b"HTTP/1.1 200")


def test_an_answer_to_head_has_no_body(server: Server) -> None:
    with server.connect() as client:
        client.sendall(b"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        said = b""
        while chunk := client.recv(10_000):
            said += chunk
    assert said.startswith(b"HTTP/1.1 200")
    assert said.endswith(b"\r\n\r\n")


def test_a_peer_at_the_socket_file_is_answered(server: Server) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(server.socket_file))
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert client.recv(10_000).startswith(b"HTTP/1.0 200")


def test_a_request_that_would_never_be_whole_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from waitress.adjustments import Adjustments

    from leaderboard.web import gunicorn_worker

    now = time.monotonic()
    request = gunicorn_worker.Request(Adjustments())
    request.received(b"POST /api/bundles HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n")

    def after(seconds: float) -> bool:
        monkeypatch.setattr(gunicorn_worker.time, "monotonic", lambda: now + seconds)
        return request.is_too_slow

    assert [after(seconds) for seconds in (1, 59, 62)] == [False, False, True]
    request.received(bytes(100_000))
    assert [after(seconds) for seconds in (62, 159, 162)] == [False, False, True]


def test_a_full_disk_is_said_to_whoever_uploads(monkeypatch: pytest.MonkeyPatch, settings: object) -> None:
    from waitress.adjustments import Adjustments

    from leaderboard.web import gunicorn_worker

    room: Callable[[str], object] = lambda folder: type("Usage", (), {"free": 5 * MB})  # noqa: E731
    monkeypatch.setattr(gunicorn_worker.shutil, "disk_usage", room)
    request = gunicorn_worker.Request(Adjustments())
    request.received(b"POST /api/bundles HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9000000\r\n\r\nabc")
    assert request.completed
    assert request.unread
    assert not request.expect_continue
    assert request.error is not None
    status, _, said = request.error.to_response()
    assert (status, said) == (
        "507 Insufficient Storage",
        b'{"detail": "The body has 8 MB, and 5 MB are free: send it again later."}',
    )


def test_a_stop_waits_for_what_has_begun_and_for_nobody_else(tmp_path: Path) -> None:
    server = Server(tmp_path)
    with server.connect() as slow, server.connect() as dripping, server.connect() as idle:
        slow.sendall(b"GET /slow/1 HTTP/1.1\r\nHost: a\r\n\r\n")
        dripping.sendall(DRIPS["half of a body"])
        idle.sendall(DRIPS["an idle connection"])
        time.sleep(0.3)
        began = time.monotonic()
        server.process.terminate()
        assert slow.recv(10_000).startswith(b"HTTP/1.1 200")
        server.process.wait(20)
    assert time.monotonic() - began < 4
    assert "Traceback" not in server.log.read_text()


def test_more_files_may_be_open_than_a_shell_allows(server: Server) -> None:
    (pid,) = below(server.process.pid)
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    assert soft >= min(13_000, hard)

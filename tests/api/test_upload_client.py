"""The command line against a living site."""

import socket
import socketserver
import subprocess
import sys
import threading
import zipfile
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User

from leaderboard.bundles import upload_client
from leaderboard.bundles.preview import USUAL
from leaderboard.models import Bundle
from leaderboard.services import bundle_files, bundle_reading, importing, tokens
from tests.api.conftest import make_user
from tests.conftest import RUNS
from tests.pages import factories
from tests.site import bundles

BODY = bundles.lines(bundles.row(), bundles.row(kernel="no_such_kernel"))
LOST = "arch-kernels: "
REFUSED, LATER = 1, 3


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_bytes(BODY)
    return path


@pytest.fixture
def token(transactional_db: None) -> str:
    return tokens.make(make_user("uploader"), "a script")[1]


def run(path: Path, url: str, token: str, *more: str) -> int:
    return upload_client.main(["upload", str(path), "--url", url, "--token", token, *more])


def test_a_file_is_sent_once_and_reported(file: Path, token: str, live_server: Any, capsys: Any, monkeypatch: Any) -> None:
    factories.make_kernel("dot_f32")

    def import_meanwhile(seconds: float) -> None:
        for bundle in Bundle.objects.filter(state="importing"):
            importing.import_bundle(bundle)

    monkeypatch.setattr(upload_client.time, "sleep", import_meanwhile)
    assert run(file, live_server.url, token, "--private", "--wait") == 0
    said = capsys.readouterr().out
    assert "1 answers, 1 of them new, 1 rows skipped" in said
    assert "run.jsonl:2" in said
    assert "arm64: nothing graded; 1 wait: no arm64 sandbox configured" in said
    assert run(file, live_server.url, token) == 0
    assert "It is there already." in capsys.readouterr().out
    assert Bundle.objects.get().public is False


def test_nobody_waits_for_a_bundle_that_the_admin_has_to_confirm(
    file: Path, token: str, live_server: Any, capsys: Any, monkeypatch: Any
) -> None:
    assert run(file, live_server.url, token) == 0
    Bundle.objects.update(state=Bundle.State.PREVIEW)
    assert run(file, live_server.url, token, "--wait") == REFUSED
    assert "confirm or discard" in capsys.readouterr().err


def test_what_is_left_out_of_a_folder_is_told(tmp_path: Path, token: str, live_server: Any, capsys: Any) -> None:
    (tmp_path / "answers.jsonl").write_bytes(BODY)
    (tmp_path / "other.jsonl").symlink_to("/etc/passwd")
    assert run(tmp_path, live_server.url, token) == 0
    assert "left out: other.jsonl: a link" in capsys.readouterr().out


def test_a_large_file_is_sent_again_only_if_it_failed(
    token: str, live_server: Any, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    large = tmp_path / "large.jsonl"
    large.write_bytes(b"x" * (8 << 20))
    for _ in range(2):
        assert run(large, live_server.url, token) == 0
    assert "It is there already." in capsys.readouterr().out
    monkeypatch.setattr(upload_client.Site, "first", lambda *_: None)
    assert run(large, live_server.url, token) == 0  # a client that sends it all the same is read to its end
    assert "It is there already." in capsys.readouterr().out
    Bundle.objects.update(state=Bundle.State.FAILED)
    assert run(large, live_server.url, token) == 0
    assert Bundle.objects.get().state == Bundle.State.IMPORTING


@pytest.fixture(autouse=True)
def without_workers(settings: Any) -> None:
    settings.SANDBOXES = {"amd64": "", "arm64": ""}


def test_a_folder_is_the_same_zip_every_time(token: str, live_server: Any, tmp_path: Path) -> None:
    folder = next(path for path in sorted(RUNS.iterdir()) if path.is_dir())
    assert run(folder, live_server.url, token) == 0
    assert run(folder, live_server.url, token) == 0
    bundle = Bundle.objects.get()
    with bundle.file.open("rb") as stored, zipfile.ZipFile(stored) as archive:
        assert "traces.jsonl" in archive.namelist()
    assert bundle.name == f"{folder.name}.zip"


def test_a_dry_run_says_what_is_in_it_and_sends_nothing(file: Path, capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "dot_f32.c").write_text("int x;")
    for path in (tmp_path / "one", file, zipped(tmp_path / "some.zip", BODY)):
        assert upload_client.main(["upload", str(path), "--dry-run", "--model", "lab/one"]) == 0
        said = capsys.readouterr().out
        assert "Nothing was sent." in said
        assert "1 answers to 1 kernels" in said
    assert "1 answers in 2 rows; 1 skipped" in said
    assert "answers.jsonl:2: unknown kernel 'no_such_kernel'" in said


def zipped(path: Path, body: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("run/answers.jsonl", body)
    return path


def test_a_dry_run_has_the_limits_that_a_site_has_by_default() -> None:
    assert bundle_files.limits() == USUAL


def test_every_failure_is_one_clear_line(file: Path, token: str, live_server: Any, capsys: Any, tmp_path: Path) -> None:
    User.objects.create_user("reader")
    may_not = tokens.make(User.objects.get(username="reader"), "reads")[1]
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing").write_bytes(b"")
    for path, url, word, said, status in (
        (file, live_server.url, "ak_wrong", "does not know this token", REFUSED),
        (file, live_server.url, may_not, "You need the permission “add bundle”", REFUSED),
        (file, f"{live_server.url}/methodology", token, "is --url right?", REFUSED),
        (file, "http://127.0.0.1:9", token, "does not answer", LATER),
        (file, "example.org", token, "--url should be like", REFUSED),
        (tmp_path / "gone", live_server.url, token, "There is no", REFUSED),
        (tmp_path / "empty", live_server.url, token, "holds no .jsonl", REFUSED),
        (tmp_path / "nothing", live_server.url, token, "is empty", REFUSED),
    ):
        assert run(path, url, word) == status
        error = capsys.readouterr().err
        assert error.startswith(LOST), error
        assert said in error
        assert error.count("\n") == 1
    assert not Bundle.objects.exists()


def test_a_wrong_command_line_ends_with_2(file: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("ARCH_KERNELS_TOKEN", raising=False)
    with pytest.raises(SystemExit) as ended:
        upload_client.main(["upload", str(file), "--url", "http://localhost"])
    assert ended.value.code == 2


def test_what_is_too_large_is_refused_before_it_is_sent(
    token: str, live_server: Any, tmp_path: Path, settings: Any, capsys: Any
) -> None:
    settings.UPLOAD_MAX_MB = 1
    large = tmp_path / "large.jsonl"
    large.write_bytes(b"x" * (2 << 20))
    assert run(large, live_server.url, token) == REFUSED
    assert "(413): The upload is larger than UPLOAD_MAX_MB = 1." in capsys.readouterr().err


def test_who_asked_too_often_is_told_when_to_come_back(
    file: Path, token: str, live_server: Any, settings: Any, capsys: Any
) -> None:
    settings.API_UPLOADS_PER_HOUR = 1
    assert run(file, live_server.url, token) == LATER
    assert "try again in 3" in capsys.readouterr().err


def test_the_file_of_somebody_elses_public_bundle_is_refused(file: Path, token: str, live_server: Any, capsys: Any) -> None:
    factories.make_kernel("dot_f32")
    importing.import_bundle(bundle_reading.read(bundle_files.keep_path(file)))
    assert run(file, live_server.url, token) == REFUSED
    assert "(409): The same file is here already" in capsys.readouterr().err


def test_no_proxy_is_asked_for_a_site_on_this_machine(file: Path, token: str, live_server: Any, monkeypatch: Any) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert run(file, live_server.url, token) == 0


class Breaking(socketserver.ThreadingTCPServer):
    """Passes on what comes to a site, but breaks the first connections after so many bytes, or before the answer."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, site: str, *breaks: int) -> None:
        super().__init__(("127.0.0.1", 0), Passing)
        self.site = urlsplit(site)
        self.breaks = list(breaks)  # bytes of the body, by connection

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Passing(socketserver.BaseRequestHandler):
    server: Breaking

    def handle(self) -> None:
        limit = self.server.breaks.pop(0) if self.server.breaks else 1 << 40
        with socket.create_connection((self.server.site.hostname, self.server.site.port)) as site:
            threading.Thread(target=self.answer, args=(site, limit), daemon=True).start()
            passed = 0
            while data := self.request.recv(1 << 16):
                passed += len(data)
                if passed > limit:
                    return  # both ends are closed
                site.sendall(data)

    def answer(self, site: socket.socket, limit: int) -> None:
        with suppress(OSError):
            while data := site.recv(1 << 16):
                if limit < 0:
                    self.request.shutdown(socket.SHUT_RDWR)
                    return
                self.request.sendall(data)


def test_an_upload_that_breaks_off_is_sent_again(
    token: str, live_server: Any, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(upload_client, "AGAIN_S", (0.01, 0.01))
    large = tmp_path / "large.jsonl"
    large.write_bytes(BODY * 20_000)
    whole = 1 << 40
    with Breaking(live_server.url, whole, 1_000_000, whole, 2_000_000) as between:
        threading.Thread(target=between.serve_forever, daemon=True).start()
        assert run(large, between.url, token) == 0
        between.shutdown()
    assert capsys.readouterr().err.count("sending it again") == 2
    assert Bundle.objects.get().size_bytes == large.stat().st_size


def test_after_the_last_time_it_gives_up(token: str, live_server: Any, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(upload_client, "AGAIN_S", (0.01,))
    large = tmp_path / "large.jsonl"
    large.write_bytes(BODY * 20_000)
    with Breaking(live_server.url, 1 << 40, 1_000_000, 1 << 40, 1_000_000) as between:
        threading.Thread(target=between.serve_forever, daemon=True).start()
        assert run(large, between.url, token) == LATER
        between.shutdown()
    assert "closed the connection" in capsys.readouterr().err.splitlines()[-1]
    assert not Bundle.objects.exists()


class Elsewhere(BaseHTTPRequestHandler):
    """A site that moved."""

    def do_POST(self) -> None:  # http.server calls it so
        self.send_response(301)
        self.send_header("Location", "https://new.example/api/bundles")
        self.end_headers()

    def log_message(self, *words: Any) -> None:
        """Says nothing."""


def test_a_redirect_is_named_and_not_followed(file: Path, capsys: Any) -> None:
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.handle_request).start()
        assert run(file, f"http://127.0.0.1:{server.server_port}", "ak_secret") == 1
    assert "redirects to https://new.example/" in capsys.readouterr().err


def test_it_runs_without_django(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['django'] = None\nfrom leaderboard.bundles.upload_client import main; main(['upload', '--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "--dry-run" in done.stdout, done.stderr

"""The command line against a living site."""

import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from leaderboard import upload_client
from leaderboard.models import Bundle
from leaderboard.services import importing, tokens
from tests.api.conftest import make_user
from tests.conftest import RUNS
from tests.pages import factories
from tests.site import bundles

BODY = bundles.lines(bundles.row(), bundles.row(kernel="no_such_kernel"))
LOST = "arch-kernels: "


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


def test_a_dry_run_sends_nothing(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "dot_f32.c").write_text("int x;")
    assert upload_client.main(["upload", str(tmp_path), "--dry-run"]) == 0
    assert "one/dot_f32.c: 6 bytes" in capsys.readouterr().out


def test_every_failure_is_one_clear_line(file: Path, token: str, live_server: Any, capsys: Any, tmp_path: Path) -> None:
    User.objects.create_user("reader")
    may_not = tokens.make(User.objects.get(username="reader"), "reads")[1]
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing").write_bytes(b"")
    for path, url, word, said in (
        (file, live_server.url, "ak_wrong", "does not know this token"),
        (file, live_server.url, may_not, "may not upload"),
        (file, f"{live_server.url}/methodology", token, "is --url right?"),
        (file, "http://127.0.0.1:9", token, "does not answer"),
        (file, "example.org", token, "--url should be like"),
        (tmp_path / "gone", live_server.url, token, "There is no"),
        (tmp_path / "empty", live_server.url, token, "holds no .jsonl"),
        (tmp_path / "nothing", live_server.url, token, "is empty"),
    ):
        assert run(path, url, word) == 1
        error = capsys.readouterr().err
        assert error.startswith(LOST), error
        assert said in error
        assert error.count("\n") == 1
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
    assert "sends us on to https://new.example/" in capsys.readouterr().err


def test_it_runs_without_django(tmp_path: Path) -> None:
    code = "import sys; sys.modules['django'] = None; from leaderboard.upload_client import main; main(['upload', '--help'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "--dry-run" in done.stdout, done.stderr

#!/usr/bin/env python3
"""A 500 MB archive with 100,000 answers, uploaded to a real site and imported in the background, while pages are read.

    make bench-upload [ARGS="--answers 20000 --megabytes 100 --form"]

The site is started as `make up` starts it (gunicorn, the clusters, SQLite or --database), without a sandbox: nothing is graded.
It holds invented results of eight models. The targets: every page under 300 ms at the 95th percentile, every process of the
web side and of the housekeeping cluster under 200 MB.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from statistics import median, quantiles
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
TARGET_MS, TARGET_MB = 300.0, 200.0
MODELS = 20  # a file of the archive each
KERNELS = ("dot_f32", "sort_u32", "crc32_ieee", "popcount_u64")
PASSWORD = "only for the benchmark"
PAGES = ("/", "/kernels/dot_f32/", "/queue/", "/models/lab-two-large/", "/healthz", "/api/queue", "/api/results?limit=100")
STAFF_PAGES = ("/admin/leaderboard/bundle/{pk}/change/", "/admin/leaderboard/bundle/", "/admin/leaderboard/submission/")
PREPARE = """
from django.contrib.auth.models import User
from leaderboard.models import Kernel, LanguageModel
from leaderboard.services import catalog, tokens
from tests.pages import factories
catalog.sync_kernels()
new_model = factories.make_model
factories.make_kernel = lambda name: Kernel.objects.get(name=name)
factories.make_model = lambda name, **more: LanguageModel.objects.filter(name=name).first() or new_model(name, **more)
factories.make_site()
print("TOKEN=" + tokens.make(User.objects.create_superuser("bench", password="{password}"), "benchmark")[1])
"""


@dataclass
class Latencies:
    """Milliseconds by page, from a reader that takes one after another."""

    of: dict[str, list[float]] = field(default_factory=dict)

    def note(self, page: str, seconds: float) -> None:
        self.of.setdefault(page, []).append(1000 * seconds)

    def show(self, title: str) -> bool:
        print(f"\n{title}\n{'page':<44}{'requests':>9}{'p50':>8}{'p95':>8}{'max':>8}  ms")
        good = True
        for page, took in self.of.items():
            p95 = quantiles(took, n=20, method="inclusive")[-1] if len(took) > 1 else took[0]
            good = good and p95 <= TARGET_MS
            print(f"{page:<44}{len(took):>9}{median(took):>8.1f}{p95:>8.1f}{max(took):>8.1f}")
        return good


class Site:
    """A site of its own in a folder, and who talks to it."""

    def __init__(self, folder: Path, port: int, database: str) -> None:
        self.folder, self.port = folder, port
        self.environment = os.environ | {
            "DATA_DIR": str(folder / "data"),
            "DATABASE_URL": database,
            "SECRET_KEY": "benchmark",
            "SANDBOX_AMD64": "",
            "SANDBOX_ARM64": "",
            "LOG_LEVEL": "WARNING",
        }
        self.token = ""
        self.cookies: dict[str, str] = {}

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        self.manage("migrate", "--verbosity", "0")
        said = self.manage("shell", "-v", "0", "-c", PREPARE.format(password=PASSWORD))
        self.token = said.rpartition("TOKEN=")[2].strip()
        command = self.supervise()
        with (self.folder / "output.log").open("wb") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        try:
            self.wait_until_it_answers()
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()

    def supervise(self) -> list[str]:
        return [sys.executable, "manage.py", "supervise", "--port", str(self.port)]

    def manage(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def wait_until_it_answers(self) -> None:
        for _ in range(600):
            with suppress(OSError):
                if self.ask("GET", "/healthz")[0].status == 200:
                    return
            time.sleep(0.2)
        raise SystemExit(f"The site did not start: {(self.folder / 'output.log').read_text()}")

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        try:
            connection.request(method, path, body, cookies | (headers or {}))
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        return response, text

    def api(self, path: str) -> dict[str, Any]:
        response, text = self.ask("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        assert response.status == 200, text
        return dict(json.loads(text))

    def sign_in(self) -> None:
        words = {"username": "bench", "password": PASSWORD, "next": "/admin/"}
        response = self.post_form("/admin/login/", words)
        assert response.status == 302, response.status

    def post_form(self, path: str, values: dict[str, str], file: tuple[str, Path] | None = None) -> HTTPResponse:
        """Post the form as a browser does: get it first, for its token, then send its fields and the file, streamed."""
        shown_at = path.replace("/confirm/", "/change/")
        response, page = self.ask("GET", shown_at)
        self.keep_cookies(response)
        secret = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert secret, page[:500]
        values = {"csrfmiddlewaretoken": secret[1].decode()} | values
        body = Form(values, file)
        headers = {"Content-Type": f"multipart/form-data; boundary={Form.BOUNDARY}", "Content-Length": str(body.size)}
        response, _ = self.ask("POST", path, body, headers)
        self.keep_cookies(response)
        return response

    def keep_cookies(self, response: HTTPResponse) -> None:
        for line in response.headers.get_all("Set-Cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value


class Form:
    """A multipart body, read piece by piece."""

    BOUNDARY = "----benchmark"

    def __init__(self, values: dict[str, str], file: tuple[str, Path] | None) -> None:
        head = "".join(
            f'--{self.BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in values.items()
        )
        if file:
            head += f'--{self.BOUNDARY}\r\nContent-Disposition: form-data; name="{file[0]}"; filename="{file[1].name}"\r\n'
            head += "Content-Type: application/octet-stream\r\n\r\n"
        self.parts: list[bytes | IO[bytes]] = [head.encode()]
        if file:
            self.parts += [file[1].open("rb"), b"\r\n"]
        self.parts.append(f"--{self.BOUNDARY}--\r\n".encode())
        self.size = sum(len(part) for part in self.parts if isinstance(part, bytes)) + (file[1].stat().st_size if file else 0)

    def read(self, size: int = -1) -> bytes:
        while self.parts:
            part = self.parts[0]
            if isinstance(part, bytes):
                self.parts.pop(0)
                return part
            if data := part.read(1 << 20):
                return data
            part.close()
            self.parts.pop(0)
        return b""


def make_archive(path: Path, answers: int, megabytes: int) -> None:
    """A zip of so many answers, each with a comment of random letters: packed it is about as large as asked for."""
    each = answers // MODELS
    random_bytes = max(0, (megabytes << 20) // answers - 250)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for model in range(MODELS):
            info = zipfile.ZipInfo(f"run-{model:02d}/traces.jsonl")
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as raw:
                for number in range(each):
                    raw.write(line(model, number, random_bytes))


def line(model: int, number: int, random_bytes: int) -> bytes:
    kernel = KERNELS[number % len(KERNELS)]
    noise = base64.b64encode(os.urandom(random_bytes)).decode().replace("*/", "++")
    source = f"/* {noise} */\nint answer_{model}_{number}(void)\n{{\n    return {number};\n}}\n"
    row = {"model": f"bench/model-{model:02d}", "kernel": kernel, "answer": f"Here it is.\n<answer>\n{source}</answer>"}
    return json.dumps(row).encode() + b"\n"


class Reader(threading.Thread):
    """Reads one page after another, as visitors and an admin do, until it is told to stop."""

    def __init__(self, site: Site, pages: tuple[str, ...], pause_s: float) -> None:
        super().__init__(daemon=True)
        self.site, self.pages, self.pause_s = site, pages, pause_s
        self.took = Latencies()
        self.wrong: list[str] = []
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.is_set():
            for page in self.pages:
                start = time.monotonic()
                try:
                    response, _ = self.site.ask("GET", page)
                    status = response.status
                except OSError as error:
                    self.wrong.append(f"{page}: {error}")
                    continue
                self.took.note(page, time.monotonic() - start)
                if status != 200:
                    self.wrong.append(f"{page}: {status}")
                if self.ended.wait(self.pause_s):
                    return

    def stop(self) -> Latencies:
        self.ended.set()
        self.join()
        if self.wrong:
            print(f"{len(self.wrong)} wrong answers: {self.wrong[:5]}")
        return self.took


class Memory(threading.Thread):
    """The highest resident memory of any process of a group, in MiB."""

    def __init__(self, supervisor: int) -> None:
        super().__init__(daemon=True)
        self.supervisor = supervisor
        self.peaks: dict[str, float] = {}
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.5):
            for pid, group in descendants(self.supervisor):
                with suppress(OSError, StopIteration, ValueError):
                    status = Path(f"/proc/{pid}/status").read_text()
                    peak = next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM")) / 1024
                    self.peaks[group] = max(self.peaks.get(group, 0.0), peak)


def descendants(supervisor: int) -> Iterator[tuple[int, str]]:
    """(pid, which of the supervisor's children it belongs to)"""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _, parent, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(parent)
    for pid in parents:
        child = pid
        while child and parents.get(child) != supervisor:
            child = parents.get(child, 0)
        if child:
            with suppress(OSError):
                words = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
                named = [word for word in words if word.startswith(b"Q_CLUSTER_NAME=")]
                yield pid, named[0].decode().partition("=")[2] if named else "web"


def wait_for(site: Site, uid: str, wanted: Callable[[dict[str, Any]], bool], give_up_s: float) -> dict[str, Any]:
    deadline = time.monotonic() + give_up_s
    while time.monotonic() < deadline:
        bundle = site.api(f"/api/bundles/{uid}")
        if bundle["state"] == "failed":
            raise SystemExit(f"The import failed: {bundle['error']}")
        if wanted(bundle):
            return bundle
        time.sleep(1)
    raise SystemExit(f"It was not done within {give_up_s:.0f} s: {site.api(f'/api/bundles/{uid}')['state']}")


def upload(site: Site, archive: Path, *, form: bool) -> str:
    """The new bundle's uid."""
    if form:
        response = site.post_form("/admin/leaderboard/bundle/add/", {"model": "", "public": "1"}, ("file", archive))
        assert response.status == 302, response.status
        return uid_of_newest(site)
    headers = {
        "Authorization": f"Bearer {site.token}",
        "Content-Type": "application/octet-stream",
        "Content-Length": str(archive.stat().st_size),
    }
    with archive.open("rb") as file:
        response, text = site.ask("POST", f"/api/bundles?name={archive.name}", file, headers)
    assert response.status == 201, text
    return str(json.loads(text)["uid"])


def uid_of_newest(site: Site) -> str:
    return site.manage(
        "shell", "-v", "0", "-c", "from leaderboard.models import Bundle; print(Bundle.objects.first().uid)"
    ).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="A large bundle, uploaded and imported while pages are read.")
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--megabytes", type=int, default=500, help="of the archive, packed")
    parser.add_argument("--form", action="store_true", help="through the admin's form and its preview instead of the API")
    parser.add_argument("--delete", action="store_true", help="delete the bundle at the end, through the admin")
    parser.add_argument("--database", default="", metavar="URL", help="PostgreSQL; default: SQLite")
    parser.add_argument("--port", type=int, default=8102)
    parser.add_argument("--archive", type=Path, help="kept from an earlier time; made if it is not there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arch-kernels-bench-") as name:
        folder = Path(name)
        archive = options.archive or folder / "large.zip"
        if not archive.exists():
            make_archive(archive, options.answers, options.megabytes)
        size = archive.stat().st_size / 2**20
        print(f"archive: {size:.0f} MiB, {options.answers} answers")
        site = Site(folder, options.port, options.database)
        with site.running() as process:
            memory = Memory(process.pid)
            memory.start()
            good = measure(site, archive, size, options)
            memory.ended.set()
            memory.join()
        print("\npeak memory of a process: " + ", ".join(f"{group} {peak:.0f} MiB" for group, peak in memory.peaks.items()))
        good = good and all(memory.peaks[group] < TARGET_MB for group in ("web", "housekeeping"))
        log = (folder / "output.log").read_text().splitlines()
        print("\n".join(line for line in log if "ERROR" in line or "WARNING" in line))
    print(f"targets: pages under {TARGET_MS:.0f} ms, processes under {TARGET_MB:.0f} MB: {'met' if good else 'MISSED'}")
    return 0 if good else 1


def measure(site: Site, archive: Path, size: float, options: argparse.Namespace) -> bool:
    site.sign_in()
    quiet = Reader(site, PAGES, 0.02)
    quiet.start()
    time.sleep(8)
    quiet.stop().show("before")
    reader = Reader(site, PAGES, 0.05)
    reader.start()
    start = time.monotonic()
    uid = upload(site, archive, form=options.form)
    took = time.monotonic() - start
    print(f"\nuploaded {'by form' if options.form else 'by the API'}: {took:.1f} s, {size / took:.0f} MiB/s")
    good = reader.stop().show("during the upload")
    pk = site.manage(
        "shell", "-v", "0", "-c", f"from leaderboard.models import Bundle; print(Bundle.objects.get(uid='{uid}').pk)"
    )
    pages = (*PAGES, *(page.format(pk=pk.strip()) for page in STAFF_PAGES))
    reader = Reader(site, pages, 0.05)
    reader.start()
    start = time.monotonic()
    if options.form:
        bundle = wait_for(site, uid, lambda bundle: bundle["state"] == "preview", 3600)
        print(
            f"\nread for the preview: {time.monotonic() - start:.1f} s, {bundle['rows'] / (time.monotonic() - start):.0f} rows/s"
        )
        site.post_form(f"/admin/leaderboard/bundle/{pk.strip()}/confirm/", {"public": "1"})
        start = time.monotonic()
    bundle = wait_for(site, uid, lambda bundle: bundle["state"] == "imported", 3600)
    took = time.monotonic() - start
    print(f"\nimported: {took:.1f} s, {bundle['rows'] / took:.0f} rows/s, {bundle['added']} answers added")
    good = reader.stop().show("during the import") and good
    reader = Reader(site, pages, 0.05)
    reader.start()
    time.sleep(15)
    good = reader.stop().show(f"with {options.answers:,} answers that wait") and good
    if options.delete:
        good = delete(site, pk.strip(), pages) and good
    return good


def delete(site: Site, pk: str, pages: tuple[str, ...]) -> bool:
    reader = Reader(site, PAGES, 0.05)
    reader.start()
    start = time.monotonic()
    asked, _ = site.ask("GET", f"/admin/leaderboard/bundle/{pk}/delete/")
    site.keep_cookies(asked)
    response = site.post_form(asked.headers["Location"], {})
    print(f"\ndeletion answered with {response.status} after {time.monotonic() - start:.1f} s")
    script = "from leaderboard.models import Bundle; print(Bundle.objects.count())"
    while int(site.manage("shell", "-v", "0", "-c", script)):
        time.sleep(1)
    print(f"deleted: {time.monotonic() - start:.1f} s")
    return reader.stop().show("during the deletion")


if __name__ == "__main__":
    raise SystemExit(main())

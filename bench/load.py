"""Two hundred readers of a site that imports and grades, alone and beside clients that never finish a request.

    make bench-load [ARGS="--server buffering --seconds 20 --drips 0,50"]

Each reader asks for a page of a fixed mix every five seconds: forty pages per second, over connections of their own, as
browsers do that have nothing kept. Beside them a bundle is imported, two clusters grade with a canned grader, and clients
drip: a request's body, a byte every two seconds. The site is served by eight threads that read from clients themselves
(gthread, as it was) and by the worker that receives requests whole (buffering). Everything is on this host, over loopback.

The targets: no error, /healthz within a second throughout, pages within two seconds at the 95th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.big_bundle import ROOT, Site

HEALTH_TARGET_S, P95_TARGET_S = 1.0, 2.0
PERIOD_S = 5.0  # of a reader
PATIENCE_S = 30.0  # then it is an error
DRIP_S = 2.0
WARM_UP_S = 5.0
IMPORTED = 3000  # answers of the bundle that is imported meanwhile
PAGES = (
    *("/", "/", "/?arch=both", "/?sort=speedup", "/kernels/", "/kernels/dot_f32/", "/models/lab-two-large/", "/architectures/"),
    *(
        "/compare/",
        "/queue/",
        "/machines/",
        "/changes/",
        "/methodology/",
        "/api/queue",
        "/api/leaderboard",
        "/api/results?limit=100",
    ),
    *("/figures/speedup.json", "/figures/memory.json", "/export/leaderboard.csv", "/export/results.csv"),
)
DRIPPED = ("/try/login/", "/admin/login/", "/api/bundles")
SERVERS = ("gthread", "buffering")


@dataclass
class Seen:
    """What came of one stretch of the load; seconds."""

    pages: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def p95(self) -> float:
        return quantiles(self.pages, n=20, method="inclusive")[-1] if len(self.pages) > 1 else 0.0

    @property
    def is_well(self) -> bool:
        return not self.errors and bool(self.health) and max(self.health) < HEALTH_TARGET_S

    def line(self, title: str) -> str:
        if not self.pages or not self.health:
            return f"{title:<28}no page was answered: {dict(self.errors.most_common(3))}"
        times = f"{len(self.pages):>7}{median(self.pages):>8.3f}{self.p95:>8.3f}{max(self.pages):>8.3f}"
        wrong = f"  {dict(self.errors.most_common(3))}" if self.errors else ""
        return f"{title:<28}{times}{max(self.health):>10.3f}{sum(self.errors.values()):>8}{wrong}"


COLUMNS = f"{'pages':>7}{'p50':>8}{'p95':>8}{'max':>8}{'healthz':>10}{'errors':>8}"
HEAD = f"{'server, dripping clients':<28}{COLUMNS}  seconds; of healthz the longest"


class BusySite(Site):
    """A site with invented results whose clusters grade with the canned grader."""

    def __init__(self, folder: Path, port: int, server: str) -> None:
        super().__init__(folder, port, "")
        self.server = server
        self.environment |= {
            "ARCH_KERNELS_GRADER": "tests.site.fake_grader",
            "FAKE_GRADER_SLEEP": "0.2",
            "SANDBOX_AMD64": "local",
            "SANDBOX_ARM64": "local",
            "API_READS_PER_MINUTE": "0",  # all readers have one address
            "PYTHONPATH": str(ROOT),
        }
        self.bundles = 0

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        if self.server == "buffering":
            with super().running() as process:
                yield process
            return
        self.manage("collectstatic", "--noinput", "--verbosity", "0")
        command = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi", "--bind", f"127.0.0.1:{self.port}"]
        command += ["--worker-class", "gthread", "--workers", "2", "--threads", "4", "--timeout", "120", "--log-level", "warning"]
        command += ["--graceful-timeout", "4"]
        with (self.folder / "web.log").open("wb") as log:
            web = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        try:
            with super().running() as process:
                yield process
        finally:
            web.send_signal(signal.SIGQUIT)
            web.wait()

    def supervise(self) -> list[str]:
        return super().supervise() if self.server == "buffering" else [sys.executable, "manage.py", "supervise", "--no-web"]

    def import_something(self) -> None:
        self.bundles += 1
        rows = [
            {
                "model": f"load/model-{self.bundles}",
                "kernel": "dot_f32",
                "answer": f"<answer>speedup {1 + number / 1000}</answer>",
            }
            for number in range(IMPORTED)
        ]
        body = "\n".join(json.dumps(row | {"rollout": number}) for number, row in enumerate(rows)).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/octet-stream"}
        response, text = self.ask("POST", f"/api/bundles?name=load-{self.bundles}.jsonl", body, headers)
        assert response.status == 201, text


async def ask(port: int, path: str) -> tuple[int, int]:
    """(status, bytes), over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        lines = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, gzip\r\nConnection: close\r\n\r\n"
        writer.write(lines.encode())
        await writer.drain()
        said = await reader.read(-1)
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
    return int(said.split(b" ", 2)[1]), len(said)


async def timed(port: int, path: str, took: list[float], errors: Counter[str]) -> None:
    began = time.monotonic()
    try:
        status, _ = await asyncio.wait_for(ask(port, path), PATIENCE_S)
    except (OSError, TimeoutError, IndexError, ValueError) as error:
        errors[f"{path}: {type(error).__name__}"] += 1
        status = 0
    if status not in (0, 200):
        errors[f"{path}: {status}"] += 1
    took.append(time.monotonic() - began)


async def read_on(port: int, number: int, readers: int, until: float, seen: Seen) -> None:
    """A reader. All of them together ask evenly."""
    await asyncio.sleep(PERIOD_S * number / readers)
    turn = number
    while (began := time.monotonic()) < until:
        await timed(port, PAGES[turn % len(PAGES)], seen.pages, seen.errors)
        turn += 1
        await asyncio.sleep(max(0.0, began + PERIOD_S - time.monotonic()))


async def watch(port: int, until: float, seen: Seen) -> None:
    while time.monotonic() < until:
        await timed(port, "/healthz", seen.health, seen.errors)
        await asyncio.sleep(0.5)


async def drip(port: int, number: int, until: float) -> None:
    path = DRIPPED[number % len(DRIPPED)]
    lines = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
    lines += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    while time.monotonic() < until:
        with suppress(OSError, TimeoutError):
            _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), PATIENCE_S)
            try:
                writer.write(lines.encode())
                while time.monotonic() < until:
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(DRIP_S)
            finally:
                writer.close()
        await asyncio.sleep(0.1)


async def stretch(port: int, readers: int, drips: int, seconds: float) -> Seen:
    seen, began = Seen(), time.monotonic()
    until = began + WARM_UP_S + seconds
    tasks: list[Any] = [asyncio.ensure_future(drip(port, number, until)) for number in range(drips)]
    await asyncio.sleep(WARM_UP_S)
    asked = [read_on(port, number, readers, until, seen) for number in range(readers)]
    await asyncio.gather(*asked, watch(port, until, seen))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


def measure(
    server: str, *, readers: int = 200, drips: tuple[int, ...] = (0, 8, 50), seconds: float = 60, port: int = 8104
) -> Iterator[tuple[int, Seen]]:
    """(dripping clients, what was seen) of each stretch, on one site."""
    with tempfile.TemporaryDirectory(prefix="arch-kernels-bench-") as name:
        site = BusySite(Path(name), port, server)
        with site.running():
            for page in PAGES:
                site.ask("GET", page)
            for count in drips:
                site.import_something()
                yield count, asyncio.run(stretch(port, readers, count, seconds))


def main() -> int:
    parser = argparse.ArgumentParser(description="Many readers, beside clients that drip.")
    parser.add_argument("--server", choices=(*SERVERS, "both"), default="both", help="gthread: as it was; buffering: as it is")
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--drips", default="0,8,50", help="dripping clients, one stretch each")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--port", type=int, default=8104)
    options = parser.parse_args()
    good = True
    print(HEAD, flush=True)
    for server in SERVERS if options.server == "both" else (options.server,):
        counts = tuple(int(count) for count in options.drips.split(","))
        for count, seen in measure(server, readers=options.readers, drips=counts, seconds=options.seconds, port=options.port):
            print(seen.line(f"{server}, {count}"), flush=True)
            good = good and (server != "buffering" or (seen.is_well and seen.p95 < P95_TARGET_S))
    print("The targets are met." if good else "The targets are missed.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Start the demo's site on an empty data folder, read the pages that every visitor meets, and stop it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("/healthz", "/readyz", "/", "/queue/", "/api/queue", "/kernels/", "/methodology/", "/export/leaderboard.csv")
READY_S, PAGE_S, STOP_S = 180, 60, 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(port: int, page: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}{page}", timeout=PAGE_S) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as fault:
        return fault.code
    except OSError:
        return 0


def read_pages(site: subprocess.Popen[bytes], port: int) -> list[str]:
    """What is wrong, a line each."""
    until = time.monotonic() + READY_S
    while ask(port, "/healthz") != 200:
        if site.poll() is not None or time.monotonic() > until:
            return [f"no page within {READY_S} s" if site.poll() is None else f"the site ended with {site.returncode}"]
        time.sleep(0.5)
    return [f"{page} gives {status}" for page in PAGES if (status := ask(port, page)) != 200]


def main() -> int:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="arch-kernels-demo-") as data, tempfile.TemporaryFile() as log:
        environment = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE")}
        command = [sys.executable, "manage.py", "supervise", "--demo", "--host", "127.0.0.1", "--port", str(port)]
        site = subprocess.Popen(command, cwd=ROOT, env=environment | {"DATA_DIR": data}, stdout=log, stderr=log)
        try:
            faults = read_pages(site, port)
        finally:
            if site.poll() is None:
                site.send_signal(signal.SIGTERM)
            try:
                site.wait(STOP_S)
            except subprocess.TimeoutExpired:
                site.kill()
                faults = ["the site did not stop"]
        if faults:
            log.seek(0)
            print(log.read()[-4000:].decode(errors="replace"))
    print("demo: " + ("; ".join(faults) or f"{len(PAGES)} pages are fine"))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())

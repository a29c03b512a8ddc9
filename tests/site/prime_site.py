"""A site whose sandboxes are on the double of the Prime service, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

LINES = 5  # what the double says of itself: NAME=value
REAL = {"ARCH_KERNELS_GRADER": "leaderboard.worker.grader", "SANDBOX_AMD64": "prime", "SANDBOX_ARM64": "prime"}


class Double:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.environment = dict(process.stdout.readline().strip().split("=", 1) for _ in range(LINES))
        self.url = self.environment["PRIME_API_BASE_URL"]

    def plan(self, call: str, what: str, times: int = 1, after: int = 0) -> None:
        """The next calls of this kind go wrong."""
        body = json.dumps({"call": call, "what": what, "times": times, "after": after}).encode()
        self._open(urllib.request.Request(f"{self.url}/double/trouble", body, {"Content-Type": "application/json"}))

    def state(self) -> dict[str, Any]:
        """{"calls": [...], "made": sandboxes made, "running": ids}"""
        return dict(json.loads(self._open(urllib.request.Request(f"{self.url}/double/calls"))))

    def _open(self, request: urllib.request.Request) -> bytes:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as answer:
            return bytes(answer.read())


@contextmanager
def prime_double(*options: str) -> Iterator[Double]:
    command = [sys.executable, "-m", "tests.doubles.prime", *options]
    process = subprocess.Popen(command, cwd=ROOT.parent, stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        yield Double(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


def surroundings(double: Double, folder: Path) -> dict[str, Any]:
    """The environment of a site on it, with a home and a cache of its own: the client and the slots keep files there."""
    return REAL | double.environment | {"HOME": str(folder), "ARCH_KERNELS_CACHE": str(folder / "cache")}

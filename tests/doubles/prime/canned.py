"""A double that executes nothing: every answer takes the same time and gets the same record. For measuring the queue alone."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.doubles.prime.boxes import MACHINES, Box
from tests.doubles.prime.service import PrimeDouble, host_gcc

ROUNDS = 11
RECORD = {
    "verdict": "passed",
    "detail": "right in all tests",
    "compiled": True,
    "correct": True,
    "extra_mb": 0.5,
    "peak_mb": 70.0,
    "units": 1e6,
    "samples": {
        "answer_ns": [5e5 + 100 * i for i in range(ROUNDS)],
        "reference_ns": [1e6 + 100 * i for i in range(ROUNDS)],
        "process": [i % 3 for i in range(ROUNDS)],
        "empty_ns": 3000.0,
    },
    "rounds": ROUNDS,
    "dirty": 0,
    "early": 0,
    "tests": 1,
    "log": {"compile": "", "run": ""},
    "seconds": {"compile": 0.0, "inspect": 0.0, "link": 0.0, "start": 0.0, "tests": 0.0, "benchmark": 0.0},
    "defences": {},
}
MACHINE = {"cpu_model": "none: a double that executes nothing", "vcpus": 2, "memory_mb": 4096.0, "page_size_bytes": 4096}


class CannedDouble(PrimeDouble):
    def __init__(self, *, grade_s: float, **options: Any) -> None:
        super().__init__(**options)
        self.grade_s = grade_s

    def new_box(self, box_id: str, request: dict[str, Any]) -> Box:
        return CannedBox(box_id, request, self.grade_s)


class CannedBox(Box):
    def __init__(self, box_id: str, request: dict[str, Any], grade_s: float) -> None:
        self.id = box_id
        self.request = request
        self.status = "RUNNING"
        self.error_type = None
        self.made_at = datetime.now(UTC)
        self.arch = request.get("arch") or "amd64"
        self.grade_s = grade_s
        self.inside = self.most_inside = 0  # commands at once
        self.used_at = time.monotonic()
        self.root = Path("/nonexistent")

    def upload(self, path: str, data: bytes) -> None:
        """Forgotten."""

    def execute(self, command: str, on_start: Callable[[int], None], on_output: Callable[[str, bytes], None]) -> int:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        on_start(1)
        on_output("stdout", self._answer_to(command).encode())
        self.inside -= 1
        self.used_at = time.monotonic()
        return 0

    def idle_s(self) -> float:
        return 0.0 if self.inside else time.monotonic() - self.used_at

    def end(self) -> None:
        self.status = "TERMINATED"

    def _answer_to(self, command: str) -> str:
        if "echo machine=" in command:
            return f"machine={MACHINES[self.arch]}\ncompiler=gcc (double) {host_gcc()}\nversion={host_gcc()}\nrc=0\n"
        if "build.sh" in command or "selftest" in command:
            return printed({})
        if "/describe" in command:
            return printed(MACHINE | {"arch": self.arch})
        if "/grade" not in command:  # the client asks whether the sandbox answers
            return ""
        time.sleep(self.grade_s)
        return printed(RECORD)


def printed(answer: dict[str, Any]) -> str:
    """The output of a command as the client's own script frames it."""
    return f"{base64.b64encode(json.dumps(answer).encode()).decode()}\n\nrc=0\n"

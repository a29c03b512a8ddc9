"""A sandbox that executes nothing, by its own name in the registry; run as a program, the command line with it.

It passes everything, on arm64 at half the speed, unless a line of the source says otherwise for an architecture:
"// arm64 verdict wrong_answer", "// amd64 gone", "// amd64 operator".
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

from grading.faults import SandboxGone, SandboxUnavailable
from grading.sandbox.base import Completed
from grading.sandbox.registry import BACKENDS, Backend
from tests.grading.fakes import FACTS, PASSED, FakeSandbox, printed

EMPTY = {"samples": None, "extra_mb": None, "units": None, "correct": False, "rounds": 0}
TIMES = [1.00e6, 1.02e6, 0.98e6, 1.01e6, 0.99e6, 1.03e6]


class Sandbox(FakeSandbox):
    """Counts what it grades in `graded`, and in the file that FAKE_LOG names."""

    name = "fake"
    graded: list[tuple[str, str]] = []

    def __init__(self, arch: str, *_: object) -> None:
        super().__init__(facts=FACTS | {"arch": arch, "vcpus": int(os.environ.get(f"FAKE_VCPUS_{arch.upper()}", "2"))})
        self.arch = arch

    def run(self, command: list[str], timeout_s: float) -> Completed:
        if command[0].endswith("/describe"):
            return super().run(command, timeout_s)
        source = self.files["answer.c"].decode()
        order = dict(re.findall(rf"// {self.arch} (\w+) ?(\w*)", source))
        Sandbox.graded.append((self.arch, source.partition("#line 1 ")[2]))
        if path := os.environ.get("FAKE_LOG"):
            with Path(path).open("a") as log:
                log.write(f"{self.arch}\n")
        time.sleep(float(os.environ.get("FAKE_SLEEP", "0")))
        if "gone" in order:
            raise SandboxGone("the sandbox is gone")
        if "operator" in order:
            raise SandboxUnavailable("set PRIME_API_KEY")
        slower = 2.0 if self.arch == "arm64" else 1.0
        record = PASSED | {"samples": PASSED["samples"] | {"answer_ns": [slower * ns for ns in TIMES]}}
        if verdict := order.get("verdict"):
            record = PASSED | EMPTY | {"verdict": verdict, "detail": f"it is {verdict}"}
        return printed(record)


class Emulated(Sandbox):
    name = "fake-emulated"
    emulated = True


def register() -> None:
    for kind in (Sandbox, Emulated):
        BACKENDS[kind.name] = Backend(open=kind, why_unavailable=lambda arch: None, check=lambda arch: None)


if __name__ == "__main__":
    from leaderboard.comparison.cli import main

    register()
    sys.exit(main(sys.argv[1:]))

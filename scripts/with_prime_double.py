#!/usr/bin/env python3
"""Run a command with both architectures' sandboxes on the loopback double of the Prime service: `make demo PRIME_DOUBLE=1`.

    python scripts/with_prime_double.py COMMAND [ARGUMENT ...]

Its results say nothing about any machine and are never public: the site's data has a folder of its own. What ends this ends both.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from leaderboard.lib.processes import die_with_parent

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LINES = 5  # what the double says of itself: NAME=value


def start(command: list[str], environment: dict[str, str], *, stdout: int | None = None) -> subprocess.Popen[str]:
    """In a process group of its own, so that a Ctrl-C reaches it through us alone, in order."""
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=stdout, text=True, start_new_session=True, preexec_fn=die_with_parent
    )


def settings_of(double: subprocess.Popen[str]) -> dict[str, str]:
    assert double.stdout is not None
    lines = [double.stdout.readline().strip() for _ in range(LINES)]
    if not all("=" in line for line in lines):
        raise SystemExit("the double of the Prime service did not start")
    return dict(line.split("=", 1) for line in lines)


def main() -> int:
    double = start([sys.executable, "-m", "tests.doubles.prime", "--port", "0"], dict(os.environ), stdout=subprocess.PIPE)
    try:
        environment = os.environ | settings_of(double) | {"SANDBOX_AMD64": "prime", "SANDBOX_ARM64": "prime"}
        environment.setdefault("DATA_DIR", str(ROOT / "var" / "prime-double"))
        command = start(sys.argv[1:], environment)
        for number in ENDING:
            signal.signal(number, lambda *_: command.terminate())
        return command.wait()
    finally:
        double.terminate()
        double.wait()


if __name__ == "__main__":
    raise SystemExit(main())

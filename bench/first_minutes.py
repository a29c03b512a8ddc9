#!/usr/bin/env python3
"""How soon a new site shows a board of models: `make demo` with an empty data folder, watched from outside.

    make bench-demo                     on a quiet machine
    make bench-demo ARGS=--busy         beside two niced loops of compilations
    make bench-demo ARGS=--fresh        in a fresh clone with an empty HOME: setup included

Prints when the first page was served, when three models were listed (and with how many kernels), when three were complete,
and when nothing was left to grade, in seconds after the first page. It ends all that it started. Exit status 1: a target was
missed (--targets quiet or busy; by default those of the chosen load).
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS_S = {"quiet": (120, 300), "busy": (480, 1200)}  # three models listed, three models complete
MODELS = 3
LOOP = "while :; do gcc -O2 -o /dev/null -c kernels/levenshtein/tuned.c 2>/dev/null || sleep 1; done"


@contextmanager
def group(command: list[str], cwd: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process group that ends with the block."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            ended = process.poll()
            end(process)
            if ended:
                log.seek(0)
                sys.stderr.write(log.read().decode(errors="replace")[-3000:])


def end(process: subprocess.Popen[bytes]) -> None:
    """The whole group: asked first, then killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def fetch(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
        return str(answer.read().decode())


def models_by_kernels(port: int) -> dict[str, int]:
    """How many kernels each listed language model has a counted result for."""
    kernels: dict[str, set[str]] = {}
    for row in csv.DictReader(io.StringIO(fetch(port, "/export/results.csv?arch=amd64"))):
        if row["kind"] == "llm" and row["emulated"] == "0":
            kernels.setdefault(row["model"], set()).add(row["kernel"])
    return {model: len(found) for model, found in kernels.items()}


def listed_models(port: int) -> int:
    rows = csv.DictReader(io.StringIO(fetch(port, "/export/leaderboard.csv?arch=amd64")))
    return sum(row["kind"] == "llm" for row in rows)


def rows_left(port: int) -> int:
    (amd64,) = (arch for arch in json.loads(fetch(port, "/api/queue"))["archs"] if arch["arch"] == "amd64")
    return int(amd64["queued"]) + int(amd64["running"])


def kernels_there_are(port: int) -> int:
    return len(json.loads(fetch(port, "/api/kernels"))["items"])


def watch(port: int, process: subprocess.Popen[bytes], limit_s: float, *, to_the_end: bool) -> dict[str, float]:
    """Seconds after the first page at which each thing was first seen. Raises SystemExit when the site ends by itself."""
    began, seen = time.monotonic(), {}
    first: float | None = None
    while time.monotonic() - began < limit_s:
        if process.poll() is not None:
            raise SystemExit("the demo ended by itself")
        time.sleep(1)
        try:
            if first is None:
                fetch(port, "/healthz")
                first = time.monotonic()
                print(f"first page              {first - began:6.0f} s after the start", flush=True)
                continue
            now = time.monotonic() - first
            counts = models_by_kernels(port)
            if "listed" not in seen and listed_models(port) >= MODELS and len(counts) >= MODELS:
                seen["listed"] = now
                most = ", ".join(f"{count} kernels" for count in sorted(counts.values()))
                print(f"three models listed     {now:6.0f} s after the first page ({most})", flush=True)
            complete = sum(count >= kernels_there_are(port) for count in counts.values())
            if "complete" not in seen and complete >= MODELS:
                seen["complete"] = now
                print(f"three models complete   {now:6.0f} s after the first page", flush=True)
            if "complete" in seen and (not to_the_end or not rows_left(port)):
                if to_the_end:
                    print(f"nothing left to grade   {now:6.0f} s after the first page", flush=True)
                return seen
        except OSError:
            continue
    return seen


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how soon the demo shows a board of models.")
    parser.add_argument("--busy", action="store_true", help="beside two niced loops of compilations")
    parser.add_argument("--fresh", action="store_true", help="in a fresh clone with an empty HOME, setup included")
    parser.add_argument("--to-the-end", action="store_true", help="until nothing is left to grade for amd64")
    parser.add_argument("--minutes", type=float, default=30, help="give up after so many (default: 30)")
    parser.add_argument("--targets", choices=TARGETS_S, help="which targets to hold it against")
    options = parser.parse_args()
    targets = options.targets or ("busy" if options.busy else "quiet")
    port = free_port()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="first-minutes-", ignore_cleanup_errors=True)))
        folder.chmod(0o755)  # a clone in it builds its harness there, and the jail's user has to reach that
        tree, environment = ROOT, {"DATA_DIR": str(folder / "data")}
        if options.fresh:
            tree, environment = folder / "clone", {"HOME": str(folder)}
            subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True)
        if options.busy:
            for _ in range(2):
                stack.enter_context(group(["nice", "-n", "19", "bash", "-c", LOOP], ROOT))
        process = stack.enter_context(group(["make", "demo", f"PORT={port}"], tree, **environment))
        seen = watch(port, process, 60 * options.minutes, to_the_end=options.to_the_end)
    wanted = list(zip(("listed", "complete"), TARGETS_S[targets], strict=True))
    for name, target_s in wanted:
        if name not in seen:
            print(f"three models {name}: not within {options.minutes:g} minutes")
        elif seen[name] > target_s:
            print(f"three models {name}: target of {target_s} s missed")
    met = all(
        seen.get(name, target + 1) <= target for name, target in zip(("listed", "complete"), TARGETS_S[targets], strict=True)
    )
    print(f"targets ({targets}): {'met' if met else 'missed'}")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())

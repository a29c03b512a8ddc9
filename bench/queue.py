#!/usr/bin/env python3
"""The queue alone: how answers per minute grow with the number of sandboxes, and what an answer costs beside its grading.

    make bench-queue [ARGS="--workers 1 4 --grade 2 --latency 0.2"]

A real site (SQLite, supervisor, one cluster per sandbox) grades on a double of the Prime service that executes nothing: every
answer takes the same time there, and gets the same record. The targets: four sandboxes at least 3.6 times the answers of one,
and at most 1.0 s beside the grading at the median, with 200 ms per round trip.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kernels.catalog import load_catalog

SETTINGS_OF_DOUBLE = 5  # lines NAME=value that it prints
BASELINES = 2 * len(load_catalog())  # queued by every new site, and graded first
PER_WORKER = 10
TARGET_TIMES, TARGET_S = 3.6, 1.0
SOURCE = "float dot_f32(const float *a, const float *b, size_t n) { float s = 0; while (n--) s += a[n] * b[n]; return s; }"


@dataclass(frozen=True, kw_only=True)
class Grading:
    worker: str
    started: float  # seconds since the epoch
    ended: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    workers: int
    answers: int  # all that were graded
    per_minute: float
    overhead_s: float  # of an answer, beside its grading


@contextmanager
def double(grade_s: float, latency_s: float) -> Iterator[dict[str, str]]:
    """A double in a process of its own; yields what leads the real client to it."""
    command = [sys.executable, "-m", "tests.doubles.prime", "--canned", str(grade_s), "--latency", str(latency_s)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield dict(process.stdout.readline().strip().split("=", 1) for _ in range(SETTINGS_OF_DOUBLE))
    finally:
        process.terminate()
        process.wait()


@contextmanager
def site(environment: dict[str, str], output: Path) -> Iterator[None]:
    """The clusters of amd64 and housekeeping."""
    names = [f"amd64-{number}" if number > 1 else "amd64" for number in range(1, int(environment["WORKERS_AMD64"]) + 1)]
    command = [sys.executable, "manage.py", "supervise", "--no-web", "--clusters", ",".join([*names, "housekeeping"])]
    with output.open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def manage(environment: dict[str, str], *command: str) -> None:
    subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def measure(workers: int, grade_s: float, latency_s: float) -> Measured:
    answers = BASELINES + PER_WORKER * workers
    with tempfile.TemporaryDirectory(prefix="arch-kernels-bench-") as name, double(grade_s, latency_s) as of_double:
        folder = Path(name)
        environment = os.environ | of_double | surroundings(folder, workers)
        manage(environment, "migrate", "--verbosity", "0")
        manage(environment, "sync_kernels")
        manage(environment, "import_bundle", str(bundle(folder, PER_WORKER * workers)))
        with site(environment, folder / "output.log"):
            gradings = wait_for(folder / "db.sqlite3", answers, give_up_s=60 + 3 * answers * (grade_s + 2))
    return summary(gradings, workers, grade_s)


def surroundings(folder: Path, workers: int) -> dict[str, str]:
    """Nothing of this site is anywhere else than in its folder."""
    return {
        "DATA_DIR": str(folder),
        "DATABASE_URL": "",
        "HOME": str(folder),
        "ARCH_KERNELS_CACHE": str(folder / "cache"),
        "SANDBOX_AMD64": "prime",
        "SANDBOX_ARM64": "",
        "WORKERS_AMD64": str(workers),
        "SWEEP_S": "1",
        "LOG_LEVEL": "WARNING",
    }


def bundle(folder: Path, answers: int) -> Path:
    path = folder / "answers.jsonl"
    rows = [{"model": "bench/model", "kernel": "dot_f32", "answer": SOURCE, "raw": True, "rollout": n} for n in range(answers)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def wait_for(database: Path, answers: int, give_up_s: float) -> list[Grading]:
    deadline = time.monotonic() + give_up_s
    while time.monotonic() < deadline:
        time.sleep(0.5)
        with closing(sqlite3.connect(database, timeout=20)) as connection:
            rows = connection.execute(
                "select worker, started_at, graded_at from leaderboard_result where arch = 'amd64' and state = 'done'"
            ).fetchall()
        if len(rows) >= answers:
            return [Grading(worker=worker, started=seconds(started), ended=seconds(ended)) for worker, started, ended in rows]
    raise SystemExit(f"{answers} answers were not graded within {give_up_s:.0f} s")


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def summary(gradings: list[Grading], workers: int, grade_s: float) -> Measured:
    """Figures of the time in which all workers work: from when the last one has its sandbox until the queue is empty."""
    by_worker: dict[str, list[Grading]] = {}
    for grading in sorted(gradings, key=lambda one: one.started):
        by_worker.setdefault(grading.worker, []).append(grading)
    if len(by_worker) != workers:
        raise SystemExit(f"{len(by_worker)} of {workers} workers took part")
    began = max(of_one[0].ended for of_one in by_worker.values())  # a first answer waits for its sandbox
    ended = max(grading.started for grading in gradings)
    steps = [later.ended - earlier.ended for of_one in by_worker.values() for earlier, later in pairs(of_one)]
    inside = [grading for grading in gradings if began < grading.ended <= ended]
    return Measured(
        workers=workers,
        answers=len(gradings),
        per_minute=60 * len(inside) / (ended - began),
        overhead_s=median(steps) - grade_s,
    )


def pairs(gradings: list[Grading]) -> Iterator[tuple[Grading, Grading]]:
    """Each grading with the next of its worker."""
    return pairwise(gradings)


def main() -> int:
    parser = argparse.ArgumentParser(description="Answers per minute by number of sandboxes.")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--grade", type=float, default=2.0, metavar="SECONDS", help="that each grading takes in the sandbox")
    parser.add_argument("--latency", type=float, default=0.2, metavar="SECONDS", help="of each round trip to the service")
    options = parser.parse_args()
    found = []
    print(f"{'sandboxes':>9} {'answers':>8} {'a minute':>9} {'times':>6} {'overhead':>9}")
    for workers in options.workers:
        found.append(measured := measure(workers, options.grade, options.latency))
        times = measured.per_minute / found[0].per_minute
        print(
            f"{workers:>9} {measured.answers:>8} {measured.per_minute:>9.1f} {times:>6.2f} {measured.overhead_s:>7.2f} s",
            flush=True,
        )
    first, last = found[0], found[-1]
    wanted = TARGET_TIMES / 4 * last.workers / first.workers
    good = first.overhead_s <= TARGET_S and (len(found) == 1 or last.per_minute >= wanted * first.per_minute)
    print(
        f"targets: {wanted:.2f} times with {last.workers} sandboxes, overhead at most {TARGET_S} s: {'met' if good else 'MISSED'}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())

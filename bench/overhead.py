#!/usr/bin/env python3
"""The grader's own overhead: all the time of a grading but its small tests and benchmark rounds, by stage.

    make bench [ARGS="--kernel dot_f32 --repeat 3"]

Real gradings of the fast baseline. The target is a median of 1.5 s per answer.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grading.pipeline import grade_source
from grading.sandbox.base import Sandbox
from grading.sandbox.registry import open_sandbox
from kernels.catalog import get_kernel, load_catalog
from kernels.spec import KernelSpec

TARGET_S = 1.5
MEASURING = (
    "tests",
    "benchmark",
    "wait",
)  # what a grading is for, and the wait for other gradings on this host; the rest is overhead
ARCHS = {"x86_64": "amd64", "aarch64": "arm64"}


def grade(kernel: KernelSpec, sandbox: Sandbox) -> dict[str, float]:
    """Seconds of every stage of one grading, and of what lies between the stages ("other")."""
    began = time.perf_counter()
    result = grade_source(kernel.tuned_source, kernel, sandbox)
    wall = time.perf_counter() - began
    if not result.passed:
        raise SystemExit(f"{kernel.name}: {result.verdict}: {result.detail}")
    return {**result.seconds, "other": wall - sum(result.seconds.values())}


def overhead(seconds: dict[str, float]) -> float:
    return sum(value for stage, value in seconds.items() if stage not in MEASURING)


def row(name: str, values: list[float]) -> str:
    return f"{name:20}" + "".join(f"{value:>11.3f}" for value in values)


def report(gradings: dict[str, list[dict[str, float]]]) -> float:
    """Print a line per kernel and the medians; returns the median overhead."""
    everything = [seconds for of_kernel in gradings.values() for seconds in of_kernel]
    stages = list(dict.fromkeys(stage for seconds in everything for stage in seconds))
    print(f"{'seconds':20}" + "".join(f"{head:>11}" for head in [*stages, "overhead"]))
    for kernel, of_kernel in gradings.items():
        print(
            row(kernel, [median(s.get(stage, 0.0) for s in of_kernel) for stage in stages] + [median(map(overhead, of_kernel))])
        )
    middle = median(map(overhead, everything))
    print(row("median", [median(s.get(stage, 0.0) for s in everything) for stage in stages] + [middle]))
    return middle


def main() -> int:
    parser = argparse.ArgumentParser(description="The grader's own overhead, by stage.")
    parser.add_argument("--kernel", action="append", help="only this one (may be given again); default: all")
    parser.add_argument("--repeat", type=int, default=1, help="gradings of each kernel")
    parser.add_argument("--sandbox", default="local")
    options = parser.parse_args()
    kernels = [get_kernel(name) for name in options.kernel] if options.kernel else list(load_catalog().values())
    sandbox = open_sandbox(options.sandbox, ARCHS[platform.machine()])
    try:
        grade(kernels[0], sandbox)  # the first one of all builds the harness
        gradings = {kernel.name: [grade(kernel, sandbox) for _ in range(options.repeat)] for kernel in kernels}
    finally:
        sandbox.close()
    middle = report(gradings)
    print(f"median overhead {middle:.2f} s an answer (target: at most {TARGET_S} s)")
    return 0 if middle <= TARGET_S else 1


if __name__ == "__main__":
    raise SystemExit(main())

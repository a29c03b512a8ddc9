#!/usr/bin/env python3
"""Compile every C file of the project with warnings as errors, each the way it is used."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kernels.catalog import load_catalog
from kernels.spec import KernelSpec

HARNESS = ROOT / "grading" / "harness"
INCLUDE = ROOT / "kernels" / "include"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
ANSWER = ["gcc", "-std=gnu11", "-O3", "-march=native", "-D_GNU_SOURCE", *WARNINGS, "-c", "-o", "/dev/null", "-x", "c", "-"]


def complaint(command: list[str], source: str | None = None) -> str:
    """What the compiler has to say; empty if it is content."""
    environment = {**os.environ, "WERROR": "-Werror"}  # for the harness's build script
    done = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True, env=environment)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def baseline_complaint(path: Path, kernel: KernelSpec) -> str:
    """The baseline compiled as it is graded: behind the prelude and the prototype."""
    prelude = (INCLUDE / "prelude.h").read_text()
    return complaint(ANSWER, f'{prelude}{kernel.signature};\n#line 1 "{path.relative_to(ROOT)}"\n{path.read_text()}')


def harness_complaint(kernels: list[KernelSpec]) -> str:
    """The harness and every kernel's bench.c, by the harness's own build script."""
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder)
        (sources / "harness").symlink_to(HARNESS)
        (sources / "include").symlink_to(INCLUDE)
        for kernel in kernels:
            (sources / kernel.name).symlink_to(kernel.folder)
        return complaint(["sh", str(HARNESS / "build.sh"), folder, f"{folder}/built", *(kernel.name for kernel in kernels)])


def main() -> int:
    kernels = list(load_catalog().values())
    with ThreadPoolExecutor() as pool:
        harness = pool.submit(harness_complaint, kernels)
        pairs = [(kernel.folder / name, kernel) for kernel in kernels for name in ("reference.c", "tuned.c")]
        complaints = [*pool.map(lambda pair: baseline_complaint(*pair), pairs), harness.result()]
    print("".join(complaints), end="")
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    raise SystemExit(main())

#!/usr/bin/env python3
"""Compile every C file of the project with warnings as errors, each the way it is used."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kernels.catalog import load_catalog  # noqa: E402
from kernels.spec import KernelSpec  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
OURS = ["gcc", "-std=gnu11", "-O2", "-march=native", "-D_GNU_SOURCE", *WARNINGS, "-c", "-o", "/dev/null"]
ANSWER = ["gcc", "-std=gnu11", "-O3", "-march=native", "-D_GNU_SOURCE", *WARNINGS, "-c", "-o", "/dev/null", "-x", "c", "-"]
PRELUDE = "".join(f"#include <{name}.h>\n" for name in ("stddef", "stdint", "stdbool", "string", "stdlib", "math"))


def complaint(command: list[str], source: str | None = None) -> str | None:
    done = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr


def answer_source(kernel: KernelSpec, name: str) -> str:
    """The baseline as it is graded: behind the prelude and the prototype."""
    path = kernel.folder / name
    return f'{PRELUDE}{kernel.signature};\n#line 1 "{path.relative_to(ROOT)}"\n{path.read_text()}'


def jobs() -> list[tuple[list[str], str | None]]:
    found: list[tuple[list[str], str | None]] = []
    for kernel in load_catalog().values():
        found += [(ANSWER, answer_source(kernel, name)) for name in ("reference.c", "tuned.c")]
        bench = [*OURS, "-I", "kernels/include", str((kernel.folder / "bench.c").relative_to(ROOT))]
        found += [(bench, None), ([*bench, "-DKERNEL_STUB", "-fno-pie"], None)]
    for path in sorted((ROOT / "grading" / "harness").glob("*.c")):
        found.append(([*OURS, "-I", "kernels/include", "-I", "grading/harness", str(path.relative_to(ROOT))], None))
    return found


def main() -> int:
    with ThreadPoolExecutor() as pool:
        complaints = [text for text in pool.map(lambda job: complaint(*job), jobs()) if text]
    print("\n".join(complaints), end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    raise SystemExit(main())

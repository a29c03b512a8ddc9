"""The fuzz targets in C: how they are built and where their corpora are.

targets/NAME.c has libFuzzer's entry; with targets/replay.c it becomes a program that runs files, for which gcc suffices.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
HARNESS = HERE.parents[1] / "grading" / "harness"
CORPUS = HERE / "corpus"
SOURCES = {"inspect": ["inspect.c"], "image": ["image.c"], "json": []}  # of the harness, beside the target
FLAGS = [
    "-std=gnu11",
    "-g",
    "-O1",
    "-Wall",
    "-Wextra",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-I",
    str(HARNESS),
]
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "UBSAN_OPTIONS": "print_stacktrace=1"}


def corpus(name: str) -> list[Path]:
    return sorted((CORPUS / name).iterdir())


def build_replay(name: str, folder: Path) -> Path:
    """A program that runs the files which it is given, with gcc's sanitizers."""
    return _build("gcc", ["-fsanitize=address,undefined"], name, folder / f"replay-{name}", [HERE / "targets" / "replay.c"])


def build_fuzzer(clang: str, name: str, folder: Path) -> Path:
    return _build(clang, ["-fsanitize=fuzzer,address,undefined"], name, folder / f"fuzz-{name}", [])


def _build(compiler: str, sanitizers: list[str], name: str, program: Path, more: list[Path]) -> Path:
    sources = [HERE / "targets" / f"{name}.c", *(HARNESS / source for source in SOURCES[name]), *more]
    subprocess.run([compiler, *FLAGS, *sanitizers, *map(str, sources), "-o", str(program)], check=True)
    return program


def run(command: list[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ENVIRONMENT
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=timeout_s, env=environment, check=False
    )


def clang_with_fuzzer(folder: Path) -> str | None:
    """A clang that has libFuzzer; None where there is none."""
    program = (
        "#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return !d && n; }\n"
    )
    source = folder / "probe.c"
    source.write_text(program)
    names = ["clang", *(f"clang-{version}" for version in range(22, 12, -1))]
    for clang in filter(None, map(shutil.which, names)):
        command = [clang, "-fsanitize=fuzzer,address,undefined", str(source), "-o", str(folder / "probe")]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return clang
    return None

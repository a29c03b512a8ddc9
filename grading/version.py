"""Which results compare: versions of kernels, of the harness and of the grader.

A version is a measurement, two integers that people raise when results stop being comparable, and a hash of all that decides a
verdict or a figure: it moves with every such change, makes no result outdated, and is to be acknowledged. It covers the kernel's
files, the harness, and GRADER, the Python code between a reply and its record.

`python -m grading.version FILE` lists kernels whose hash is not the acknowledged one; with --acknowledge it writes FILE anew.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tomllib
from functools import cache
from pathlib import Path

from grading.source_hash import source_hash
from kernels.catalog import load_catalog
from kernels.spec import HEADER, KernelSpec

ROOT = Path(__file__).resolve().parents[1]
HARNESS = ROOT / "grading" / "harness"
HARNESS_MEASUREMENT = 2  # raised when results of every kernel stop being comparable
HARNESS_SUFFIXES = {".c", ".h", ".sh"}
GRADER = (
    "grading/answer.py",  # which C is the answer
    "grading/extraction",
    "grading/translation_unit.py",  # what the compiler is given, and how much of it
    "grading/harness_source.py",  # how the harness is built
    "grading/pipeline.py",  # budgets, limits, what becomes of what the harness found
    "grading/driver.py",
    "grading/typed.py",  # which values of what the harness prints are taken
    "grading/blame.py",  # what is our fault, and so no verdict
    "grading/result.py",  # verdicts, and the stages that they imply
    "grading/scoring.py",
    "grading/statistics/confidence.py",
    "grading/statistics/first_calls.py",  # whether state makes later calls cheap
    "grading/statistics/resolution.py",
    "grading/statistics/speedups.py",  # medians and intervals of one grading
    "kernels/spec.py",  # how kernel.toml is read: sizes, rounds, the memory limit
)


def harness_files() -> list[Path]:
    """The harness' sources, in a fixed order."""
    return sorted(path for path in HARNESS.rglob("*") if path.suffix in HARNESS_SUFFIXES)


def header_files() -> list[Path]:
    """The headers that kernels and harness include, in a fixed order."""
    return sorted(HEADER.parent.glob("*.h"))


def harness_hash() -> str:
    """sha256 (hex) over the harness' sources and the headers, as they are now."""
    digest = hashlib.sha256()
    for path in harness_files() + header_files():
        data = path.read_bytes()
        digest.update(f"{path.name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def grader_files() -> list[Path]:
    """The Python files of GRADER, in a fixed order."""
    named = [ROOT / name for name in GRADER]
    return [path for one in named for path in (sorted(one.rglob("*.py")) if one.is_dir() else [one])]


@cache
def grader_hash() -> str:
    """sha256 (hex) over what the grader's code does: comments, formatting and docstrings do not move it. As it was when first
    asked for, like the code that runs."""
    return source_hash(grader_files(), ROOT)


def built_hash(kernel: KernelSpec) -> str:
    """sha256 (hex) over what the kernel's harness is built of."""
    return hashlib.sha256(f"{kernel.content_hash} {harness_hash()}".encode()).hexdigest()


def content_hash(kernel: KernelSpec) -> str:
    """sha256 (hex) over everything that a verdict or a figure of the kernel depends on."""
    return hashlib.sha256(f"{built_hash(kernel)} {grader_hash()}".encode()).hexdigest()


def measurement(kernel: KernelSpec) -> str:
    """The measurement, for example "1.1": results compare only within one."""
    return f"{kernel.measurement}.{HARNESS_MEASUREMENT}"


def kernel_version(kernel: KernelSpec) -> str:
    """The version, for example "1.1+3f9c21ab": the measurement and the beginning of the hash."""
    return f"{measurement(kernel)}+{content_hash(kernel)[:8]}"


def unacknowledged(path: Path) -> dict[str, tuple[str | None, str]]:
    """Kernels whose version is not the one in the file: name -> (the file's, now)."""
    known = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = {name: kernel_version(kernel) for name, kernel in load_catalog().items()}
    return {name: (known.get(name), version) for name, version in now.items() if known.get(name) != version}


def acknowledge(path: Path) -> None:
    """Write the versions of today: somebody has looked, and raised the measurements that had to be raised."""
    lines = [f'{name} = "{kernel_version(kernel)}"\n' for name, kernel in load_catalog().items()]
    head = (
        "# Acknowledged versions, written by `python -m grading.version --acknowledge`\n"
        "# after somebody has looked whether results still compare, and raised the measurement where they do not.\n"
    )
    path.write_text(head + "".join(lines), encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grading.version", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=Path("tests/measurements.toml"))
    parser.add_argument("--acknowledge", action="store_true", help="write the file anew")
    options = parser.parse_args(argv)
    moved = unacknowledged(options.file)
    for name, (before, now) in moved.items():
        print(f"{name}: {before or 'unknown'} -> {now}")
    if options.acknowledge:
        acknowledge(options.file)
        return 0
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())

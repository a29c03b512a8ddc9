"""The C of the harness compiles without a warning on both architectures, and its filter answers as its table says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kernels.catalog import load_catalog
from kernels.spec import INCLUDE
from tests.harness.conftest import HARNESS, build

CROSS = "aarch64-linux-gnu-"
needs_cross = pytest.mark.skipif(not shutil.which(f"{CROSS}gcc"), reason="gcc-aarch64-linux-gnu is not installed")
needs_qemu = pytest.mark.skipif(not shutil.which("qemu-aarch64"), reason="qemu-user is not installed")


def run_filter_test(compiler: str, tmp_path: Path, *runner: str) -> str:
    program = tmp_path / "filter_test"
    source = Path(__file__).with_name("filter_test.c")
    flags = ["-static", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{HARNESS}", f"-I{INCLUDE}"]
    subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=True)
    done = subprocess.run([*runner, str(program)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_filter_answers_every_row_on_this_machine(tmp_path: Path) -> None:
    assert ", 0 wrong" in run_filter_test("gcc", tmp_path)


@needs_cross
@needs_qemu
def test_the_filter_answers_every_row_on_arm64(tmp_path: Path) -> None:
    assert ", 0 wrong" in run_filter_test(f"{CROSS}gcc", tmp_path, "qemu-aarch64")


def test_all_kernels_build_without_a_warning(harness_sources: Path, tmp_path: Path) -> None:
    done = build(harness_sources, tmp_path / "out", *load_catalog())
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for name in load_catalog():
        assert (tmp_path / "out" / f"judge_{name}").exists()


@needs_cross
def test_all_kernels_build_for_arm64_without_a_warning(harness_sources: Path, tmp_path: Path) -> None:
    done = build(
        harness_sources,
        tmp_path / "out",
        *load_catalog(),
        CC=f"{CROSS}gcc",
        OBJCOPY=f"{CROSS}objcopy",
        MARCH="-mcpu=neoverse-n1+crypto",
        LD=f"{CROSS}ld",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_missing_compiler_is_named_in_one_line(harness_sources: Path, tmp_path: Path) -> None:
    done = build(harness_sources, tmp_path / "out", CC="no-such-gcc")
    assert done.returncode == 3
    assert done.stderr == "build.sh: no-such-gcc is not installed\n"

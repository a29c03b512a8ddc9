"""The timed inputs tell honest orders of computation from shortcuts, call by call."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kernels.catalog import get_kernel
from kernels.spec import INCLUDE
from tests.harness.conftest import HARNESS

PROGRAMS = Path(__file__).with_name("inputs")


def shares(kernel: str, program: str, folder: Path, *arguments: int) -> dict[str, float]:
    """What the program prints, linked with the kernel's bench.c."""
    binary = folder / program
    sources = [PROGRAMS / f"{program}.c", get_kernel(kernel).folder / "bench.c", HARNESS / "clock.c"]
    flags = ["-std=gnu11", "-O2", "-march=native", "-Wall", "-Wextra", "-Werror", f"-I{HARNESS}", f"-I{INCLUDE}"]
    subprocess.run(["gcc", *flags, *map(str, sources), "-o", str(binary), "-lm"], check=True)
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=600)
    return {name: float(share) for name, share in (line.split("\t") for line in done.stdout.splitlines())}


def test_dots_timed_values_forgive_every_order_of_additions_and_nothing_else(tmp_path: Path) -> None:
    wrong = shares("dot_f32", "dot_orders", tmp_path, 1 << 22, 24)
    honest = {name: share for name, share in wrong.items() if not name.startswith("wrong")}
    assert set(honest.values()) == {0.0}, honest
    # a grading checks more than thirty calls: a fifth wrong in each is enough
    assert all(share > 0.2 for name, share in wrong.items() if name.startswith("wrong")), wrong


def test_levenshteins_timed_pairs_have_paths_far_off_the_diagonal(tmp_path: Path) -> None:
    wrong = shares("levenshtein", "levenshtein_bands", tmp_path, 1500, 600)
    assert wrong["43"] > 0.6
    assert wrong["200"] > 0.17  # 0.25, less 4.5 standard deviations of 600 pairs
    assert wrong["333"] > 0.14  # 0.21, as above
    assert wrong["distance"] > 150
    assert wrong["450"] == 0.0  # no path goes farther: it would cost more than one along the diagonal

"""No share of its arguments is left to an answer: every grading meets all predicates of a kernel's families."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.harness.conftest import build
from tests.harness.listing import Calls, calls_of
from tests.harness.predicates import KERNELS, missed

SEEDS = 20
MANY_SEEDS = 300
FEW_PREDICATES = 300
FIXED = (
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    255,
    1000,
    1023,
    4097,
    65537,
    100003,
)  # were used once


@pytest.fixture(scope="module")
def harness(harness_sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("listing") / "out"
    done = build(harness_sources, out, *KERNELS)
    assert done.returncode == 0, done.stderr
    return out


def missed_by(harness: Path, kernel: str, seeds: range) -> dict[str, int]:
    """The predicates that some grading does not meet, with the last seed of such a one."""
    return {name: seed for seed in seeds for name in missed(kernel, calls_of(harness, kernel, seed))}


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_grading_meets_every_predicate(kernel: str, harness: Path) -> None:
    assert missed_by(harness, kernel, range(1, SEEDS + 1)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_hundreds_of_gradings_meet_every_predicate(kernel: str, harness: Path) -> None:
    assert missed_by(harness, kernel, range(SEEDS + 1, SEEDS + MANY_SEEDS + 1)) == {}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_has_several_hundred_predicates(kernel: str, harness: Path) -> None:
    calls = calls_of(harness, kernel, 1)
    assert sum(1 for family in KERNELS[kernel] for _ in family(calls)) >= FEW_PREDICATES


def test_fixed_sizes_leave_shares_of_the_arguments_to_an_answer() -> None:
    count = len(FIXED)
    calls = Calls(
        arguments={"n": np.array(FIXED)},
        content=np.array(["values in [-1, 1)"] * count),
        phase=np.array(["small test"] * count),
        placement=np.array(["unaligned"] * count),
        offsets=np.zeros((count, 3), dtype=np.int64),
    )
    assert {"n % 4 == 2 and n > 130", "n == 6", "n == 8191", "n == 16777217"} <= set(missed("dot_f32", calls))


def listing(harness: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([harness / "judge_dot_f32", *options], capture_output=True, text=True, check=False, timeout=60)


def test_a_listing_can_be_had_again_and_two_gradings_differ(harness: Path) -> None:
    seeded = [listing(harness, "list=1", "size=1000", "seed=7").stdout for _ in range(2)]
    drawn = [listing(harness, "list=1", "size=1000").stdout for _ in range(2)]
    assert seeded[0] == seeded[1] != ""
    assert drawn[0] != drawn[1]


def test_no_grading_takes_a_seed(harness: Path) -> None:
    done = listing(harness, "answer", "reference", "empty", "size=1000", "seed=7")
    assert done.returncode == 2
    assert "seed" in done.stderr

"""arm64 / amd64: pairs, means, and intervals that hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grading.comparison.ratios import Side, memory, ratios, side_of, throughput
from grading.result import PAGE_MB


def record(speed=None, extra=1.0, *, passed=True, emulated=False, times=None):
    samples = None if times is None else {"answer_ns": list(times), "process": [i // 5 for i in range(len(times))]}
    return Side("passed" if passed else "memory_limit", emulated, speed, extra, samples)


def pair(amd64, arm64, extra=(1.0, 1.0)):
    return {"amd64": record(amd64, extra[0]), "arm64": record(arm64, extra[1])}


def of_answers(strata):
    return ratios(strata, baselines=False)


def of_baselines(pairs):
    return ratios([[pair] for pair in pairs], baselines=True).throughput.ratio


def test_means_are_geometric_and_over_what_passed_on_both():
    on_one = {"amd64": record(1), "arm64": record(passed=False)}
    measured = of_answers([[pair(100, 50), pair(400, 200)], [on_one, {"arm64": record(7)}]]).throughput
    assert (measured.amd64, measured.arm64) == (pytest.approx(200), pytest.approx(100))
    assert (measured.ratio.value, measured.pairs) == (pytest.approx(0.5), 2)


def test_an_interval_needs_two_answers_to_every_kernel():
    assert of_answers([[pair(100, 50)], [pair(100, 60)]]).throughput.ratio.low is None
    repeated = of_answers([[pair(100, 50), pair(100, 60)], [pair(100, 55), pair(100, 65)]]).throughput.ratio
    assert repeated.low < math.sqrt(math.sqrt(0.5 * 0.6) * math.sqrt(0.55 * 0.65)) < repeated.high


@pytest.mark.parametrize(
    "other",
    [
        {"arm64": record(50, 2.0, emulated=True)},
        {"arm64": record(None, 47.0, passed=False)},  # right, and over the memory limit
        {},
    ],
)
def test_what_did_not_pass_natively_on_both_is_in_neither_ratio(other):
    found = of_answers([[{"amd64": record(100)} | other]])
    assert (found.throughput.pairs, found.memory.pairs) == (0, 0)
    assert (found.throughput.ratio.value, found.memory.ratio.value, found.throughput.amd64) == (None, None, None)


def test_memory_is_a_page_at_least_and_unknown_memory_is_no_page():
    assert memory(record(1, 0.0)) == PAGE_MB
    assert memory(record(1, None)) is None
    found = of_answers([[pair(100, 50, (None, 3.0)), pair(100, 50, (1.0, 4.0))]])
    assert (found.throughput.pairs, found.memory.pairs, found.memory.ratio.value) == (2, 1, pytest.approx(4))


def test_a_baselines_interval_holds_the_true_ratio_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(60):
        layout = np.exp(rng.normal(0, 0.03, (2, 6))).repeat(5, axis=1)  # of each set of processes
        times = np.exp(rng.normal(0, 0.02, (2, 30))) * layout * np.array([[1e6], [2e6]])
        ratio = of_baselines([{"amd64": record(100, times=times[0]), "arm64": record(50, times=times[1])}])
        held += ratio.low <= 0.5 <= ratio.high
    assert 45 <= held <= 60  # 95 % nominally; the few sets of processes cost some of it


def test_over_many_kernels_the_interval_is_narrower_than_of_one():
    rng = np.random.default_rng(2)
    pairs = [{arch: record(50, times=np.exp(rng.normal(0, 0.1, 30)) * 1e6) for arch in ("amd64", "arm64")} for _ in range(9)]
    one, all_of_them = of_baselines(pairs[:1]), of_baselines(pairs)
    assert all_of_them.high / all_of_them.low < one.high / one.low


def test_an_unresolved_time_counts_by_the_lower_bound_of_its_speedup() -> None:
    record = {
        "verdict": "passed",
        "emulated": False,
        "throughput_m": 900.0,
        "extra_mb": 1.0,
        "speedup": 90.0,
        "speedup_low": 30.0,
    }
    assert throughput(side_of(record | {"unresolved": True})) == 300.0
    assert throughput(side_of(record | {"unresolved": False})) == 900.0
    assert throughput(side_of(record)) == 900.0

"""arm64 / amd64: pairs, means, and intervals that hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grading.comparison.ratios import memory, of_answers, of_baselines, throughput
from grading.result import PAGE_MB


def record(speed=None, extra=1.0, *, passed=True, times=None):
    samples = None if times is None else {"answer_ns": list(times), "process": [i // 5 for i in range(len(times))]}
    return {"throughput_m": speed, "extra_mb": extra, "passed": passed, "correct": passed, "samples": samples}


def pair(amd64, arm64, extra=(1.0, 1.0)):
    return {"amd64": record(amd64, extra[0]), "arm64": record(arm64, extra[1])}


def test_means_are_geometric_and_over_what_was_measured_on_both():
    measured = of_answers([[pair(100, 50), pair(400, 200)], [{"amd64": record(1), "arm64": record(passed=False)}]], throughput)
    assert (measured.amd64, measured.arm64) == (pytest.approx(200), pytest.approx(100))
    assert (measured.ratio.value, measured.pairs) == (pytest.approx(0.5), 2)


def test_an_interval_needs_two_answers_to_every_kernel():
    assert of_answers([[pair(100, 50)], [pair(100, 60)]], throughput).ratio.low is None
    repeated = of_answers([[pair(100, 50), pair(100, 60)], [pair(100, 55), pair(100, 65)]], throughput).ratio
    assert repeated.low < math.sqrt(math.sqrt(0.5 * 0.6) * math.sqrt(0.55 * 0.65)) < repeated.high


def test_where_one_architecture_is_not_measured_the_other_is_still_said():
    emulated = {"amd64": record(100), "arm64": record(None, None)}
    measured = of_answers([[emulated]], throughput)
    assert (measured.amd64, measured.arm64, measured.ratio.value, measured.pairs) == (pytest.approx(100), None, None, 0)


def test_memory_of_what_is_right_counts_over_the_limit_or_not_and_is_a_page_at_least():
    over = record(None, 47.0, passed=False) | {"correct": True}
    assert memory(over) == 47
    assert memory(record(1, 0.0)) == PAGE_MB
    assert memory(record(1, 3.0, passed=False)) is None


def test_a_baselines_interval_holds_the_true_ratio_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(60):
        layout = np.exp(rng.normal(0, 0.03, (2, 6))).repeat(5, axis=1)  # of each set of processes
        times = np.exp(rng.normal(0, 0.02, (2, 30))) * layout * np.array([[1e6], [2e6]])
        ratio = of_baselines([{"amd64": record(100, times=times[0]), "arm64": record(50, times=times[1])}], throughput).ratio
        held += ratio.low <= 0.5 <= ratio.high
    assert 45 <= held <= 60  # 95 % nominally; the few sets of processes cost some of it


def test_over_many_kernels_the_interval_is_narrower_than_of_one():
    rng = np.random.default_rng(2)
    pairs = [{arch: record(50, times=np.exp(rng.normal(0, 0.1, 30)) * 1e6) for arch in ("amd64", "arm64")} for _ in range(9)]
    one, all_of_them = of_baselines(pairs[:1], throughput).ratio, of_baselines(pairs, throughput).ratio
    assert all_of_them.high / all_of_them.low < one.high / one.low

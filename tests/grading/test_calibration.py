"""A machine's own limits, and whether it drifts from those of its kind."""

from __future__ import annotations

import platform

import pytest

from grading.calibration import KERNELS, LIMITS, calibrate, drift
from grading.pipeline import Options
from grading.sandbox.local import LocalSandbox
from kernels.catalog import get_kernel

USUAL = [{"dot_f32": value} for value in (99.0, 100.0, 101.0, 100.5)]


def test_what_is_within_the_noise_does_not_drift():
    assert drift({"dot_f32": 93.0}, USUAL) == []
    assert drift({"dot_f32": 108.0}, USUAL) == []


def test_what_is_slower_or_faster_than_the_noise_drifts_and_says_how_much():
    assert drift({"dot_f32": 80.0}, USUAL) == ["dot_f32 is 0.80 times the usual 100"]
    assert drift({"dot_f32": 150.0}, USUAL) == ["dot_f32 is 1.50 times the usual 100"]


def test_a_history_that_varies_has_more_noise():
    assert drift({"dot_f32": 80.0}, [{"dot_f32": value} for value in (90.0, 100.0, 110.0, 85.0)]) == []


def test_a_short_history_says_nothing():
    assert drift({"dot_f32": 10.0}, USUAL[:2]) == []
    assert drift({"dot_f32": 10.0}, []) == []
    assert drift({"sort_u32": 10.0}, USUAL) == []


def test_the_limits_that_kernels_name_are_measured():
    named = {kernel.limit.kind for kernel in map(get_kernel, KERNELS) if kernel.limit}
    assert named <= set(LIMITS)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs an amd64 host")
def test_a_sandbox_is_calibrated():
    sandbox = LocalSandbox("amd64")
    try:
        measured = calibrate(sandbox, Options(size=20_000, batch=4, rounds=5, processes=1))
    finally:
        sandbox.close()
    assert set(measured.throughput_m) == set(KERNELS)
    assert set(measured.limits) == set(LIMITS)
    assert all(0.1 < value < 1e5 for value in measured.figures.values() if value in measured.limits.values())
    assert measured.machine["arch"] == "amd64"

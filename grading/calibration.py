"""Is this machine as fast as the others of its kind? Three baselines and its own limits, measured before it grades answers.

Theory of operation. A sandbox may come with a slower processor, or with neighbours that take its memory's bandwidth. The figures
of a new one are compared with those of earlier ones of the same kind. Noise is what these differ by among themselves, and at
least TOLERANCE: nothing here is measured better than that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from grading.driver import parse_object
from grading.faults import CalibrationFailed, HarnessBroken
from grading.harness_source import HarnessSource
from grading.hostlock import host_lock
from grading.pipeline import Options, grade_source
from grading.sandbox.base import Sandbox
from grading.text import decode
from kernels.catalog import get_kernel

KERNELS = ("dot_f32", "crc32_ieee", "popcount_u64")  # short ones: memory, a table of its own, arithmetic
LIMITS = {"read_bandwidth": "GB/s", "copy_bandwidth": "GB/s", "fma_f32": "GFLOP/s"}  # kernel.toml's words for limits
LIMITS_TIMEOUT_S = 120.0
SHORT = Options(rounds=9, processes=3)  # of each baseline: enough for what is looked for
TOLERANCE = 0.10  # relative
DEVIATIONS = 4.0  # of the history's own spread
ENOUGH = 3  # machines that a history needs before anything differs from it

# With the harness' own compiler and flags. $1 is the harness.
MEASURE = """
$(cat "$1/cc") $(cat "$1/flags") microbench.c -o microbench && ./microbench; status=$?
rm -f microbench microbench.c; exit $status
"""


class LimitsUnknown(HarnessBroken):
    """The baselines pass, but what the machine can do at most cannot be measured: it may grade all the same."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    limits: dict[str, float]  # by LIMITS, in their units
    throughput_m: dict[str, float]  # of the tuned baselines, in millions of the kernel's units per second
    machine: dict[str, Any]  # as in the record

    @property
    def figures(self) -> dict[str, float]:
        """All of them by name; the higher the faster."""
        return self.limits | self.throughput_m


def calibrate(sandbox: Sandbox, options: Options = SHORT) -> Calibration:
    """Measure a sandbox that times answers; not for emulated ones. Takes the host's lock like any grading. Raises
    CalibrationFailed where a tuned baseline does not pass, LimitsUnknown where only the machine's limits cannot be measured, and
    other faults."""
    throughput: dict[str, float] = {}
    machine: dict[str, Any] = {}
    for name in KERNELS:
        kernel = get_kernel(name)
        result = grade_source(kernel.tuned_source, kernel, sandbox, options)
        if result.passed and result.throughput_m is None:
            raise LimitsUnknown(f"the tuned baseline of {name} passes here without having been timed")
        if result.throughput_m is None:
            raise CalibrationFailed(f"the tuned baseline of {name} does not pass here: {result.verdict}: {result.detail}")
        throughput[name], machine = result.throughput_m, dict(result.machine or {})
    return Calibration(limits=measure_limits(sandbox), throughput_m=throughput, machine=machine)


def measure_limits(sandbox: Sandbox) -> dict[str, float]:
    if not sandbox.on_this_host:
        return _measure_limits(sandbox)
    with host_lock():
        return _measure_limits(sandbox)


def _measure_limits(sandbox: Sandbox) -> dict[str, float]:
    harness = sandbox.harness(HarnessSource(get_kernel(KERNELS[0])))
    sandbox.put("microbench.c", Path(__file__).with_name("microbench.c").read_bytes())
    done = sandbox.run(["sh", "-c", MEASURE, "limits", harness], LIMITS_TIMEOUT_S)
    try:
        raw = parse_object(done, "limits")
    except HarnessBroken as broken:
        raise LimitsUnknown(broken.reason, log=broken.log) from broken
    values = {name: raw.get(name) for name in LIMITS}
    if not all(isinstance(value, float) and math.isfinite(value) and value > 0 for value in values.values()):
        raise LimitsUnknown("the machine's limits cannot be", log=decode(done.stdout))
    return {name: float(value) for name, value in values.items() if value is not None}


def drift(figures: Mapping[str, float], history: Iterable[Mapping[str, float]]) -> list[str]:
    """What differs from the history by more than the noise, a phrase each; empty: nothing, or the history is too short."""
    history = list(history)
    found = []
    for name, value in figures.items():
        earlier = [past[name] for past in history if name in past]
        if len(earlier) < ENOUGH:
            continue
        usual = median(earlier)
        spread = 1.4826 * median(abs(past - usual) for past in earlier)  # a robust standard deviation
        if abs(value - usual) > max(TOLERANCE * usual, DEVIATIONS * spread):
            found.append(f"{name} is {value / usual:.2f} times the usual {usual:.3g}")
    return found

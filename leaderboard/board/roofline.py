"""The limit of a kernel on a machine, bandwidth or arithmetic, as measured before it graded, in the kernel's own units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kernels.catalog import UnknownKernel, get_kernel
from leaderboard.models import Calibration, Kernel

KINDS = {
    "read_bandwidth": ("read bandwidth", "GB/s"),
    "copy_bandwidth": ("copy bandwidth", "GB/s"),
    "fma_f32": ("peak of fused multiply-adds", "GFLOP/s"),
}


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What bounds a kernel on an architecture: in `unit`, and as throughput in millions of the kernel's units per second."""

    arch: str
    kind: str
    measured: float
    unit: str
    throughput_m: float

    def share(self, throughput_m: float | None) -> float | None:
        return None if throughput_m is None else throughput_m / self.throughput_m


def limits_of(kernel: Kernel, archs: Iterable[str]) -> dict[str, Limit]:
    """Limits by architecture, from its newest steady calibration on a real machine; none for kernels without such a limit."""
    try:
        bound = get_kernel(kernel.name).limit
    except UnknownKernel:
        return {}
    if bound is None:
        return {}
    found: dict[str, Limit] = {}
    kind, unit = KINDS[bound.kind]
    steady = Calibration.objects.filter(drifting=False, machine__emulated=False, machine__arch__in=list(archs))
    for arch, limits in steady.order_by("-measured_at", "-id").values_list("machine__arch", "limits")[:50]:
        measured = limits.get(bound.kind)
        if measured and arch not in found:
            throughput_m = measured * 1000 / bound.per_unit  # G / (per unit) = thousands of millions of units
            found[arch] = Limit(arch=arch, kind=kind, measured=measured, unit=unit, throughput_m=throughput_m)
    return found

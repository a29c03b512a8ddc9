"""Each new sandbox is measured before it grades; what it then grades is marked if it is not like those before it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from grading.calibration import Calibration as Measured
from grading.calibration import drift
from grading.version import measurement
from kernels.catalog import get_kernel
from leaderboard.models import Calibration
from leaderboard.services import recording

log = logging.getLogger(__name__)

_cannot_be_measured: set[str] = set()  # machines; as long as this process lives, grading continues without
HISTORY = 20  # the last ones of its kind are what a sandbox is compared with


def calibration_of(arch: str, grader: Any) -> Calibration | None:
    """The calibration of the machine behind an architecture's sandbox, measured now if it is new; None where nothing is measured
    (emulation, doubles). Raises grading.faults.Fault."""
    if not grader.is_real(arch):
        return None
    place = grader.place(arch)
    if place in _cannot_be_measured:
        return None
    known: Calibration | None = Calibration.objects.filter(place=place).first()
    if known:
        return known
    measured = grader.calibrate(arch)
    if measured is None:
        _cannot_be_measured.add(place)
        return None
    return record_calibration(place, arch, grader.sandbox_name(arch), measured)


def record_calibration(place: str, arch: str, sandbox: str, measured: Measured) -> Calibration:
    """Compare with the history, and keep. Two workers that measure the same place keep one."""
    machine = recording.find_machine(measured.machine, arch, sandbox, emulated=False)
    versions = {name: measurement(get_kernel(name)) for name in measured.throughput_m}
    differs = drift(measured.figures, history(machine.arch, machine.backend, machine.cpu_model, versions))
    values = {
        "machine": machine,
        "limits": measured.limits,
        "throughput_m": measured.throughput_m,
        "versions": versions,
        "drifting": bool(differs),
        "note": "; ".join(differs),
    }
    calibration, is_new = Calibration.objects.get_or_create(place=place, defaults=values)
    if is_new and differs:
        log.warning("the %s sandbox %s drifts, and its results are marked: %s", arch, place, calibration.note)
    return calibration


def history(arch: str, backend: str, cpu_model: str, versions: Mapping[str, str]) -> list[dict[str, float]]:
    """The figures of earlier sandboxes of a kind. Those that drifted count too: if most drift, that is the new normal."""
    alike = Calibration.objects.filter(machine__arch=arch, machine__backend=backend, machine__cpu_model=cpu_model)
    return [
        past.limits | {name: value for name, value in past.throughput_m.items() if past.versions.get(name) == versions.get(name)}
        for past in alike.order_by("-id")[:HISTORY]
    ]

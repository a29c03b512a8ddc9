"""The grader as the workers use it: one sandbox per architecture and process, kept from answer to answer.

A worker that stops leaves its sandbox as it is: the next one takes it over. settings.GRADER names this module; a test may put
another with the same functions in its place.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from grading import calibration
from grading.calibration import Calibration, LimitsUnknown
from grading.faults import Fault
from grading.pipeline import grade_source
from grading.sandbox.base import Sandbox
from grading.sandbox.registry import backend, open_sandbox
from grading.sandbox.registry import why_unavailable as why_sandbox_unavailable
from kernels.catalog import get_kernel
from leaderboard.lib.processes import host_and_boot

log = logging.getLogger(__name__)

EMULATED_UNTIL = "ARCH_KERNELS_EMULATED_UNTIL"  # from the supervisor of a demo: seconds since the epoch

_kept: dict[str, Sandbox] = {}


def why_unavailable(arch: str) -> str | None:
    """One line that names what an operator has to do before this architecture can be graded; None if nothing."""
    name = settings.SANDBOXES[arch]
    if backend(name).emulates and time.time() > float(os.environ.get(EMULATED_UNTIL, "inf")):
        return f"the demo has no time left for emulation; to grade the rest: SANDBOX_{arch.upper()}={name} make demo"
    return why_sandbox_unavailable(name, arch)


def grade(kernel: str, source: str | None, arch: str) -> dict[str, Any]:
    """The record of one grading. Raises grading.faults.Fault; the next grading then begins with a fresh sandbox."""
    with kept_sandbox(arch) as sandbox:
        graded = grade_source(source, get_kernel(kernel), sandbox).to_dict()
    if on_a_double(arch):  # also what needed no machine, such as a reply without an answer
        graded["machine"] = (graded["machine"] or {}) | {"double": True}
    return graded


def calibrate(arch: str) -> Calibration | None:
    """Measure the machine behind an architecture's sandbox; None where its limits cannot be told, though it may well grade.
    Raises Fault: CalibrationFailed where a tuned baseline does not pass, and nothing may be graded."""
    with kept_sandbox(arch) as sandbox:
        try:
            return calibration.calibrate(sandbox)
        except LimitsUnknown as broken:
            log.warning("the %s sandbox cannot be calibrated: %s", arch, broken.reason)
            return None


def place(arch: str) -> str:
    """Names that machine: on this host it is the same until the host starts again. Raises Fault."""
    with kept_sandbox(arch) as sandbox:
        elsewhere = getattr(sandbox, "place", None)
        return f"{sandbox.name}:{arch}:{elsewhere.id if elsewhere else host_and_boot()}"


def sandbox_name(arch: str) -> str:
    return str(settings.SANDBOXES[arch])


@contextmanager
def kept_sandbox(arch: str) -> Iterator[Sandbox]:
    """The process' sandbox, opened where there is none yet, and given up after a fault."""
    try:
        if arch not in _kept:
            _kept[arch] = open_sandbox(settings.SANDBOXES[arch], arch)
        yield _kept[arch]
    except Fault:
        close(arch)
        raise


def is_real(arch: str) -> bool:
    """Whether its sandbox is there and measures: no emulation, no double of a service."""
    return not backend(settings.SANDBOXES[arch]).emulates and not on_a_double(arch) and why_unavailable(arch) is None


def on_a_double(arch: str) -> bool:
    return backend(settings.SANDBOXES[arch]).is_double()


def sweep() -> None:
    """End sandboxes that nobody uses any more. Raises Fault when their service cannot be asked."""
    for name in dict.fromkeys(settings.SANDBOXES.values()):
        for ended in backend(name).sweep():
            log.info("ended the leaked %s sandbox %s", name, ended)


def close(arch: str) -> None:
    """Leave no sandbox behind."""
    if sandbox := _kept.pop(arch, None):
        sandbox.close()

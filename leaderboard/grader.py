"""The grader as the workers use it: one sandbox an architecture and process, kept from answer to answer.

A worker that stops leaves its sandbox as it is: the next one takes it over. settings.GRADER names this module; a test may put
another with the same functions in its place.
"""

from __future__ import annotations

import logging
import os
import time
from typing import Any

from django.conf import settings

from grading.faults import Fault
from grading.pipeline import grade_source
from grading.sandbox import prime
from grading.sandbox.base import Sandbox
from grading.sandbox.registry import open_sandbox
from grading.sandbox.registry import why_unavailable as why_sandbox_unavailable
from kernels.catalog import get_kernel

log = logging.getLogger(__name__)

EMULATED_UNTIL = "ARCH_KERNELS_EMULATED_UNTIL"  # from the supervisor of a demo: seconds since the epoch

_kept: dict[str, Sandbox] = {}


def why_unavailable(arch: str) -> str | None:
    """One line that names what an operator has to do before this architecture can be graded; None if nothing."""
    if settings.SANDBOXES[arch] == "emulated" and time.time() > float(os.environ.get(EMULATED_UNTIL, "inf")):
        return f"the demo has no time left for emulation; to grade the rest: SANDBOX_{arch.upper()}=emulated make demo"
    return why_sandbox_unavailable(settings.SANDBOXES[arch], arch)


def grade(kernel: str, source: str | None, arch: str) -> dict[str, Any]:
    """The record of one grading. Raises grading.faults.Fault; the next grading then begins with a fresh sandbox."""
    try:
        if arch not in _kept:
            _kept[arch] = open_sandbox(settings.SANDBOXES[arch], arch)
        graded = grade_source(source, get_kernel(kernel), _kept[arch]).to_dict()
    except Fault:
        close(arch)
        raise
    if on_a_double(arch):  # also what needed no machine, such as a reply without an answer
        graded["machine"] = (graded["machine"] or {}) | {"double": True}
    return graded


def is_real(arch: str) -> bool:
    """Whether its sandbox is there and measures: no emulation, no double of a service."""
    return settings.SANDBOXES[arch] != "emulated" and not on_a_double(arch) and why_unavailable(arch) is None


def on_a_double(arch: str) -> bool:
    return settings.SANDBOXES[arch] == "prime" and prime.is_double()


def sweep() -> None:
    """End sandboxes that nobody uses any more. Raises Fault when their service cannot be asked."""
    for arch, name in settings.SANDBOXES.items():
        if name == "prime" and why_unavailable(arch) is None:
            from grading.sandbox.prime_sweep import sweep as sweep_prime  # the client is an optional extra

            for ended in sweep_prime():
                log.info("ended the leaked Prime sandbox %s", ended)
            return


def close(arch: str) -> None:
    """Leave no sandbox behind."""
    if sandbox := _kept.pop(arch, None):
        sandbox.close()

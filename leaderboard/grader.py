"""The grader as the workers use it: one sandbox an architecture and process, kept from answer to answer.

settings.GRADER names this module; a test may put another with the same two functions in its place.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings

from grading.faults import Fault
from grading.pipeline import grade_source
from grading.sandbox.base import Sandbox
from grading.sandbox.registry import open_sandbox
from grading.sandbox.registry import why_unavailable as why_sandbox_unavailable
from kernels.catalog import get_kernel

_kept: dict[str, Sandbox] = {}


def why_unavailable(arch: str) -> str | None:
    """One line that names what an operator has to do before this architecture can be graded; None if nothing."""
    return why_sandbox_unavailable(settings.SANDBOXES[arch], arch)


def grade(kernel: str, source: str | None, arch: str) -> dict[str, Any]:
    """The record of one grading. Raises grading.faults.Fault; the next grading then begins with a fresh sandbox."""
    try:
        if arch not in _kept:
            _kept[arch] = open_sandbox(settings.SANDBOXES[arch], arch)
        return grade_source(source, get_kernel(kernel), _kept[arch]).to_dict()
    except Fault:
        close(arch)
        raise


def close(arch: str) -> None:
    """Leave no sandbox behind."""
    if sandbox := _kept.pop(arch, None):
        sandbox.close()

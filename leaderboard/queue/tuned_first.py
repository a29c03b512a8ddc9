"""What waits for a kernel's tuned baseline: every other row of that kernel and architecture, whatever its priority."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef

from kernels.catalog import load_catalog
from leaderboard.models import Result, Submission


def tuned_first(arch: str, now: datetime) -> dict[int, int | None]:
    """{kernel's id: the result to be graded before any other of it}; None where that cannot be claimed at the moment, because
    another worker is at it or it backs off after a fault of ours.

    Kernels that are not named wait for nothing: their tuned baseline has a measured result of the present measurement on this
    architecture, or has failed for good, or was never queued.
    """
    identities = [f"baseline:tuned:{name}" for name in load_catalog()]
    tuned = Result.objects.open().filter(arch=arch, submission__in=Submission.objects.filter(identity__in=identities))
    known = Result.objects.done().filter(
        submission=OuterRef("submission"),
        arch=arch,
        measurement=OuterRef("kernel__measurement"),
        invalidated=False,
        emulated=False,
        double=False,
    )
    rows = tuned.exclude(Exists(known)).values_list("kernel_id", "pk", "state", "not_before")
    return {
        kernel: pk if state == Result.State.QUEUED and (not_before is None or not_before <= now) else None
        for kernel, pk, state, not_before in rows
    }

"""A kernel's tuned baseline is graded before every other row of that kernel and architecture, whatever their priorities."""

from __future__ import annotations

from django.db.models import Case, Exists, OuterRef, Q, When
from django.db.models.functions import Now

from kernels.catalog import load_catalog
from leaderboard.models import Result, Submission


def tuned_first(arch: str) -> dict[int, int | None]:
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
    is_due = Q(state=Result.State.QUEUED) & (Q(not_before=None) | Q(not_before__lte=Now()))
    rows = tuned.exclude(Exists(known)).annotate(is_due=Case(When(is_due, then=True), default=False))
    return {kernel: pk if due else None for kernel, pk, due in rows.values_list("kernel_id", "pk", "is_due")}

"""A Result row as the record of `python -m grading --json`."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Result

SCHEMA = 1
FIELDS = (
    "kernel_version",
    "arch",
    "sandbox",
    "emulated",
    "verdict",
    "detail",
    "answer_parsed",
    "compiled",
    "correct",
    "within_memory",
    "passed",
    "speedup",
    "speedup_low",
    "speedup_high",
    "sol_ms",
    "ref_ms",
    "throughput_m",
    "extra_mb",
    "peak_mb",
    "kernel_score",
    "samples",
    "log",
    "seconds",
)


def record(result: Result) -> dict[str, Any]:
    """The record's fields, in its words. The result needs its kernel, machine and submission at hand."""
    fields = {name: getattr(result, name) for name in FIELDS}
    machine = result.machine.facts if result.machine else None
    answer_from = result.submission.answer_from or None
    return {"schema": SCHEMA, "kernel": result.kernel.name, **fields, "machine": machine, "answer_from": answer_from}

"""A Result row as the record of `python -m grading --json`."""

from __future__ import annotations

from typing import Any

from grading.result import FIELDS, SCHEMA
from leaderboard.models import Result

LAST = ("machine", "answer_from", "unresolved", "const_kb", "first_call", "memory_resolution_mb")


def record(result: Result) -> dict[str, Any]:
    """The record's fields, in its words. The result needs its kernel, machine and submission at hand."""
    elsewhere = {
        "schema": SCHEMA,
        "kernel": result.kernel.name,
        "machine": result.machine.facts if result.machine else None,
        "answer_from": result.submission.answer_from or None,
    }
    names = [name for name in FIELDS if name not in LAST] + list(LAST)
    return {name: elsewhere[name] if name in elsewhere else getattr(result, name) for name in names}

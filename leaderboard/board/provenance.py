"""Where and how results were measured, as rows of a table with a column for each result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from leaderboard.lib import formatting
from leaderboard.models import Result

Reader = Callable[[Result], str]


def provenance(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Rows of what was measured where; equal values are said once, so that differences stand out."""
    rows = []
    for name, code, value in PROVENANCE:
        values = [value(result) or formatting.MISSING for result in results]
        if any(text != formatting.MISSING for text in values):
            rows.append({"name": name, "code": code, "values": values, "same": len(values) > 1 and len(set(values)) == 1})
    return rows


def _machine(name: str, unit: str = "") -> Reader:
    def read(result: Result) -> str:
        value = getattr(result.machine, name, None)
        return f"{value}{unit}" if value not in (None, "") else ""

    return read


def _took(result: Result) -> str:
    """The seconds of a grading without the wait for another one on the same host."""
    stages = [seconds for stage, seconds in (result.seconds or {}).items() if stage != "wait"]
    return formatting.duration(sum(stages)) if stages else ""


def _memory(result: Result) -> str:
    size = result.machine.memory_mb if result.machine else None
    return f"{size / 1024:.1f} GiB" if size else ""


PROVENANCE: tuple[tuple[str, bool, Reader], ...] = (
    ("Processor", False, _machine("cpu_model")),
    ("vCPUs", False, _machine("vcpus")),
    ("Memory", False, _memory),
    ("Compiler", False, _machine("compiler")),
    ("Flags", True, _machine("flags")),
    ("C library", False, _machine("libc")),
    ("Linux", False, _machine("kernel_release")),
    ("Page size", False, _machine("page_size_bytes", " bytes")),
    ("Huge pages", False, _machine("huge_pages")),
    ("Sandbox", False, lambda result: result.sandbox),
    ("Image", True, _machine("image")),
    ("Emulated", False, lambda result: "yes" if result.emulated else "no"),
    ("Kernel version", True, lambda result: result.kernel_version),
    ("Whole process's peak", False, lambda result: f"{formatting.mib(result.peak_mb)} MiB" if result.peak_mb is not None else ""),
    ("Grading took", False, _took),
    ("Graded", False, lambda result: formatting.utc(result.graded_at)),
    ("Attempt", False, lambda result: str(result.attempt)),
)

"""The result of a grading: the verdict, the stages reached, and the record that everybody else reads."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

# The record's schema moves when a field changes its meaning; a field that is new comes at the end and moves nothing. History:
#
# 1  2026-11-29  The first. Since then, at the end: answer_from (which rule chose the C).
SCHEMA = 1
PAGE_MB = 4096 / 2**20  # the smallest growth of memory that can be seen: 0 would take a geometric mean or a ratio with it


class Verdict(StrEnum):
    """In order of precedence: of several that apply, the first is given."""

    NO_ANSWER = "no_answer"
    COMPILE_ERROR = "compile_error"
    FORBIDDEN = "forbidden"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT = "time_limit"
    WRONG_ANSWER = "wrong_answer"
    EXTRA_THREAD = "extra_thread"
    MEMORY_LIMIT = "memory_limit"
    PASSED = "passed"
    INTERNAL_ERROR = "internal_error"  # outside the order: our fault, never scored, graded again


@dataclass(frozen=True, kw_only=True)
class Stages:
    """How far an answer got: true, false, or None when the stage was not reached."""

    answer_parsed: bool | None
    compiled: bool | None
    correct: bool | None
    within_memory: bool | None
    passed: bool | None


def stages_of(verdict: Verdict, *, compiled: bool | None = None, correct: bool | None = None, emulated: bool = False) -> Stages:
    """The stages that a verdict implies.

    compiled, correct: what the harness saw; they decide only where the verdict leaves it open. A source that is too long is
    forbidden before it is compiled, and a thread may be found before the first call or, killed, in the middle of one.
    """
    reached: dict[Verdict, tuple[bool | None, bool | None, bool | None, bool | None, bool | None]] = {
        Verdict.NO_ANSWER: (False, None, None, None, False),
        Verdict.COMPILE_ERROR: (True, False, None, None, False),
        Verdict.FORBIDDEN: (True, None if compiled is None else False, None, None, False),  # refused before it became a program
        Verdict.RUNTIME_ERROR: (True, True, False, None, False),
        Verdict.TIME_LIMIT: (True, True, False, None, False),
        Verdict.WRONG_ANSWER: (True, True, False, None, False),
        Verdict.EXTRA_THREAD: (True, True, None if correct is None else False, None, False),
        Verdict.MEMORY_LIMIT: (True, True, True, False, False),
        Verdict.PASSED: (True, True, True, None if emulated else True, True),  # memory is not measured under an emulator
        Verdict.INTERNAL_ERROR: (None, None, None, None, None),
    }
    parsed, compiled, correct, within_memory, passed = reached[verdict]
    return Stages(answer_parsed=parsed, compiled=compiled, correct=correct, within_memory=within_memory, passed=passed)


@dataclass(frozen=True, kw_only=True)
class GradingResult:
    """The record of one grading. Units are in the names: _mb is 2^20 bytes, _ms milliseconds, _m millions per second; speedups
    are ratios."""

    schema: int = SCHEMA
    kernel: str
    kernel_version: str
    arch: str
    sandbox: str
    emulated: bool
    verdict: Verdict
    detail: str  # one sentence for the answer's author
    answer_parsed: bool | None
    compiled: bool | None
    correct: bool | None
    within_memory: bool | None
    passed: bool | None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    sol_ms: float | None = None
    ref_ms: float | None = None
    throughput_m: float | None = None
    extra_mb: float | None = None  # growth of the answer's peak memory by calling it: limited, ranked, charted
    peak_mb: float | None = None  # the whole process, inputs included: informative
    kernel_score: float | None = None
    samples: dict[str, list[float]] | None = None
    machine: dict[str, Any] = field(default_factory=dict)
    log: dict[str, str] = field(default_factory=lambda: {"compile": "", "run": ""})
    seconds: dict[str, float] = field(default_factory=dict)
    answer_from: str | None = None  # which rule chose the C (grading/answer.py); None without an answer
    unresolved: bool | None = None  # the time is at the clock's limit: speedup_low is ranked
    const_kb: float | None = None  # the answer's own code and initialised data, in units of 1024 bytes
    first_call: bool | None = None  # state makes later calls cheap: the figures are those of first calls in fresh processes
    memory_resolution_mb: float | None = None  # of extra_mb: what the machine's counters of peak memory may not see

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: plain types, and no number that is not finite."""
        return {name: _plain(getattr(self, name)) for name in FIELDS}


FIELDS = tuple(item.name for item in fields(GradingResult))  # the only list: the site's columns are tested against it
FLAGS = tuple(item.name for item in fields(Stages))


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value

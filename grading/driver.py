"""The harness' driver: how it is called, and what it answers, read as the word of a stranger.

The driver is ours, but it works beside untrusted code: whatever is missing, of another type or not finite is a fault, never a
verdict.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from grading.faults import HarnessBroken, MachineShort
from grading.result import Verdict
from grading.sandbox.base import HARNESS_MISSING, NO_FOLDER, Completed
from grading.statistics import Samples
from grading.text import clean, decode, one_sentence

NOT_THE_DRIVERS = {Verdict.NO_ANSWER}
STAGES = ("compile", "inspect", "link", "start", "tests", "benchmark")

# One command per answer: a fresh folder for it, the driver, and nothing left. $1 is the harness, $2 the kernel, the rest are
# options.
GRADE = f"""
[ -x "$1/grade" ] || exit {HARNESS_MISSING}
harness=$1; shift
rm -rf work && mkdir -m 755 work && mv answer.c work/answer.c || exit {NO_FOLDER}
"$harness/grade" "$PWD/work" "$@"; status=$?
rm -rf work
exit $status
"""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The findings of the driver, in the units of the record."""

    verdict: Verdict
    detail: str
    limit: str | None  # of ours, that was reached while the answer was built: the detail names it
    compiled: bool | None
    correct: bool | None
    extra_mb: float | None
    peak_mb: float | None
    units: float | None  # work of one benchmark call, in the kernel's unit
    samples: Samples | None
    log: dict[str, str]
    seconds: dict[str, float]
    defences: dict[str, bool]
    rounds: dict[str, int]  # counted, dirty (measured again), early


def grade_command(harness: str, kernel: str, options: dict[str, int]) -> list[str]:
    return ["sh", "-c", GRADE, "grade", harness, kernel, *(f"{key}={value}" for key, value in options.items())]


def parse_outcome(done: Completed) -> Outcome:
    """The driver's one JSON object; raises HarnessBroken when it is not what it must be, or says internal_error."""
    if done.exit_code == NO_FOLDER:
        said = one_sentence(clean(decode(done.stderr), 300)) or "No message."
        raise MachineShort(f"the work folder in the sandbox cannot be made: {said}")
    raw = parse_object(done, "the harness")
    try:
        outcome = _outcome(raw)
    except (KeyError, TypeError, ValueError) as error:
        raise HarnessBroken(
            f"the harness gave a record that cannot be: {clean(str(error), 200)}", log=decode(done.stdout)
        ) from error
    if outcome.verdict is Verdict.INTERNAL_ERROR and raw.get("machine_short") is True:
        raise MachineShort(outcome.detail.rstrip("."))
    if outcome.verdict is Verdict.INTERNAL_ERROR:
        raise HarnessBroken(outcome.detail or "the harness gave no reason", log="\n".join(outcome.log.values()))
    return outcome


def parse_object(done: Completed, who: str) -> dict[str, Any]:
    """The JSON object that a command printed."""
    if done.exit_code != 0:
        raise HarnessBroken(f"{who} ended with status {done.exit_code}", log=decode(done.stderr + done.stdout))
    try:
        raw = json.loads(done.stdout.decode("utf-8", "replace"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise HarnessBroken(f"{who} printed no record", log=decode(done.stdout + done.stderr)) from error
    if not isinstance(raw, dict):
        raise HarnessBroken(f"{who} printed no record", log=decode(done.stdout))
    return raw


def _outcome(raw: dict[str, Any]) -> Outcome:
    verdict = Verdict(raw["verdict"])
    if verdict in NOT_THE_DRIVERS:
        raise ValueError(f"verdict {verdict}")
    return Outcome(
        verdict=verdict,
        detail=one_sentence(_text(raw["detail"])),
        limit=None if raw.get("limit") is None else clean(_text(raw["limit"]), 40),
        compiled=_flag(raw.get("compiled")),
        correct=_flag(raw.get("correct")),
        extra_mb=_amount(raw.get("extra_mb")),
        peak_mb=_amount(raw.get("peak_mb")),
        units=_amount(raw.get("units")),
        samples=None if raw.get("samples") is None else _samples(raw["samples"]),
        log={name: clean(_text(_table(raw.get("log")).get(name, ""))) for name in ("compile", "run")},
        seconds={stage: _number(_table(raw.get("seconds")).get(stage, 0.0)) for stage in STAGES},
        defences={clean(name, 40): value is True for name, value in _table(raw.get("defences")).items()},
        rounds={name: int(_number(raw.get(name, 0))) for name in ("rounds", "dirty", "early")},
    )


def _samples(raw: Any) -> Samples:
    table = _table(raw)
    answer, reference = (tuple(_number(value) for value in table[name]) for name in ("answer_ns", "reference_ns"))
    process = tuple(int(_number(value)) for value in table.get("process", [0] * len(answer)))
    return Samples(answer_ns=answer, reference_ns=reference, process=process)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


def _amount(value: Any) -> float | None:
    """Returns the number, which may not be negative, or None."""
    if value is not None and _number(value) < 0:
        raise ValueError(f"{value!r} is negative")
    return None if value is None else float(value)


def _flag(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{value!r} is not a flag")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return value


def _table(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not an object")
    return value


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number in JSON")

"""The harness' driver: how it is called, and what it answers, read as the word of a stranger.

The driver is ours, but it works beside untrusted code: whatever is missing, of another type or not finite is a fault, never a
verdict.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from grading.faults import HarnessBroken, MachineShort, SandboxUnavailable
from grading.isolation import HOW_TO_ISOLATE
from grading.result import Verdict
from grading.sandbox.base import HARNESS_MISSING, NO_FOLDER, Completed
from grading.statistics import FirstCalls, Samples
from grading.text import clean, decode, one_sentence
from grading.typed import amount, flag, names, number, table, text

NOT_THE_DRIVERS = {Verdict.NO_ANSWER}
ROUNDS_MOST = 201  # ROUNDS_MAX of harness/judge.h
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
    const_kb: float | None  # the answer's own code and initialised data
    samples: Samples | None
    first: FirstCalls | None
    empty_spread_ns: float  # of the empty call: a shorter time cannot be told from nothing
    log: dict[str, str]
    seconds: dict[str, float]
    defences: dict[str, bool]
    compiler_walls: set[str] | None  # that were in force in every step of the build; None: no step ran
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
    if outcome.verdict is Verdict.INTERNAL_ERROR and raw.get("unwalled") is True:
        raise SandboxUnavailable(f"{outcome.detail.rstrip('.')}: {HOW_TO_ISOLATE}")
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
    detail = one_sentence(text(raw["detail"]))
    if not detail and verdict is not Verdict.PASSED:
        detail = f"The harness gave the verdict {verdict} without a reason."
    return Outcome(
        verdict=verdict,
        detail=detail,
        limit=None if raw.get("limit") is None else clean(text(raw["limit"]), 40),
        compiled=flag(raw.get("compiled")),
        correct=flag(raw.get("correct")),
        extra_mb=amount(raw.get("extra_mb")),
        peak_mb=amount(raw.get("peak_mb")),
        units=amount(raw.get("units")),
        const_kb=amount(raw.get("const_kb")),
        samples=None if raw.get("samples") is None else _samples(raw["samples"]),
        first=None if raw.get("samples") is None else _first_calls(raw["samples"]),
        empty_spread_ns=amount(table(raw.get("samples")).get("empty_spread_ns")) or 0.0,
        log={name: clean(text(table(raw.get("log")).get(name, ""))) for name in ("compile", "run")},
        seconds={stage: amount(table(raw.get("seconds")).get(stage)) or 0.0 for stage in STAGES},
        defences={clean(name, 40): value is True for name, value in table(raw.get("defences")).items()},
        compiler_walls=None if raw.get("compiler_walls") is None else names(raw["compiler_walls"]),
        rounds={name: int(number(raw.get(name, 0))) for name in ("rounds", "dirty", "early")},
    )


def _samples(raw: Any) -> Samples:
    members = table(raw)
    answer, reference = (tuple(map(number, _rounds(members[name]))) for name in ("answer_ns", "reference_ns"))
    process = tuple(int(number(value)) for value in _rounds(members.get("process", [0] * len(answer))))
    return Samples(answer_ns=answer, reference_ns=reference, process=process)


def _rounds(value: Any) -> list[Any]:
    """As many as the judge can make; more would take memory and time of ours."""
    if not isinstance(value, list) or len(value) > ROUNDS_MOST:
        raise ValueError(f"samples are a list of at most {ROUNDS_MOST} rounds")
    return value


def _first_calls(raw: Any) -> FirstCalls | None:
    members = table(raw)
    if "first_answer_ns" not in members:
        return None
    answer, start, faults, reference = (
        tuple(map(number, _rounds(members[f"first_{name}"]))) for name in ("answer_ns", "start_ns", "faults", "reference_ns")
    )
    fault_ns = amount(members["fault_ns"]) or 0.0
    return FirstCalls(answer_ns=answer, start_ns=start, faults=faults, reference_ns=reference, fault_ns=fault_ns)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number in JSON")

"""A grading becomes a result: recorded under its lease, exactly once, with everything that follows from it."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from grading.result import FIELDS, Verdict
from grading.scoring import counted_speedup
from leaderboard.board.roofline import limits_of
from leaderboard.lib.text import clean, shorten
from leaderboard.models import Kernel, LanguageModel, Machine, Result
from leaderboard.models.querysets import COUNTED_SPEEDUP, ResultQuerySet
from leaderboard.services import standings

log = logging.getLogger(__name__)

NOT_COLUMNS = {"schema", "kernel", "arch", "machine", "answer_from"}  # of the row itself, of its machine, of its submission
PLAIN_FIELDS = tuple(name for name in FIELDS if name not in NOT_COLUMNS)  # a new field of the record is a new column
MACHINE_TEXTS = ("cpu_model", "kernel_release", "compiler", "flags", "libc", "huge_pages", "image")
NEEDS_TO_BEAT = 2.0  # a best known below 2x says little: there, a speedup is too good above TOO_GOOD times 2


class NotARecord(ValueError):
    """What the grader returned cannot be a verdict on this row: our fault."""


def record_result(token: UUID, graded: Mapping[str, Any], *, drifting: bool = False) -> Result | None:
    """Write a grading into the row that is held under `token`; None if somebody else has it: the grading is dropped.

    Raises NotARecord if it is no verdict on an answer, or on another architecture.
    """
    held = Result.objects.held_by(token).select_related("kernel", "model").first()
    if held is None:
        return None
    check(held, graded)
    with transaction.atomic():
        standings.lock_models([held.model_id])
        machine = find_machine(graded.get("machine") or {}, held.arch, graded["sandbox"], bool(graded["emulated"]))
        values = values_of(graded) | marks_of_double(graded, public=held.public)
        note = "" if held.model.is_baseline else " ".join(filter(None, [too_good(held, values), too_much_data(held, values)]))
        written = Result.objects.held_by(token).update(
            **values,
            state=Result.State.DONE,
            machine=machine,
            flagged=bool(note),
            flag_note=note,
            drifting=drifting,
            failure="",
            lease_token=None,
            lease_until=None,
            graded_at=timezone.now(),
        )
        if not written:
            return None
        standings.recompute(standings.refresh_current(held.submission_id, held.arch))
        held.refresh_from_db()
    return held


def check(held: Result, graded: Mapping[str, Any]) -> None:
    if graded["verdict"] == Verdict.INTERNAL_ERROR:
        raise NotARecord(graded.get("detail") or "the grader reports an internal error")
    if graded["arch"] != held.arch:
        raise NotARecord(f"the sandbox for {held.arch} is an {graded['arch']} machine")
    if graded["kernel"] != held.kernel.name:
        raise NotARecord(f"graded as {graded['kernel']}, but it answers {held.kernel.name}")


def values_of(graded: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that come from the record as they are."""
    values = {field: graded.get(field) for field in PLAIN_FIELDS}
    for field, value in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise NotARecord(f"{field} is {value}")
    return values | {
        "kernel_score": standings.score_of(graded["verdict"], counted_of(values), emulated=bool(graded["emulated"])),
        "measurement": graded["kernel_version"].partition("+")[0],
        "verdict": str(graded["verdict"]),
        "detail": clean(graded.get("detail") or ""),
        "log": clean_json(graded.get("log")),
    }


def counted_of(values: Mapping[str, Any]) -> float | None:
    return counted_speedup(values["speedup"], values["speedup_low"], unresolved=values["unresolved"])


def marks_of_double(graded: Mapping[str, Any], *, public: bool) -> dict[str, bool]:
    """Nothing that was graded on a double of a service is public, whatever its bundle is."""
    double = bool((graded.get("machine") or {}).get("double"))
    return {"double": double, "public": public and not double}


def clean_json(value: Any) -> Any:
    """The value with every text fit for PostgreSQL, which refuses NUL even as an escape inside JSON."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(inner) for inner in value]
    return value


def find_machine(facts: Mapping[str, Any], arch: str, sandbox: str, emulated: bool) -> Machine:
    """The row of a machine, one for equal machines: two workers that meet a new one together get the same."""
    facts = clean_json(dict(facts) | {"arch": arch, "sandbox": sandbox, "emulated": emulated})
    fingerprint = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    known = {
        name: shorten(str(facts.get(name) or ""), Machine._meta.get_field(name).max_length or 0)  # type: ignore[union-attr]
        for name in MACHINE_TEXTS
    }
    machine, _ = Machine.objects.get_or_create(
        fingerprint=fingerprint,
        defaults=known
        | {
            "arch": arch,
            "vcpus": facts.get("vcpus"),
            "memory_mb": facts.get("memory_mb"),
            "page_size_bytes": facts.get("page_size_bytes"),
            "backend": sandbox,
            "emulated": emulated,
            "facts": facts,
        },
    )
    return machine


def too_good(held: Result, values: Mapping[str, Any]) -> str:
    """Why a speedup is kept out of aggregates until an operator has reviewed it; empty: it is not.

    Compared with what the machine can do, as far as that was measured, and with the best known of that kernel, architecture and
    measurement, once our own tuned baseline is known there.
    Private answers are no part of it: a flag on a public page must not tell of them.
    """
    speedup = counted_of(values)
    if not values["passed"] or values["emulated"] or values["double"] or speedup is None:
        return ""
    known = comparable(held, values)
    baselines = known.filter(model__kind=LanguageModel.Kind.BASELINE)
    over = over_limit(held, values["throughput_m"], baselines.aggregate(best=Max("throughput_m"))["best"])
    if over or not baselines.filter(model__name="tuned").exists():
        return over
    best = known.aggregate(best=Max(COUNTED_SPEEDUP))["best"]
    if speedup <= settings.TOO_GOOD * max(best, NEEDS_TO_BEAT):
        return ""
    return f"{speedup:.4g}x is more than {settings.TOO_GOOD:g} times the best known, {best:.4g}x."


def too_much_data(held: Result, values: Mapping[str, Any]) -> str:
    """Why an answer is read by a person before it counts, that brings more data than the kernel needs; empty: it does not.

    A kernel whose inputs are scalars asks for so few different results that a table of them fits into a source. What the fast
    baseline needs for code and constants is the measure; where it is not known yet, CONST_KB alone.
    """
    size = values["const_kb"]
    if not values["passed"] or size is None or not takes_scalars_only(held.kernel):
        return ""
    tuned = comparable(held, values).filter(model__kind=LanguageModel.Kind.BASELINE, model__name="tuned")
    usual = tuned.aggregate(most=Max("const_kb"))["most"] or 0.0
    if size < usual + settings.CONST_KB:
        return ""
    return (
        f"Its code and constants take {size:.1f} kB, {size - usual:.1f} kB more than the tuned baseline's; "
        f"the kernel's inputs are scalars, so {settings.CONST_KB:g} kB can hold results: look for a table of them."
    )


def takes_scalars_only(kernel: Kernel) -> bool:
    return "*" not in kernel.signature


def comparable(held: Result, values: Mapping[str, Any]) -> ResultQuerySet:
    """Public, trusted, passed results that were measured as this one is."""
    known = Result.objects.done().public().native().trusted()
    return known.filter(kernel=held.kernel, arch=held.arch, measurement=values["measurement"], passed=True)


def over_limit(held: Result, throughput_m: float | None, reached_m: float | None) -> str:
    """Why a throughput is more than the machine can do; empty: it is not. reached_m: what our own baselines reached there.

    The measured limit is not a wall: inputs that stay in a cache beat the bandwidth of memory. What our own code has reached is
    possible, and OVER_LIMIT leaves room for noise.
    """
    limit = limits_of(held.kernel, [held.arch]).get(held.arch)
    if limit is None or throughput_m is None or throughput_m <= settings.OVER_LIMIT * max(limit.throughput_m, reached_m or 0.0):
        return ""
    return f"{throughput_m:.4g} M/s is {throughput_m / limit.throughput_m:.3g} times the machine's limit ({limit.kind})."

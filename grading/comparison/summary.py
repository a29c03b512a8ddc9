"""Summarise the records of a comparison: per kernel and in all, what passes on one architecture only, and whether the two
machines compare at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grading.architectures import ARCHS
from grading.comparison.agreement import one_sided
from grading.comparison.ratios import Ratio, Value, geometric_mean, memory, ratios, side_of, throughput
from grading.comparison.subjects import ANSWER, KINDS, Subject

MACHINE_FACTS = (
    "cpu_model",
    "vcpus",
    "memory_mb",
    "kernel_release",
    "compiler",
    "flags",
    "libc",
    "page_size_bytes",
    "huge_pages",
)

Record = Mapping[str, Any]
Pair = Mapping[str, Record]  # one subject: architecture -> its record
Graded = Sequence[tuple[Subject, Pair]]


def summary(graded: Graded) -> dict[str, Any]:
    """Plain JSON. `kernels` and `overall` have a row for each kind of code: reference, tuned, answer; `models` one per model."""
    kernels = list(dict.fromkeys(subject.kernel for subject, _ in graded))
    models = list(dict.fromkeys(subject.model for subject, _ in graded if subject.kind == ANSWER))
    return {
        "kernels": [
            {"kernel": kernel} | row
            for kernel in kernels
            for row in _rows([(subject, pair) for subject, pair in graded if subject.kernel == kernel])
        ],
        "overall": _rows(graded),
        "models": [
            {"model": model} | _row(ANSWER, [(subject, pair) for subject, pair in graded if subject.model == model])
            for model in models
        ],
        "verdicts": {arch: dict(Counter(pair[arch]["verdict"] for _, pair in graded if arch in pair)) for arch in ARCHS},
        "one_sided": listed_one_sided(graded),
        "machines": machines(pair for _, pair in graded),
        "vcpus": vcpus(pair for _, pair in graded),
        "emulated": [arch for arch in ARCHS if any(pair[arch]["emulated"] for _, pair in graded if arch in pair)],
    }


def listed_one_sided(graded: Graded) -> list[dict[str, Any]]:
    """What passes on one architecture only, and why it fails on the other."""
    found = []
    for subject, pair in graded:
        if one := one_sided({arch: side_of(record) for arch, record in pair.items()}):
            found.append(
                {
                    **{name: getattr(subject, name) for name in ("identity", "kind", "model", "kernel", "rollout")},
                    "passed_on": one.passed_on,
                    "failed_on": one.failed_on,
                    "verdict": one.verdict,
                    "detail": pair[one.failed_on]["detail"],
                    "note": one.note,
                }
            )
    return found


def machines(pairs: Iterable[Pair]) -> dict[str, list[dict[str, Any]]]:
    """{architecture: its machines, each with how many gradings it did}: more than one, and the ratios are of a mixture."""
    counted: dict[str, Counter[tuple[tuple[str, Any], ...]]] = {arch: Counter() for arch in ARCHS}
    for pair in pairs:
        for arch, record in pair.items():
            if machine := record["machine"]:
                facts = {name: machine.get(name) for name in MACHINE_FACTS}
                counted[arch][(*facts.items(), ("sandbox", record["sandbox"]), ("emulated", record["emulated"]))] += 1
    return {arch: [dict(facts) | {"gradings": n} for facts, n in found.most_common()] for arch, found in counted.items()}


def vcpus(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Equal numbers of vCPUs are what makes two rented machines comparable; `equal` is null where one is not known."""
    found: dict[str, set[int]] = {arch: set() for arch in ARCHS}
    for pair in pairs:
        for arch, record in pair.items():
            if (number := record["machine"].get("vcpus")) is not None:
                found[arch].add(number)
    known = all(found.values())
    return {arch: sorted(numbers) for arch, numbers in found.items()} | {
        "equal": len(set.union(*found.values())) == 1 if known else None
    }


def _rows(graded: Graded) -> list[dict[str, Any]]:
    rows = []
    for kind in KINDS:
        own = [(subject, pair) for subject, pair in graded if subject.kind == kind]
        if own:
            rows.append(_row(kind, own))
    return rows


def _row(kind: str, graded: Graded) -> dict[str, Any]:
    strata: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for subject, pair in graded:
        strata[subject.model, subject.kernel].append(pair)
    sides = [[{arch: side_of(record) for arch, record in pair.items()} for pair in pairs] for pairs in strata.values()]
    found = ratios(sides, baselines=kind != ANSWER)
    return {
        "code": kind,
        "graded": {arch: sum(arch in pair for _, pair in graded) for arch in ARCHS},
        "passed": {arch: sum(bool(pair[arch]["passed"]) for _, pair in graded if arch in pair) for arch in ARCHS},
        "throughput_m": _plain(found.throughput, throughput, graded),
        "extra_mb": _plain(found.memory, memory, graded),
    }


def _plain(found: Ratio, value: Value, graded: Graded) -> dict[str, Any]:
    """As JSON. Where nothing passed on both, the means are over what passed on each, and there is no ratio."""
    means = {"amd64": found.amd64, "arm64": found.arm64}
    if not found.pairs:
        means = {arch: geometric_mean([value(side_of(pair[arch])) for _, pair in graded if arch in pair]) for arch in ARCHS}
    low_and_high = {"ratio_low": found.ratio.low, "ratio_high": found.ratio.high}
    return {**means, "ratio": found.ratio.value, **low_and_high, "pairs": found.pairs}

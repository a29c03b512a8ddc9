"""Where a subject passes: on both architectures, on one only, or on neither. The site, its report and `arch_compare` ask here, so
that they say the same of the same answers. Verdicts compare under emulation too."""

from __future__ import annotations

from dataclasses import dataclass

from grading.architectures import ARCHS
from grading.comparison.ratios import Pair, memory
from grading.result import Verdict

BOTH, NEITHER = "both", "neither"


@dataclass(frozen=True, kw_only=True)
class OneSided:
    """A subject that passed on one architecture only, and what it got on the other."""

    passed_on: str
    failed_on: str
    verdict: str  # on the other
    emulated: bool  # either of the two
    note: str  # a sentence, if the difference may be one between the sandboxes rather than the architectures


def agreement(pair: Pair) -> str | None:
    """BOTH, NEITHER, or the one architecture on which it passes. None: it was not graded on both."""
    if not all(arch in pair for arch in ARCHS):
        return None
    passed = [arch for arch in ARCHS if pair[arch].passed]
    return BOTH if len(passed) == len(ARCHS) else passed[0] if passed else NEITHER


def one_sided(pair: Pair) -> OneSided | None:
    passed_on = agreement(pair)
    if passed_on not in ARCHS:
        return None
    (failed_on,) = (arch for arch in ARCHS if arch != passed_on)
    return OneSided(
        passed_on=passed_on,
        failed_on=failed_on,
        verdict=pair[failed_on].verdict,
        emulated=any(pair[arch].emulated for arch in ARCHS),
        note=_note(pair, passed_on, failed_on),
    )


def _note(pair: Pair, passed_on: str, failed_on: str) -> str:
    """Where memory is not measured, nothing can be over its limit."""
    if pair[failed_on].verdict != Verdict.MEMORY_LIMIT or memory(pair[passed_on]) is not None:
        return ""
    return f"Memory is not measured on {passed_on}{', which is emulated' if pair[passed_on].emulated else ''}."

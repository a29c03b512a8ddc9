"""What a reader has to know of a result before comparing it: a word for tables, a sentence, a filter."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from django.db.models import Count, F, Q

from leaderboard.models import Result
from leaderboard.models.querysets import ResultQuerySet

NOISY = 0.10  # width of the speedup's interval, as a share of the speedup
UNSTEADY = 0.05  # by which the reference's median time moved from the first third of the rounds to the last

EMULATED = "emulated"
UNRESOLVED = "unresolved"


class Mark(NamedTuple):
    """One of them. Where it does not count, `trusted()`, `native()` or `up_to_date()` of ResultQuerySet leaves it out."""

    word: str
    text: str  # the one wording: legends have it as it is, an answer's page with the reason of that answer
    holds: Callable[[Result], bool]
    condition: Q | None = None  # the same for the database, where it can tell: readers may leave such results out
    counts: bool = True
    reason: Callable[[Result], str] = lambda result: ""  # what follows the text on an answer's page


def unsteady(samples: Mapping[str, object] | None) -> bool:
    """Whether the reference's median over the first third of the rounds and over the last are further apart than UNSTEADY."""
    times = (samples or {}).get("reference_ns")
    if not isinstance(times, list | tuple) or len(times) < 9:
        return False
    third = len(times) // 3
    first, last = statistics.median(times[:third]), statistics.median(times[-third:])
    return bool(abs(last - first) > UNSTEADY * first)


def _noisy(result: Result) -> bool:
    low, high = result.speedup_low, result.speedup_high
    return bool(result.passed and result.speedup and low and high and high > low + NOISY * result.speedup)


def _unsteady(result: Result) -> bool:
    """Only where the samples are at hand: lists do without them."""
    return bool("samples" not in result.get_deferred_fields() and result.passed and unsteady(result.samples))


MARKS = (
    Mark(
        "invalid",
        "declared invalid by a person",
        lambda result: result.invalidated,
        Q(invalidated=True),
        counts=False,
        reason=lambda result: f": {result.invalid_reason or 'no reason given'}",
    ),
    Mark(
        "flagged",
        "too good to be counted before an operator has reviewed it, or of so much data that results may be among them",
        lambda result: result.flagged,
        Q(flagged=True),
        counts=False,
        reason=lambda result: f". {result.flag_note}" if result.flag_note else "",
    ),
    Mark(
        EMULATED,
        "measured under emulation: it tells whether the answer is right, not how fast it is",
        lambda result: result.emulated,
        Q(emulated=True),
        counts=False,
    ),
    Mark(
        "outdated",
        "measured before the kernel or the harness changed",
        lambda result: result.measurement != result.kernel.measurement,
        ~Q(measurement=F("kernel__measurement")),
        counts=False,
        reason=lambda result: (
            f" (measurement {result.measurement}; the kernel is at {result.kernel.measurement} now): not comparable"
        ),
    ),
    Mark(
        "noisy",
        "its interval is wider than 10 % of the speedup: rounds or processes differed that much",
        _noisy,
        Q(passed=True, speedup_high__gt=F("speedup_low") + NOISY * F("speedup")),
    ),
    Mark(
        "drifting",
        "its machine was not as fast as earlier ones of its kind when it was calibrated",
        lambda result: result.drifting,
        Q(drifting=True),
    ),
    Mark(
        "first-call",
        "what it keeps from one call makes later ones cheap: its time is that of first calls in fresh processes",
        lambda result: bool(result.first_call),
        Q(first_call=True),
    ),
    Mark(
        UNRESOLVED,
        "its time is at the clock's limit: ranks, scores and means use the lower end of its interval",
        lambda result: bool(result.unresolved),
        Q(unresolved=True),
    ),
    Mark(
        "unsteady",
        "the reference became faster or slower by more than 5 % during the rounds: the machine was not steady",
        _unsteady,
    ),
)
WORDS = {mark.word: mark.text for mark in MARKS}
MEANINGS = {mark.word: f"{mark.text}; it counts" if mark.counts else mark.text for mark in MARKS}
CONDITIONS = {mark.word: mark.condition for mark in MARKS if mark.condition is not None}  # a selection's `hide`
COUNTED = tuple(mark.word for mark in MARKS if mark.counts)
NOT_COUNTED = tuple(mark.word for mark in MARKS if not mark.counts)
DOUBTFUL = tuple(mark.word for mark in MARKS if mark.counts and mark.condition is not None)  # a reader may leave them out


def marks(result: Result) -> list[str]:
    """Short words for tables. The result needs its kernel."""
    return [mark.word for mark in MARKS if mark.holds(result)]


def explanations(result: Result) -> list[str]:
    """The marks of a result as sentences, in the words of the legends, with the reasons that people gave."""
    held = [mark for mark in MARKS if mark.holds(result)]
    return [f"{mark.text[0].upper()}{mark.text[1:]}{mark.reason(result).rstrip('.')}." for mark in held]


def without(hidden: Iterable[str]) -> Q:
    """A condition on results that leaves out what has one of these marks."""
    condition = Q()
    for word in hidden:
        condition &= ~CONDITIONS[word]
    return condition


def left_out(results: ResultQuerySet, words: Iterable[str]) -> dict[str, int]:
    """How many of these results have which of these marks, if any. An invalid one has that alone: it is never current."""
    counted = {word: Count("pk", filter=CONDITIONS[word] & Q(invalidated=word == "invalid")) for word in words}
    rows = results.done().filter(Q(is_current=True) | Q(invalidated=True))
    return {word: n for word, n in rows.aggregate(**counted).items() if n}

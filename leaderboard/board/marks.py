"""What a reader has to know of a result before comparing it: a word for tables, a sentence, a filter.

All but noisy, drifting and unsteady keep a result out of the summaries.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from django.db.models import F, Q

from leaderboard.models import Result

NOISY = 0.10  # width of the speedup's interval, as a share of the speedup
UNSTEADY = 0.05  # by which the reference's median time moved from the first third of the rounds to the last

NOT_COUNTED = ("invalid", "flagged", "emulated", "outdated")
# The one wording: legends have it as it is, an answer's page with the reasons of that answer.
WORDS = {
    "invalid": "declared invalid by a person",
    "flagged": "too good to be counted before an operator has reviewed it",
    "emulated": "measured under emulation: it tells whether the answer is right, not how fast it is",
    "outdated": "measured before the kernel or the harness changed",
    "noisy": "its interval is wider than 10 % of the speedup: rounds or processes differed that much",
    "drifting": "its machine was not as fast as earlier ones of its kind when it was calibrated",
    "unsteady": "the reference became faster or slower by more than 5 % during the rounds: the machine was not steady",
}
MEANINGS = {word: text if word in NOT_COUNTED else f"{text}; it counts" for word, text in WORDS.items()}
CONDITIONS = {
    "invalid": Q(invalidated=True),
    "flagged": Q(flagged=True),
    "emulated": Q(emulated=True),
    "outdated": ~Q(measurement=F("kernel__measurement")),
    "noisy": Q(passed=True, speedup_high__gt=F("speedup_low") + NOISY * F("speedup")),
    "drifting": Q(drifting=True),
}  # those that the database can tell: a selection's `hide`
DOUBTFUL = ("noisy", "drifting")  # they count, unless a reader leaves them out


def marks(result: Result) -> list[str]:
    """Short words for tables, unsteady only where the samples are at hand. The result needs its kernel."""
    return [word for word, holds in _marks(result).items() if holds]


def explanations(result: Result) -> list[str]:
    """The marks of a result as sentences, in the words of the legends, with the reasons that people gave."""
    reasons = {
        "invalid": f": {result.invalid_reason or 'no reason given'}",
        "flagged": f". {result.flag_note}" if result.flag_note else "",
        "outdated": f" (measurement {result.measurement}; the kernel is at {result.kernel.measurement} now): not comparable",
    }
    return [f"{WORDS[word][0].upper()}{WORDS[word][1:]}{reasons.get(word, '').rstrip('.')}." for word in marks(result)]


def without(hidden: Iterable[str]) -> Q:
    """A condition on results that leaves out what has one of these marks."""
    condition = Q()
    for word in hidden:
        condition &= ~CONDITIONS[word]
    return condition


def unsteady(samples: Mapping[str, object] | None) -> bool:
    """Whether the reference's median over the first third of the rounds and over the last are further apart than UNSTEADY."""
    times = (samples or {}).get("reference_ns")
    if not isinstance(times, list | tuple) or len(times) < 9:
        return False
    third = len(times) // 3
    first, last = statistics.median(times[:third]), statistics.median(times[-third:])
    return bool(abs(last - first) > UNSTEADY * first)


def _marks(result: Result) -> dict[str, bool]:
    known = "samples" not in result.get_deferred_fields()
    low, high = result.speedup_low, result.speedup_high
    return {
        "invalid": result.invalidated,
        "flagged": result.flagged,
        "emulated": result.emulated,
        "outdated": result.measurement != result.kernel.measurement,
        "noisy": bool(result.passed and result.speedup and low and high and high > low + NOISY * result.speedup),
        "drifting": result.drifting,
        "unsteady": bool(known and result.passed and unsteady(result.samples)),
    }

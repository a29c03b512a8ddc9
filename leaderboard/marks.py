"""What keeps a result out of the summaries, in one word each and in a sentence."""

from __future__ import annotations

from leaderboard.models import Result


def marks(result: Result) -> list[str]:
    """Short words for tables; empty for a result that counts. The result needs its kernel at hand."""
    return [word for word, holds in _marks(result).items() if holds]


def explanations(result: Result) -> list[str]:
    """The same as sentences, with the reasons that people gave."""
    sentences = {
        "invalid": f"Declared invalid by a person: {result.invalid_reason or 'no reason given'}.".replace("..", "."),
        "flagged": "Too good to be counted before a person has looked at it."
        + (f" {result.flag_note}" if result.flag_note else ""),
        "emulated": "Measured under emulation: it tells whether the answer is right, not how fast it is.",
        "outdated": f"Measured as {result.measurement}; the kernel is at {result.kernel.measurement} now: they do not compare.",
    }
    return [sentences[word] for word in marks(result)]


def _marks(result: Result) -> dict[str, bool]:
    return {
        "invalid": result.invalidated,
        "flagged": result.flagged,
        "emulated": result.emulated,
        "outdated": result.measurement != result.kernel.measurement,
    }

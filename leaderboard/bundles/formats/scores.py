"""Scores that the run itself reported of an answer: kept for comparison, never used for anything else."""

from __future__ import annotations

import math
from typing import Any

from leaderboard.bundles.formats.base import Row, table
from leaderboard.bundles.runs import first_text
from leaderboard.lib.text import clean

MAX_NAMES = 40  # names
NAME_LENGTH = 60

Scores = dict[str, float | str]


def reported_scores(rewards: Any, metrics: Any, grade: Any = None, data: Any = None) -> Scores:
    """Rewards before metrics; our own environment's verdict, and the architecture that it asked for. Only what is finite."""
    texts = {"verdict": first_text(table(grade).get("verdict")), "arch": first_text(table(data).get("arch"))}
    found: Scores = {name: clean(text)[:NAME_LENGTH] for name, text in texts.items() if text}
    for values in (table(rewards), table(metrics)):
        for name, value in values.items():
            number = _number(value.get("score") if isinstance(value, dict) else value)
            if number is not None and len(found) < MAX_NAMES:
                found.setdefault(clean(str(name))[:NAME_LENGTH], number)
    return found


def scores_of_trace(trace: Row, task: Row) -> Scores:
    """verifiers 0.2 has a reward as a number, 0.3 and 0.4 as an object with its weight."""
    return reported_scores(trace.get("rewards"), trace.get("metrics"), table(trace.get("info")).get("grade"), task.get("data"))


def _number(value: Any) -> float | None:
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None

"""Members of a JSON object of unknown origin, each of the type that it must have; ValueError for any other."""

from __future__ import annotations

from typing import Any

from grading.text import clean

MOST = 2.0**53  # whole numbers up to here are exact; no time, size or count of ours comes near


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST:  # NaN is neither
        raise ValueError(f"{str(value)[:40]} is not a number that can be")
    return float(value)


def amount(value: Any) -> float | None:
    """Returns the number, which may not be negative, or None."""
    if value is not None and number(value) < 0:
        raise ValueError(f"{value!r} is negative")
    return None if value is None else float(value)


def flag(value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{value!r} is not a flag")
    return value


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return value


def names(value: Any) -> set[str]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return {clean(text(name), 40) for name in value}


def table(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not an object")
    return value

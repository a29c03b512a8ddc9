"""Numbers and times as text: three significant digits, the unit beside them, an en dash where there is none."""

from __future__ import annotations

import math
from datetime import UTC, datetime

MISSING = "–"
THIN = "\u202f"  # narrow no-break space, before %
NO_BREAK = "\u00a0"


def three_digits(value: float | None) -> str:
    """12.1, 0.842, 1,204; a true zero is 0."""
    if value is None or not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    return f"{rounded:.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}"  # 9.996 is 10.0, not 10.00


def times(value: float | None) -> str:
    """A ratio: 12.1×."""
    return MISSING if value is None else f"{three_digits(value)}×"


def score(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def percent(value: float | None) -> str:
    """A share as whole per cent; below 10 % with one decimal, so that 0.4 % is not 0."""
    if value is None:
        return MISSING
    digits = 1 if 0 < value < 0.0995 else 0
    return f"{100 * value:.{digits}f}{THIN}%"


def mib(value: float | None) -> str:
    """MiB with three decimals below ten: a page is 0.004."""
    if value is None:
        return MISSING
    return f"{value:.3f}" if abs(value) < 9.9995 else f"{value:,.1f}"


def milliseconds(value: float | None) -> str:
    return MISSING if value is None else f"{three_digits(value)}{NO_BREAK}ms"


def signed(value: float | None, digits: int) -> str:
    """A difference: +0.12, −3, 0.00."""
    if value is None:
        return MISSING
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def span(low: float | None, high: float | None, unit: float = 1.0, digits: int | None = None) -> str:
    """An interval: 9.2–15.1; empty where there is none. `digits` fixes the decimals."""
    if low is None or high is None:
        return ""
    if digits is None:
        return f"{three_digits(low * unit)}–{three_digits(high * unit)}"
    return f"{low * unit:.{digits}f}–{high * unit:.{digits}f}"


def duration(seconds: float | None) -> str:
    """14 s, 41 min, 1 h 16 min."""
    if seconds is None:
        return MISSING
    whole = max(0, round(seconds))
    if whole < 120:
        return f"{whole}{NO_BREAK}s"
    minutes = round(whole / 60)
    if minutes < 120:
        return f"{minutes}{NO_BREAK}min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours}{NO_BREAK}h {minutes}{NO_BREAK}min"
    return f"{round(hours / 24)}{NO_BREAK}days"


def day(moment: datetime) -> str:
    """27 Nov 2026, of UTC."""
    there = moment.astimezone(UTC)
    return f"{there.day} {there:%b %Y}"


def utc(moment: datetime | None) -> str:
    """27 Nov 2026, 14:02 UTC."""
    if moment is None:
        return MISSING
    there = moment.astimezone(UTC)
    return f"{there.day} {there:%b %Y, %H:%M} UTC"

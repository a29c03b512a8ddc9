"""Numbers, times and verdicts in templates; the formats are leaderboard/lib/formatting.py's."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from grading import scoring
from leaderboard.board import verdicts
from leaderboard.board.roofline import Limit
from leaderboard.lib import formatting

register = template.Library()

for function in (
    formatting.three_digits,
    formatting.times,
    formatting.percent,
    formatting.mib,
    formatting.milliseconds,
    formatting.duration,
    formatting.score,
):
    register.filter(function.__name__, function)


@register.simple_tag
def score_words() -> str:
    """How a passed answer is scored."""
    return scoring.SCORE_WORDS


@register.simple_tag
def span(low: float | None, high: float | None) -> str:
    return formatting.span(low, high)


@register.simple_tag
def span_percent(low: float | None, high: float | None) -> str:
    return formatting.span(low, high, unit=100, digits=0)


@register.simple_tag
def span_score(low: float | None, high: float | None) -> str:
    return formatting.span(low, high, digits=2)


@register.filter
def signed(value: float | None, digits: int = 2) -> str:
    return formatting.signed(value, digits)


@register.filter
def signed_percent(value: float | None) -> str:
    return formatting.MISSING if value is None else f"{formatting.signed(100 * value, 0)}{formatting.THIN}%"


@register.simple_tag
def span_signed(low: float | None, high: float | None, digits: int, unit: float = 1.0) -> str:
    """From −0.10 to +0.32: an en dash would be read as a minus."""
    if low is None or high is None:
        return ""
    return f"{formatting.signed(unit * low, digits)} to {formatting.signed(unit * high, digits)}"


@register.filter
def at_95(interval: str, without: str) -> str:
    """An interval with its level in front, or the words for a figure that has none."""
    return f"95 %: {interval}" if interval else without


@register.filter
def utc(moment: datetime | None) -> str | SafeString:
    """A time element in UTC; a script shows it in the reader's zone."""
    if moment is None:
        return formatting.MISSING
    iso = moment.astimezone(UTC).isoformat(timespec="seconds")
    return format_html('<time datetime="{}">{}</time>', iso, formatting.utc(moment))


@register.filter
def share_of(throughput_m: float | None, limit: Limit) -> float | None:
    return limit.share(throughput_m)


@register.filter
def verdict(name: str) -> str | SafeString:
    """✓ passed, ✕ wrong_answer, ◌ internal_error."""
    if not name:
        return formatting.MISSING
    sign, kind = {verdicts.PASSED: ("✓", "pass"), verdicts.INTERNAL_ERROR: ("◌", "wait")}.get(name, ("✕", "fail"))
    return format_html('<span class="tag {}">{} {}</span>', kind, sign, name)


@register.filter
def item(mapping: dict[object, object], key: object) -> object:
    return mapping.get(key)


@register.simple_tag
def static_if_there(path: str) -> str:
    """The address of a static file that setup fetches, or nothing where it did not: the page then says so itself."""
    try:
        address = static(path)
    except ValueError:  # the manifest has no such file
        return ""
    collected = hasattr(staticfiles_storage, "manifest_name") and not settings.DEBUG  # and it is in the manifest
    return address if collected or finders.find(path) else ""

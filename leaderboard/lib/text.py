"""Text from outside, made fit for any database."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

UNFIT = re.compile("[\0\ud800-\udfff]")  # characters that PostgreSQL, UTF-8 or both do not take
_TURNING = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}


def isolated(name: str) -> str:
    """The name so that a direction in it (Arabic, or a mark that turns text around) ends with it: for texts without markup."""
    turns = any(unicodedata.bidirectional(sign) in _TURNING for sign in name)
    return f"\u2068{name}\u2069" if turns else name


def listed(words: Sequence[str]) -> str:
    """As a sentence has them: "noisy, drifting and unsteady"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def clean(text: str) -> str:
    """The text without what PostgreSQL or UTF-8 refuses: NUL and lone surrogates become U+FFFD."""
    return UNFIT.sub("\ufffd", text)


def shorten(text: str, length: int) -> str:
    """At most `length` characters, the last an ellipsis where something was cut off."""
    return text if len(text) <= length else text[: length - 1] + "…"

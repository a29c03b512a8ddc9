"""Text from outside, made fit for any database."""

from __future__ import annotations

import re

_UNFIT = re.compile("[\0\ud800-\udfff]")


def clean(text: str) -> str:
    """Without what PostgreSQL or UTF-8 refuses: NUL and lone surrogates become U+FFFD."""
    return _UNFIT.sub("\ufffd", text)


def shorten(text: str, length: int) -> str:
    """At most `length` characters, the last an ellipsis where something was cut off."""
    return text if len(text) <= length else text[: length - 1] + "…"

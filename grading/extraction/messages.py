"""Which parts of a chat message are the reply."""

from __future__ import annotations

from typing import Any

THOUGHTS = ("reason", "think", "thought")  # in the type of a part: reasoning, thinking, redacted_thinking, ...


def is_said(part_type: Any) -> bool:
    """Whether a part of this type is what a model said, not what it thought. A part without a type is said."""
    return not (isinstance(part_type, str) and any(word in part_type.lower() for word in THOUGHTS))

"""The key of an endpoint: taken from the environment, put into a header, and shown nowhere."""

from __future__ import annotations

import os
import re
from typing import Any

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HIDDEN = "[key]"
SHORTEST = 6  # shorter ones (the dummy keys of local servers) would be cut out of ordinary words


class BadKey(Exception):
    """The variable does not hold a usable key. The message never repeats what was given: it may be the key itself."""


class Secret:
    """Never printed: neither by itself, nor in a traceback's values, nor by way of a text that repeats it."""

    def __init__(self, value: str = "") -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        raise TypeError("a key is not stored")

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def hidden_in(self, value: Any) -> Any:
        """The JSON value without the key in any of its texts: some services repeat it in their errors."""
        if isinstance(value, str):
            return value.replace(self._value, HIDDEN) if len(self._value) >= SHORTEST else value
        if isinstance(value, dict):
            return {self.hidden_in(key): self.hidden_in(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.hidden_in(item) for item in value]
        return value


def key_from(variable: str) -> Secret:
    """The key in an environment variable; "" is for an endpoint that wants none. Raises BadKey."""
    if not variable:
        return Secret()
    if not NAME.fullmatch(variable):
        raise BadKey("--api-key-var takes the name of an environment variable, such as OPENAI_API_KEY, not the key")
    value = os.environ.get(variable, "").strip()
    if not value:
        raise BadKey("the environment variable that --api-key-var names is not set, or empty")
    if not value.isascii() or not value.isprintable() or " " in value:
        raise BadKey("the environment variable that --api-key-var names contains characters that no key has")
    return Secret(value)

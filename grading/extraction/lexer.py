"""Where comments and literals of a C text begin and end. The text may also be prose, in which quotes are apostrophes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

STARTS = r"""//|/\*|(?<![\w$])(?:u8|[uUL])?R"|["']"""
_START = re.compile(STARTS)
_STRING = re.compile(r'"(?:[^"\\\n]|\\[\s\S])*+')
# A character, or a few; longer ones, and those with a tag, stand between two apostrophes of prose.
_CHARACTER = re.compile(r"'(?:(?!</?(?:answer|think)>)[^'\\\n]|\\[\s\S]){0,16}+'")
_RAW = re.compile(r'\w*"(?P<mark>[^\s()\\"]{0,16})\(')
RAW_FAILURES = 20  # raw strings without an end that are looked for: each takes a look at the rest of the text


@dataclass(frozen=True, slots=True)
class Span:
    """A comment or a literal: text[start:end]."""

    start: int
    end: int
    kind: str  # how it begins: //, /*, " or '


class Lexer:
    """Goes forward through one text. What it has found is remembered, so that to begin again further on costs nothing."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: tuple[int, Span | None] = (0, Span(-1, -1, ""))  # from where the next span was looked for, and what it is
        self._closed: tuple[int, int] = (1, 0)  # the same of */
        self._open_line: tuple[int, int] = (1, 0)  # the text in which a " is known not to be closed
        self._raw_failures = 0

    def spans(self, position: int = 0) -> Iterator[Span]:
        """From `position` on, which lies in code."""
        while span := self._next(position):
            yield span
            position = span.end

    def _next(self, position: int) -> Span | None:
        since, span = self._found
        if not (since <= position and (span is None or position <= span.start)):
            span = self._search(position)
            self._found = (position, span)
        return span

    def _search(self, position: int) -> Span | None:
        while start := _START.search(self.text, position):
            kind = start[0]
            if (end := self.end_of(start.start(), kind)) is not None:
                return Span(start.start(), end, kind)
            position = start.end()
        return None

    def end_of(self, start: int, kind: str) -> int | None:
        """Where it ends; None where nothing closes it, so that it is an apostrophe, or a glob in prose."""
        if kind == "//":
            return self._end_of_line(start)
        if kind == "/*":
            return self._end_of_comment(start + 2)
        if "R" in kind and (end := self._end_of_raw(start)) is not None:
            return end
        quote = start + len(kind) - 1
        return self._end_of_string(quote) if self.text[quote] == '"' else self._end_of_character(quote)

    def _end_of_line(self, position: int) -> int:
        """A backslash at its end takes the next line along."""
        while (newline := self.text.find("\n", position)) >= 0:
            last = newline - 1
            while last >= position and self.text[last] in " \t":
                last -= 1
            if last < position or self.text[last] != "\\":
                return newline
            position = newline + 1
        return len(self.text)

    def _end_of_comment(self, position: int) -> int | None:
        since, found = self._closed
        if not since <= position <= found:
            found = self.text.find("*/", position)
            found = len(self.text) if found < 0 else found
            self._closed = (position, found)
        return None if found >= len(self.text) else found + 2

    def _end_of_character(self, start: int) -> int | None:
        match = _CHARACTER.match(self.text, start)
        return match.end() if match else None

    def _end_of_string(self, start: int) -> int | None:
        since, until = self._open_line
        if since <= start < until:
            return None
        match = _STRING.match(self.text, start)
        assert match
        end = match.end()
        if self.text[end : end + 1] == '"':
            return end + 1
        self._open_line = (start, max(end, start + 1))
        return None

    def _end_of_raw(self, start: int) -> int | None:
        match = _RAW.match(self.text, start)
        if match is None or self._raw_failures >= RAW_FAILURES:
            return None
        closing = f'){match["mark"]}"'
        end = self.text.find(closing, match.end())
        if end < 0:
            self._raw_failures += 1
            return None
        return end + len(closing)


class Spans:
    """Whether a place lies in a comment or a literal, for places that are asked about from front to back."""

    def __init__(self, lexer: Lexer, start: int) -> None:
        self._spans = lexer.spans(start)
        self._span = next(self._spans, None)

    def around(self, position: int) -> Span | None:
        while self._span and self._span.end <= position:
            self._span = next(self._spans, None)
        return self._span if self._span and self._span.start < position else None

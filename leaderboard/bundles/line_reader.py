"""A file of lines, one at a time, whatever their length."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from leaderboard.bundles.types import Member

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    data: bytes | None  # None: longer than allowed
    is_blank: bool = False
    is_unended: bool = False  # the file ends within it


def lines_of(member: Member, limit: int) -> Iterator[Line]:
    """Byte order marks and CRLF are taken off. A file in UTF-16 is one line: its bytes mean nothing here."""
    with member.opened() as file:
        number = 0
        while data := file.readline(limit + 1):
            number += 1
            if number == 1 and data.startswith(UTF_16):
                yield Line(1, data[:100])
                return
            is_ended = data.endswith(b"\n")
            if len(data) > limit and not is_ended:
                while (rest := file.readline(1 << 20)) and not rest.endswith(b"\n"):
                    pass
                yield Line(number, None)
                continue
            data = data.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n")
            yield Line(number, data, is_blank=not data.strip(), is_unended=not is_ended)

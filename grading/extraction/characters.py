"""What the way of a text has done to its characters: undone, where it cannot be C."""

from __future__ import annotations

import re

from grading.extraction.lexer import Lexer

BYTE_ORDER_MARK = "\ufeff"
ENTITY = re.compile(r"&(?P<name>lt|gt|amp|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "}
END_OF_TURN = re.compile(r"(?:<\|\w{1,40}\|>|<\uff5c[^<>\n]{1,40}\uff5c>|<end_of_turn>|<eos>|</s>)\Z")
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
ODD = re.compile(f"[{SPACES}{INVISIBLE}]")
PLAIN = dict.fromkeys(map(ord, SPACES), " ") | dict.fromkeys(map(ord, INVISIBLE))


def plain(text: str) -> str:
    """CRLF and a byte order mark undone: in C as in a reply."""
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")


def tidy(text: str) -> str:
    """The C between tags or fences, without what only surrounds it. Empty if nothing is left."""
    text = unended(undo_entities(text).strip().removeprefix(BYTE_ORDER_MARK))
    return plain_spaces(text) if text.strip() else ""


def unended(text: str) -> str:
    """The text without the end-of-turn tokens at its end, and the blanks before them."""
    end = _before_blanks(text, len(text))
    while ending := END_OF_TURN.search(text, max(0, end - 100), end):
        end = _before_blanks(text, ending.start())
    return text[:end]


def _before_blanks(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end


def undo_entities(text: str) -> str:
    """Undo one layer of HTML escaping, but only where the text has no `<` and no `&` of its own, as nearly all C has."""
    if "<" in text or text.count("&") != len(ENTITY.findall(text)):
        return text
    return ENTITY.sub(lambda match: _character(match["name"]), text)


def plain_spaces(text: str) -> str:
    """Spaces of typesetters become plain ones, invisible characters go: outside of comments and literals, where C knows none."""
    if not ODD.search(text):
        return text
    parts, position = list[str](), 0
    for span in Lexer(text).spans():
        parts += (text[position : span.start].translate(PLAIN), text[span.start : span.end])
        position = span.end
    return "".join([*parts, text[position:].translate(PLAIN)])


def _character(name: str) -> str:
    if name in NAMED:
        return NAMED[name]
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"

"""Find the C in a reply: a pure function, no opinion on whether the C is any good.

The rule, which docs/record.md has for readers. Nothing inside <think>...</think>, or after a <think> that is never closed, or
before a </think> that nothing opened, is an answer. Of the complete, non-empty <answer>...</answer> pairs that remain: the last
whose C defines the kernel's function, else the last. Inside it: the last fenced block that defines the function, else the last
block, else the text. A tag in a comment or a string of the C is no tag. CRLF, a byte order mark, HTML entities (where the text
cannot be C as it stands), typesetters' spaces and end-of-turn tokens are undone.

A text that is C already is taken as it is, but for CRLF and a byte order mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from grading.extraction.c_code import defines
from grading.extraction.characters import plain, tidy, unended
from grading.extraction.fences import unfenced
from grading.extraction.tags import answers, has_answer_tag


class Kind(StrEnum):
    """The kind of a text."""

    REPLY = "reply"  # the C stands between answer tags
    RAW = "raw"  # it is C
    AUTO = "auto"  # a reply if it has answer tags outside of C's comments and strings, else C


class AnswerFrom(StrEnum):
    """Which rule chose the C: the record's `answer_from`."""

    TEXT = "text"  # what stands between a pair of answer tags; it defines the function
    BLOCK = "block"  # a fenced block between them; it defines the function
    LAST_TEXT = "last_text"  # nothing defines the function: the last pair
    LAST_BLOCK = "last_block"  # nothing defines the function: the last block in the last pair
    RAW = "raw"  # the text was C already


@dataclass(frozen=True)
class Extracted:
    """The C of an answer, and which rule chose it; both None where there is no answer."""

    source: str | None = None
    answer_from: AnswerFrom | None = None


def extract(text: str, function: str, kind: Kind | str = Kind.REPLY) -> Extracted:
    """The C with which a text answers. function: the name that the kernel's answers define."""
    text = plain(text)
    if kind == Kind.RAW or (kind == Kind.AUTO and not has_answer_tag(text)):
        return Extracted(text, AnswerFrom.RAW) if text.strip() else Extracted()
    return _of_reply(text, function)


def _of_reply(reply: str, function: str) -> Extracted:
    last = Extracted()
    for body in reversed(answers(reply, lambda body: _inside(body, function)[1])):
        source, is_definition, in_block = _inside(body, function)
        if source and is_definition:
            return Extracted(source, AnswerFrom.BLOCK if in_block else AnswerFrom.TEXT)
        if source and last.source is None:
            last = Extracted(source, AnswerFrom.LAST_BLOCK if in_block else AnswerFrom.LAST_TEXT)
    return last


def _inside(body: str, function: str) -> tuple[str, bool, bool]:
    """The C in a pair of tags (empty: none), whether it defines the function, whether a fenced block holds it."""
    found = unfenced(unended(body), lambda part: defines(tidy(part), function))
    source = tidy(found.text)
    return source, bool(source) and defines(source, function), found.in_block

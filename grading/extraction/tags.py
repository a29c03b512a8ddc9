"""The answers of a reply: what stands between its tags, without what was only thought."""

from __future__ import annotations

import re
from collections.abc import Callable

from grading.extraction.lexer import STARTS, Lexer

OPENING, CLOSING = "<answer>", "</answer>"
THINK, THOUGHT = "<think>", "</think>"
TAG = re.compile(r"</?(?:answer|think)>")
_IN_ANSWER = re.compile(rf"</?(?:answer|think)>|{STARTS}")
AGAIN = 4  # times its length that a reply is gone through again, at most


def answers(reply: str, is_answer: Callable[[str], bool]) -> list[str]:
    """What stands in each complete pair of answer tags, in order. is_answer: whether a text defines the function."""
    return _Reply(reply, is_answer).answers()


def has_answer_tag(text: str) -> bool:
    """Whether the text, taken as C, has an answer tag: none in a comment or a string is one."""
    if OPENING not in text and CLOSING not in text:
        return False
    lexer, position = Lexer(text), 0
    while found := _IN_ANSWER.search(text, position):
        if found[0] in (OPENING, CLOSING):
            return True
        end = None if TAG.fullmatch(found[0]) else lexer.end_of(found.start(), found[0])
        position = found.end() if end is None else end
    return False


class _Reply:
    """One pass over a reply. Outside of answers every tag counts; inside, comments and strings of C hide tags."""

    def __init__(self, text: str, is_answer: Callable[[str], bool]) -> None:
        self.text, self.is_answer = text, is_answer
        self.lexer = Lexer(text)
        self.found = list[str]()
        self.left = AGAIN * len(text)

    def answers(self) -> list[str]:
        position = 0
        while tag := TAG.search(self.text, position):
            position = tag.end()
            if tag[0] == OPENING:
                position = self._answer(position)
            elif tag[0] == THINK:
                position = self._after_thought(position)
            elif tag[0] == THOUGHT:  # nothing opened it: a reply of which the prompt held the opening tag
                self.found.clear()
        return self.found

    def _after_thought(self, position: int) -> int:
        """One that is never closed goes to the end."""
        end = self.text.find(THOUGHT, position)
        return len(self.text) if end < 0 else end + len(THOUGHT)

    def _answer(self, begin: int) -> int:
        """An opening tag was read. Returns where to go on."""
        text, position = self.text, begin
        kept = [begin]  # where parts begin and end, in turns: thoughts inside of the answer are no part of it
        hidden = list[tuple[int, list[int]]]()  # closing tags in // comments: the first and the last, with the parts before
        hidden_thought: int | None = None
        while sign := _IN_ANSWER.search(text, position):
            position = sign.end()
            match sign[0]:
                case "</answer>":
                    self.found.append(self._joined(kept, sign.start()))
                    return position
                case "<answer>":
                    position = sign.start()
                    break
                case "</think>":
                    self.found.clear()
                    return position
                case "<think>":
                    position = self._after_thought(position)
                    kept += (sign.start(), position)
                case kind:
                    end = self.lexer.end_of(sign.start(), kind)
                    if end is None:
                        continue
                    position = end
                    if kind == "//":
                        hidden += ((place, list(kept)) for place in self._closings(sign.start(), end))
                        del hidden[1:-1]
                    if hidden_thought is None and (tag := re.compile("</?think>").search(text, sign.start(), end)):
                        hidden_thought = tag.start()
        else:
            position = len(text)
        return self._unclosed(hidden, hidden_thought, position)

    def _unclosed(self, hidden: list[tuple[int, list[int]]], thought: int | None, position: int) -> int:
        """The tag was not closed before `position`: prose that names it, or an answer that was cut off. Of C in one line `//` may
        stand before the closing tag: that counts if the function is defined before it."""
        for place, kept in hidden:
            body = self._joined(kept, place)
            if self._may_read(len(body)) and self.is_answer(body):
                self.found.append(body)
                return self._again(place + len(CLOSING), position)
        return position if thought is None else self._again(thought, position)

    def _again(self, place: int, position: int) -> int:
        return place if self._may_read(position - place) else position

    def _may_read(self, length: int) -> bool:
        self.left -= length
        return self.left >= 0

    def _closings(self, start: int, end: int) -> list[int]:
        first, last = self.text.find(CLOSING, start, end), self.text.rfind(CLOSING, start, end)
        return sorted({first, last} - {-1})

    def _joined(self, kept: list[int], end: int) -> str:
        edges = [*kept, end]
        return "".join(self.text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True))

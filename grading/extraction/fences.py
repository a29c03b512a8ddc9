"""Fenced blocks of an answer, as in CommonMark, and as models write them: also closed at the end of a line, as in }```"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass

from grading.extraction.characters import INVISIBLE, SPACES
from grading.extraction.lexer import Lexer, Spans

FENCE = re.compile(rf"(?:[^\S\n]|[{INVISIBLE}])*+(?P<marks>`{{3,}}|~{{3,}})(?P<info>.*)")
LANGUAGE = re.compile(r"[\w+#.-]+[^\S\n]*|\S+[^\S\n]*[{=].*")  # after a fence, where one line closes a block and opens the next
ONE_LINE = re.compile(r"(?:(?:c|C|cpp|c\+\+|C\+\+|h|text)[^\S\n]+)?(?P<block>[^`]*[^`\s])[^\S\n]*`{3,}[^\S\n]*")
DIFF = re.compile(r"\W*(?:diff|patch|udiff)\b", re.IGNORECASE)
LAYERS = 8  # of fences in fences: nobody nests them deeper, and a hostile reply shall not keep us busy


@dataclass(frozen=True)
class Found:
    text: str
    in_block: bool
    defines: bool


@dataclass(frozen=True)
class Block:
    text: str
    closed: bool = True
    is_diff: bool = False  # by its language: no C, though its lines may look like it


def unfenced(text: str, defines: Callable[[str], bool]) -> Found:
    """The last fenced block that defines the function, else the last block, else the text: out of all its layers."""
    chosen = _chosen(text, defines)
    for _ in range(LAYERS):
        if not chosen.in_block:
            break
        inner = _chosen(chosen.text, defines)
        if not inner.in_block or (chosen.defines and not inner.defines):
            break
        chosen = inner
    return chosen


def _chosen(text: str, defines: Callable[[str], bool]) -> Found:
    blocks, outside = _read(text, defines)
    full = [block for block in blocks if block.text.strip()]
    is_c = not full and defines(outside)
    if not full and not is_c and (blocks := _read(text, defines, comments=False)[0]):  # prose may hold a /*
        full = [block for block in blocks if block.text.strip()]
    for block in reversed(full):
        if not block.is_diff and defines(block.text):
            return Found(block.text, True, True)
    if not full or (not full[-1].closed and defines(outside)):  # that fence opens nothing, or closes what began before the tag
        return Found(outside, False, is_c or bool(full))
    return Found(full[-1].text, True, False)


def ended(line: str) -> str:
    """The text without the blanks at its end, invisible ones included."""
    return line.rstrip(string.whitespace + SPACES + INVISIBLE)


def _read(text: str, defines: Callable[[str], bool], *, comments: bool = True) -> tuple[list[Block], str]:
    reading = _Reading(text, defines, comments=comments)
    position = 0
    while position <= len(text):
        newline = text.find("\n", position)
        end = len(text) if newline < 0 else newline
        reading.line(position, end)
        position = end + 1
    reading.ends()
    return reading.blocks, "\n".join(reading.outside)


class _Reading:
    """Line by line. A block is open while `marks` is not empty."""

    def __init__(self, text: str, defines: Callable[[str], bool], *, comments: bool) -> None:
        self.text, self.defines, self.comments = text, defines, comments
        self.lexer = Lexer(text)
        self.blocks = list[Block]()
        self.outside = list[str]()
        self.marks = ""
        self.begin = 0  # of the block that is open
        self.is_diff = False
        self.spans: Spans | None = None  # from the beginning of this block, or of what is outside
        self.spans_from = 0
        self.passed_over = list[int]()  # fences at the end of a line, in comments: the first and the last

    def line(self, start: int, end: int) -> None:
        line = self.text[start:end]
        fence = FENCE.fullmatch(line)
        if not self.marks:
            self._outside(line, fence, start, end)
        elif fence and fence["marks"].startswith(self.marks) and "`" not in fence["info"]:
            self._close(start - 1, end + 1)
            if LANGUAGE.fullmatch(fence["info"]):
                self._open(fence["marks"], end + 1, fence["info"])
        elif ended(line).endswith(self.marks) and not fence:
            self._ends_with_fence(start, end, line)

    def _outside(self, line: str, fence: re.Match[str] | None, start: int, end: int) -> None:
        if fence is None or (self.comments and self._hides(start + fence.start("marks"), "/*")):
            self.outside.append(line)
        elif "`" in fence["marks"] and "`" in fence["info"]:  # inline code, unless it is all of the function
            block = ONE_LINE.fullmatch(fence["info"])
            if block and self.defines(block["block"]):
                self.blocks.append(Block(block["block"]))
            else:
                self.outside.append(line)
        else:
            self._open(fence["marks"], end + 1, fence["info"])

    def _ends_with_fence(self, start: int, end: int, line: str) -> None:
        place = start + len(ended(line).rstrip(self.marks[0]))
        if self._hides(place, "//", "/*", '"'):
            self.passed_over.append(place)
            del self.passed_over[1:-1]
        else:
            self._close(place, end + 1)

    def _hides(self, position: int, *kinds: str) -> bool:
        """Whether a comment (or a literal) of one of these kinds lies around it."""
        if self.spans is None:
            self.spans = Spans(self.lexer, self.spans_from)
        span = self.spans.around(position)
        return span is not None and span.kind in kinds

    def _open(self, marks: str, begin: int, info: str) -> None:
        self.marks, self.begin = marks, begin
        self.is_diff = DIFF.match(info) is not None
        self._restart(begin)

    def _close(self, end: int, position: int, *, closed: bool = True) -> None:
        self.blocks.append(Block(self.text[self.begin : max(self.begin, end)], closed, self.is_diff))
        self.marks = ""
        self._restart(position)

    def _restart(self, position: int) -> None:
        self.spans, self.spans_from = None, position
        self.passed_over.clear()

    def ends(self) -> None:
        """A block that is never closed goes to the end; or to a fence after a comment, if it defines the function by then."""
        if not self.marks:
            return
        for place in self.passed_over:
            if self.defines(self.text[self.begin : place]):
                self.outside.append(self.text[place:].lstrip(self.marks[0]))
                self._close(place, len(self.text))
                return
        self._close(len(self.text), len(self.text), closed=False)

"""From a reply to the C in it: pure functions, no opinion on whether the C is any good.

The rule: the last complete, non-empty <answer>...</answer>; inside it the last fenced block that is not empty, if there is one;
CRLF and a byte order mark undone, and HTML entities where the text cannot be C as it stands.
"""

from __future__ import annotations

import itertools
import re

TAG = re.compile(r"</?answer>")
FENCE = re.compile(r"[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>.*)")
LAYERS = 8  # of fences in fences: nobody nests them deeper, and a hostile reply shall not keep us busy
ENTITY = re.compile(r"&(?P<name>lt|gt|amp|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " "}
BYTE_ORDER_MARK = "\ufeff"


def extract_source(reply: str) -> str | None:
    """The C source a reply answers with, or None if it has no complete, non-empty answer."""
    for body in reversed(_answers(_plain(reply))):
        source = undo_entities(_last_fenced(body)).strip().removeprefix(BYTE_ORDER_MARK)
        if source.strip():
            return source
    return None


def clean_source(text: str) -> str | None:
    """A text that is C already (a file, a raw answer): only CRLF and a byte order mark are undone. None if nothing is in it."""
    source = _plain(text)
    return source if source.strip() else None


def source_from_text(text: str) -> str | None:
    """What the command line was given: a reply if it has answer tags, else C."""
    return extract_source(text) if TAG.search(text) else clean_source(text)


def undo_entities(text: str) -> str:
    """Undo one layer of HTML escaping, but only where the text has no `<` and no `&` of its own, as nearly all C has."""
    if "<" in text or text.count("&") != len(ENTITY.findall(text)):
        return text
    return ENTITY.sub(lambda match: _character(match["name"]), text)


def _plain(text: str) -> str:
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")


def _answers(text: str) -> list[str]:
    """What stands between each <answer> and the </answer> that follows it directly: a tag that prose only mentions pairs with
    nothing."""
    tags = list(TAG.finditer(text))
    return [
        text[opening.end() : closing.start()]
        for opening, closing in itertools.pairwise(tags)
        if opening[0] == "<answer>" and closing[0] == "</answer>"
    ]


def _last_fenced(text: str) -> str:
    """The last block in fences that is not empty, out of all its layers; without one, what stands outside of the fences."""
    for _ in range(LAYERS):
        blocks, outside = _fences(text)
        full = [block for block in blocks if block.strip()]
        if not full:
            return outside
        text = full[-1]
    return text


def _fences(text: str) -> tuple[list[str], str]:
    """Blocks in ``` or ~~~ as in CommonMark, at any indentation, and the text outside; a block never closed goes to the end."""
    blocks: list[list[str]] = []
    outside: list[str] = []
    opened: str | None = None
    for line in text.split("\n"):
        fence = FENCE.fullmatch(line)
        if (
            opened is None and fence and not ("`" in fence["marks"] and "`" in fence["info"])
        ):  # ```x``` on one line is inline code
            opened = fence["marks"]
            blocks.append([])
        elif opened is not None and fence and fence["marks"].startswith(opened) and not fence["info"].strip():
            opened = None
        elif opened is not None:
            blocks[-1].append(line)
        else:
            outside.append(line)
    return ["\n".join(block) for block in blocks], "\n".join(outside)


def _character(name: str) -> str:
    if name in NAMED:
        return NAMED[name]
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"

"""Markdown that GitHub renders: tables, and names that cannot break out of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leaderboard.exports.formats import MARKDOWN_SIGNS


def plain(value: object) -> str:
    """A name or a sentence from outside, as nothing but text."""
    return " ".join(str(value).translate(MARKDOWN_SIGNS).split())


def code(value: object) -> str:
    """Code in a table's cell."""
    return f"`{' '.join(str(value).replace('`', 'ˋ').replace('|', '¦').split())}`" if str(value) else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    """Lines of a table; the first `words` columns are left-aligned, the others hold numbers. Cells are Markdown already."""
    marks = ["---" if column < words else "---:" for column in range(len(header))]
    lines = [header, marks, *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def figure(path: str, caption: str) -> list[str]:
    return [f"![{caption}]({path})", "", f"*{caption}*", ""]

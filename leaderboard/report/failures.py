"""What became of the answers, as bars: one per model and architecture, its failures by kind and what passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaderboard.board.verdicts import FAILURE_GROUPS, PASSED
from leaderboard.figures.plots import LETTER_PX
from leaderboard.report.drawing import BASELINE_PX, colour, document, rect, text

WIDTH_PX, ROW_PX, BAR_PX, TOP_PX, RIGHT_PX, GAP_PX = 660, 24, 14, 40, 70, 1
LABELS = {"build": "not built", "crash": "crashed, slow, threads", "wrong": "wrong answer", "memory": "memory limit"}

Bar = tuple[str, Mapping[str, int]]  # whose, and how many answers got each verdict


def failure_bars(bars: Sequence[Bar], title: str) -> str:
    """An SVG document; all bars are as long as each other, so that shares compare."""
    left = 14 + LETTER_PX * max((len(name) for name, _ in bars), default=0)
    body = _legend()
    for row, (name, counts) in enumerate(bars):
        middle = TOP_PX + ROW_PX * row + ROW_PX / 2
        body.append(text(left - 6, middle + BASELINE_PX, name, colour("ink"), "end"))
        body += _bar(counts, left, middle)
    return document(WIDTH_PX, TOP_PX + ROW_PX * len(bars) + 10, title, body)


def _bar(counts: Mapping[str, int], left: float, middle: float) -> list[str]:
    total, room = sum(counts.values()), WIDTH_PX - RIGHT_PX - left
    found, x = [], left
    for key, n in [*((group.key, group.count(counts)) for group in FAILURE_GROUPS), ("passed-fill", counts.get(PASSED, 0))]:
        if n:
            width = room * n / total
            found.append(rect(x, middle - BAR_PX / 2, max(1.0, width - GAP_PX), BAR_PX, colour(key)))
            x += width
    failed = total - counts.get(PASSED, 0)
    return [*found, text(WIDTH_PX - RIGHT_PX + 6, middle + BASELINE_PX, f"{failed} of {total}", colour("soft"))]


def _legend() -> list[str]:
    found, x = [], 14.0
    for key, label in [*LABELS.items(), ("passed-fill", "passed")]:
        found += [rect(x, 12, 10, 10, colour(key)), text(x + 14, 21, label, colour("soft"))]
        x += 28 + 6 * len(label)
    return [*found, text(WIDTH_PX - RIGHT_PX + 6, 21, "failed", colour("soft"))]

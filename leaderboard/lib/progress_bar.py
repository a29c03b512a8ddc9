"""A progress bar for commands, on standard error; silent where nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from tqdm import tqdm


class Bar:
    def __init__(self, bar: tqdm[NoReturn]) -> None:
        self._bar = bar

    def update(self, steps: int) -> None:
        self._bar.update(steps)

    def reach(self, position: int) -> None:
        """Set to an absolute position."""
        self._bar.update(position - self._bar.n)

    def say(self, line: str) -> None:
        self._bar.write(line, file=sys.stderr)


@contextmanager
def progress_bar(total: int, unit: str) -> Iterator[Bar]:
    with tqdm(total=total, unit=f" {unit}", disable=not sys.stderr.isatty(), file=sys.stderr) as bar:
        yield Bar(bar)

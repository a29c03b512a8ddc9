"""A preview of a file or folder as a site would make it, without a site."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kernels.catalog import load_catalog
from leaderboard.bundles.archives import unpack
from leaderboard.bundles.parser import BundleParser
from leaderboard.bundles.types import Answer, ArchiveLimits, Skipped

LISTED = 20
USUAL = ArchiveLimits(unpacked_mb=4096, ratio=400, files=120_000, line_mb=8, rows=300_000)  # a site may have others


@dataclass
class Preview:
    rows: int = 0
    models: dict[str, Counter[str]] = field(default_factory=dict)  # {model: {kernel: answers}}
    skipped: Counter[str] = field(default_factory=Counter)  # by the beginning of the reason
    report: list[Skipped] = field(default_factory=list)  # the first ones

    @property
    def answers(self) -> int:
        return sum(kernels.total() for kernels in self.models.values())

    def lines(self) -> Iterator[str]:
        """The preview as lines of text."""
        yield f"{self.answers} answers in {self.rows} rows; {self.skipped.total()} skipped"
        for model, kernels in self.models.items():
            yield f"  {model}: {kernels.total()} answers to {len(kernels)} kernels"
        for item in self.report:
            yield f"  {item.member}:{item.line}: {item.reason}"
        if (more := self.skipped.total() - len(self.report)) > 0:
            yield f"  and {more} more: " + ", ".join(f"{reason} ({n})" for reason, n in self.skipped.most_common(5))


def preview(path: Path, model: str = "") -> Preview:
    """Reads all of it. Raises BundleError."""
    found = Preview()
    with tempfile.TemporaryDirectory(prefix="arch-kernels-") as folder:
        reading = BundleParser(unpacked=unpack(path, Path(folder), USUAL), kernels=set(load_catalog()), limits=USUAL, model=model)
        for item in reading:
            if isinstance(item, Answer):
                found.models.setdefault(item.model, Counter())[item.kernel] += 1
                continue
            found.skipped[item.reason.partition(":")[0]] += 1
            if len(found.report) < LISTED:
                found.report.append(item)
        found.rows = reading.rows
    return found

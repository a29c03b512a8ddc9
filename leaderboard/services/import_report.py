"""What is found while a bundle is gone through."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from leaderboard.bundles.parser import BundleParser
from leaderboard.bundles.types import Answer, Skipped
from leaderboard.lib.text import shorten
from leaderboard.services.deduplication import Existing

KINDS = 1000  # of reasons: names of kernels that are made up would go on for ever
SHOWN = 50
OTHERS = "other reasons"


@dataclass
class ImportReport:
    """What was found, for the preview and the bundle's page."""

    answers: int = 0
    skipped: int = 0
    models: Counter[str] = field(default_factory=Counter)
    kernels: Counter[str] = field(default_factory=Counter)
    cells: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # model: {kernel: answers}
    reasons: Counter[str] = field(default_factory=Counter)
    report: list[dict[str, Any]] = field(default_factory=list)

    def skip(self, item: Skipped) -> None:
        self.skipped += item.counts
        self.note(item.member, item.line, item.reason)

    def note(self, member: str, line: int, reason: str) -> None:
        kind = reason.partition(":")[0]
        self.reasons[kind if kind in self.reasons or len(self.reasons) < KINDS else OTHERS] += 1
        if len(self.report) < settings.BUNDLE_REPORT_ROWS:
            self.report.append({"file": member, "line": line, "reason": reason})

    def answer(self, item: Answer) -> None:
        self.answers += 1
        self.models[item.model] += 1
        self.kernels[item.kernel] += 1
        self.cells[item.model][item.kernel] += 1

    def count(self, chunk: list[Answer | Skipped], known: dict[str, Existing], mine: frozenset[int]) -> None:
        """`known` are there already; `mine` are those of which nothing is said: the bundle's own, and what its uploader must not
        know of."""
        for item in chunk:
            if isinstance(item, Skipped):
                self.skip(item)
                continue
            there = known.get(item.identity)
            if there and not there.is_same:
                reason = "duplicate: this trace id belongs to another answer"
                self.skip(Skipped(member=item.member, line=item.line, reason=reason))
                continue
            self.answer(item)
            if there and there.submission.pk not in mine:
                self.note(item.member, item.line, "duplicate: another bundle brought this answer already")

    def kinds(self) -> dict[str, int]:
        """The most frequent reasons; what they add up to is what was noted."""
        most = dict(self.reasons.most_common(SHOWN))
        if rest := self.reasons.total() - sum(most.values()):
            most[OTHERS] = most.get(OTHERS, 0) + rest
        return most

    def values(self, reading: BundleParser) -> dict[str, Any]:
        return {
            "rows": reading.rows,
            "answers": self.answers,
            "skipped": self.skipped,
            "report": self.report,
            "counts": {
                "models": dict(self.models.most_common(500)),
                "kernels": dict(self.kernels),
                "reasons": self.kinds(),
            },
            "format": shorten(", ".join(name for name, _ in reading.formats.most_common()), 64),
            "config": reading.config,
        }

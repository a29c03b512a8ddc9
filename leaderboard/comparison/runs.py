"""The answers in runs on disk, by the same readers as a bundle's."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grading.answer import Kind, extract
from grading.comparison.subjects import ANSWER, Subject
from leaderboard.bundles.archives import unpack
from leaderboard.bundles.parser import REPEATED, BundleParser
from leaderboard.bundles.registry import NO_FILE
from leaderboard.bundles.types import Answer, ArchiveLimits, BundleError, Skipped
from leaderboard.lib.text import clean

LIMITS = ArchiveLimits(unpacked_mb=4096, ratio=400, files=120_000, line_mb=32, rows=500_000)  # the site's defaults


@dataclass(kw_only=True)
class Runs:
    """Each answer once, however many runs hold it; and what was no answer."""

    answers: list[Subject] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)


def read_runs(paths: Sequence[Path], kernels: Collection[str], model: str = "") -> Runs:
    """Folders, archives and single files. Raises BundleError with the path and what is wrong with it."""
    found = Runs()
    known: dict[str, Subject] = {}
    for path in paths:
        if not path.exists():
            raise BundleError(f"{path} does not exist")
        with tempfile.TemporaryDirectory(prefix="arch-compare-") as folder:
            try:
                unpacked = unpack(path, Path(folder), LIMITS)
                reading = BundleParser(unpacked=unpacked, kernels=kernels, limits=LIMITS, model=model)
                answers = sum(_take(item, path.resolve().name, known, found) for item in reading)
            except BundleError as error:
                raise BundleError(f"{path}: {error}") from error
        if not reading.rows:
            raise BundleError(f"{path}: it contains no answer: {NO_FILE} with a row")
        formats = [name for name, _ in reading.formats.most_common()]
        found.runs.append({"run": path.resolve().name, "formats": formats, "rows": reading.rows, "answers": answers})
    found.answers = list(known.values())
    return found


def _take(item: Answer | Skipped, run: str, known: dict[str, Subject], found: Runs) -> bool:
    """Whether it is an answer that no earlier row was."""
    where = {"run": run, "member": item.member, "line": item.line}
    if isinstance(item, Skipped):
        found.skipped.append(where | {"reason": item.reason})
        return False
    subject = _subject(item, run)
    there = known.setdefault(item.identity, subject)
    if there is subject:
        return True
    same = (there.kernel, there.source) == (subject.kernel, subject.source)
    found.skipped.append(where | {"reason": REPEATED if same else "duplicate: this trace id belongs to another answer"})
    return False


def _subject(answer: Answer, run: str) -> Subject:
    reply = clean(answer.reply)
    return Subject(
        identity=answer.identity,
        kind=ANSWER,
        kernel=answer.kernel,
        source=extract(reply, answer.kernel, Kind.RAW if answer.raw else Kind.REPLY).source,
        model=answer.model,
        rollout=answer.rollout,
        run=run,
        member=answer.member,
        line=answer.line,
    )

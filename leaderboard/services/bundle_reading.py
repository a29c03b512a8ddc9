"""A bundle is read from front to end: for the preview, and by the import before it writes anything."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from leaderboard.bundles import archives
from leaderboard.bundles.parser import BundleParser
from leaderboard.bundles.registry import NO_FILE
from leaderboard.bundles.types import Answer, BundleError, Skipped
from leaderboard.lib.text import shorten
from leaderboard.models import Bundle
from leaderboard.services import bundle_models, standings
from leaderboard.services.bundle_files import limits
from leaderboard.services.bundle_lease import renew, worked_on
from leaderboard.services.deduplication import find_existing, hidden_existing
from leaderboard.services.import_report import ImportReport
from leaderboard.services.matching import Matching
from leaderboard.storage import room

CHUNK = 200
CHUNK_BYTES = 4 << 20  # of replies as Python holds them: one to four bytes a character
Progress = Callable[[int], None]  # with the number of rows so far
Meanwhile = Callable[[], None]  # called between two chunks, also of the first look through a bundle, which shows no progress


class NoAnswer(BundleError):
    """Rows, but none that is an answer to one of our kernels. `values` are the bundle's: what its rows are instead."""

    def __init__(self, why: str, values: dict[str, Any]) -> None:
        super().__init__(why)
        self.values = values


def silent(rows: int) -> None:
    """No progress is shown."""


def nothing() -> None:
    """Nothing else is to be done between two chunks."""


@contextmanager
def opened(bundle: Bundle, token: UUID, meanwhile: Meanwhile) -> Iterator[BundleParser]:
    """The bundle unpacked to a temporary folder of the media folder, ready to be gone through."""

    def beat() -> None:
        renew(bundle, token)
        meanwhile()

    room.check(bundle.size_bytes)
    with tempfile.TemporaryDirectory(prefix="unpacked-", dir=room.incoming(), ignore_cleanup_errors=True) as folder:
        source = Path(folder) / "source"
        try:
            stored = bundle.file.open("rb")
        except FileNotFoundError as gone:
            raise BundleError("Its file is no longer in the site's media folder: upload it again.") from gone
        with stored, source.open("wb") as copy:
            shutil.copyfileobj(stored, copy, 1 << 20)
        into = Path(folder) / "members"
        into.mkdir()
        unpacked = archives.unpack(source, into, limits(), bundle.name, beat)
        yield BundleParser(
            unpacked=unpacked, kernels=set(standings.kernels_by_name()), limits=limits(), model=bundle.model_override
        )


def read(bundle: Bundle, progress: Progress = silent, *, patient: bool = False, meanwhile: Meanwhile = nothing) -> Bundle:
    """Fill in the preview: what is in it, and which of its answers are new. Raises bundle_lease.Taken."""
    return worked_on(bundle, Bundle.State.READING, lambda token: _read(bundle, token, progress, meanwhile), patient=patient)


def _read(bundle: Bundle, token: UUID, progress: Progress, meanwhile: Meanwhile) -> dict[str, Any]:
    tally, added = ImportReport(), 0
    with opened(bundle, token, meanwhile) as reading:
        matching = look_through(bundle, token, reading, needs_answers=False, meanwhile=meanwhile)  # a model's name may be missing
        for chunk in matched(reading, matching):
            answers = [item for item in chunk if isinstance(item, Answer)]
            known = find_existing(answers)
            hidden = hidden_existing(bundle, known)
            added += sum(answer.identity not in known for answer in answers) + len(hidden)
            tally.count(chunk, known, hidden)
            renew(bundle, token)
            progress(reading.rows)
            meanwhile()
        bundle_models.refresh(bundle, tally.cells, reading.run_settings)
        return tally.values(reading) | {"state": Bundle.State.PREVIEW, "added": added, "overlaps": matching.told()}


def chunks(reading: BundleParser) -> Iterator[list[Answer | Skipped]]:
    chunk, size = list[Answer | Skipped](), 0
    for item in reading:
        chunk.append(item)
        size += sys.getsizeof(item.reply) if isinstance(item, Answer) else 0
        if len(chunk) >= CHUNK or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def matched(reading: BundleParser, matching: Matching) -> Iterator[list[Answer | Skipped]]:
    """Chunks in which every answer has the identity by which it is known here."""
    for chunk in chunks(reading):
        given = matching.resolved(item for item in chunk if isinstance(item, Answer))
        yield [given.get(id(item), item) if isinstance(item, Answer) else item for item in chunk]


def look_through(bundle: Bundle, token: UUID, reading: BundleParser, *, needs_answers: bool, meanwhile: Meanwhile) -> Matching:
    """To the end, before anything is written: what a bundle is refused for may stand in its last line, and which of its answers
    are new depends on all of them. Raises BundleError."""
    once = BundleParser(unpacked=reading.unpacked, kernels=reading.kernels, limits=reading.limits, model=reading.model)
    matching, tally = Matching(bundle), ImportReport()
    for chunk in chunks(once):
        matching.note(item for item in chunk if isinstance(item, Answer))
        tally.count(chunk, {}, frozenset())
        renew(bundle, token)
        meanwhile()
    if not once.rows:
        raise BundleError(nothing_in([{"file": file.member, "reason": file.reason} for file in reading.unpacked.skipped]))
    if needs_answers and not tally.answers:
        raise NoAnswer(no_answer_in(tally), tally.values(once))
    matching.settle()
    renew(bundle, token)
    return matching


def nothing_in(report: list[dict[str, Any]]) -> str:
    more = f" {shorten(report[0]['file'], 100)}: {report[0]['reason']}." if report else ""
    return f"It contains no answer: {NO_FILE} with a row.{more}"


def no_answer_in(tally: ImportReport) -> str:
    """The most frequent reasons, in one sentence."""
    reasons = list(tally.kinds().items())
    named = "; ".join(f"{number} x {shorten(reason, 100)}" for reason, number in reasons[:5])
    more = f"; {len(reasons) - 5} more reasons" if len(reasons) > 5 else ""
    return f"It contains no answer to any of our kernels. Its rows: {named}{more}."

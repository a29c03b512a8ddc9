"""Through a bundle from front to back: every row is an answer or is skipped with its reason. One line is in memory at a time."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from leaderboard.bundles.formats import c_files
from leaderboard.bundles.formats.base import NoReply, Reader, Reply
from leaderboard.bundles.found import Answer, BundleError, Limits, Member, Skipped, Unpacked
from leaderboard.bundles.registry import READERS
from leaderboard.bundles.runs import Run, run_of
from leaderboard.text import clean

MAX_ROLLOUT = 2**31 - 1
NAME_LENGTH = 300
RUNS_TOLD = 20  # different values of one setting, of a model that was asked in many ways
REPEATED = "duplicate: it came earlier in the bundle"


@dataclass(kw_only=True)
class Reading:
    """One pass over an unpacked bundle. Iterate it once; formats and configurations are known as far as it has come."""

    unpacked: Unpacked
    kernels: Collection[str]
    limits: Limits
    model: str = ""  # for rows that do not name theirs
    formats: Counter[str] = field(default_factory=Counter)
    config: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # by model: {"temperature": ["0.2", "0.8"]} of two runs
    _noted: set[int] = field(default_factory=set)  # the models and runs that `asked` has
    rows: int = 0

    def __iter__(self) -> Iterator[Answer | Skipped]:
        yield from self.unpacked.skipped
        seen: set[bytes] = set()  # digests: half a million identities stay small
        for member in self.unpacked.members:
            for item in self._read(member):
                if isinstance(item, Answer):
                    digest = hashlib.blake2b(item.identity.encode(), digest_size=12).digest()
                    if digest in seen:
                        yield Skipped(member=item.member, line=item.line, reason="duplicate: it came earlier in the bundle")
                        continue
                    seen.add(digest)
                yield item

    def _read(self, member: Member) -> Iterator[Answer | Skipped]:
        if member.name.lower().endswith((".jsonl", ".ndjson")):
            yield from self._read_lines(member)
        elif member.name.endswith(".c"):
            self._count_row()
            self.formats[c_files.NAME] += 1
            path = c_files.path_in_run(member, self.kernels)
            place = _Place(member, 0, path, Run())
            yield self._answer(c_files.read_c_file(member, self.kernels), place, rollout=0)

    def _read_lines(self, member: Member) -> Iterator[Answer | Skipped]:
        run = run_of(member, self.unpacked.members)
        self.config |= run.config
        rollouts: Counter[str] = Counter()
        for number, line in lines_of(member, self.limits.line_mb << 20):
            self._count_row()
            place = _Place(member, number, member.file_name, run)
            row = parse(line)
            reader = next((reader for reader in READERS if reader.takes(row)), None) if isinstance(row, dict) else None
            if isinstance(row, str):
                yield place.skip(row)
            elif reader is None:
                yield place.skip("a line of no format known here")
            else:
                self.formats[reader.name] += 1
                yield from self._read_row(reader, row, place, rollouts)

    def _read_row(self, reader: Reader, row: dict[str, Any], place: _Place, rollouts: Counter[str]) -> Iterator[Answer | Skipped]:
        key = reader.task_key(row)
        for part, reply in enumerate(reader.replies(row)):
            yield self._answer(reply, place, rollouts[key], part)
        rollouts[key] += 1

    def _answer(self, reply: Reply | NoReply, place: _Place, rollout: int, part: int = 0) -> Answer | Skipped:
        if isinstance(reply, NoReply):
            return place.skip(reply.reason)
        if reply.kernel is None or reply.kernel not in self.kernels:
            return place.skip(f"unknown kernel {clean(reply.kernel)[:60]!r}" if reply.kernel else "the row names no kernel")
        model = clean(reply.model or place.run.model or self.model).strip()
        if not model:
            return place.skip("no model name: give one with the upload (--model on the command line)")
        if len(model) > NAME_LENGTH:
            return place.skip(f"a model name of over {NAME_LENGTH} characters")
        self._note_run(model, place)
        return Answer(
            member=clean(place.member.name)[-400:],
            line=place.line,
            model=model,
            kernel=reply.kernel,
            rollout=min(rollout if reply.rollout is None else reply.rollout, MAX_ROLLOUT),
            identity=place.identity(reply.trace_id, part),
            reply=reply.text,
            raw=reply.raw,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cut_short=reply.cut_short,
        )

    def _note_run(self, model: str, place: _Place) -> None:
        key = hash((model, place.member.folder))
        if not place.run.config or key in self._noted:
            return
        self._noted.add(key)
        for name, value in place.run.config.items():
            values = self.asked.setdefault(model, {}).setdefault(name, [])
            if value not in values and len(values) < RUNS_TOLD:
                values.append(value)

    def _count_row(self) -> None:
        self.rows += 1
        if self.rows > self.limits.rows:
            raise BundleError(f"More than {self.limits.rows} rows (BUNDLE_MAX_ROWS).")


@dataclass(frozen=True)
class _Place:
    """Where in the bundle we are."""

    member: Member
    line: int
    path: str  # inside the run folder
    run: Run

    def skip(self, reason: str) -> Skipped:
        return Skipped(member=clean(self.member.name)[-400:], line=self.line, reason=clean(reason))

    def identity(self, trace_id: str | None, part: int) -> str:
        """The trace's id; else the file by its content, its path inside the run folder and the row: repacking changes nothing."""
        if trace_id:
            trace_id = clean(trace_id)
            return f"trace:{trace_id if len(trace_id) <= 200 else hashlib.sha256(trace_id.encode()).hexdigest()}"
        key = f"{file_digest(self.member)}\0{self.path}\0{self.line}\0{part}"
        return f"row:{hashlib.sha256(clean(key).encode()).hexdigest()}"


_digests: dict[tuple[str, int, int], str] = {}


def file_digest(member: Member) -> str:
    """sha256 of the unpacked file, worked out once for all its rows."""
    known = member.path.stat()
    key = (str(member.path), known.st_size, known.st_mtime_ns)
    if key not in _digests:
        _digests.clear()
        _digests[key] = member.sha256()
    return _digests[key]


def lines_of(member: Member, limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines that are not blank; None for one longer than `limit`. A byte order mark and CRLF are taken off."""
    with member.path.open("rb") as file:
        number = 0
        while line := file.readline(limit + 1):
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if len(line) > limit and not line.endswith(b"\n"):
                while (rest := file.readline(1 << 20)) and not rest.endswith(b"\n"):
                    pass
                yield number, None
            elif line.strip():
                yield number, line.rstrip(b"\r\n")


def parse(line: bytes | None) -> dict[str, Any] | str:
    """The object in a line, or what is wrong with it."""
    if line is None:
        return "a line longer than BUNDLE_MAX_LINE_MB"
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return "not UTF-8"
    except RecursionError:
        return "broken JSON: nested too deeply"
    except ValueError as error:
        return f"broken JSON: {error}"
    return row if isinstance(row, dict) else "not a JSON object"

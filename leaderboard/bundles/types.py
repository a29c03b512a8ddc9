"""What a bundle's rows turn out to be."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO


class BundleError(Exception):
    """The bundle as a whole cannot be read; the message is for whoever brought it."""


@dataclass(frozen=True, kw_only=True)
class ArchiveLimits:
    """Each is a setting BUNDLE_MAX_<NAME>; errors name it."""

    unpacked_mb: int
    ratio: int
    files: int
    line_mb: int
    rows: int
    reply_mb: int = 2
    values: int = 500_000  # in one row: a short line of brackets takes twenty times its length in memory
    models: int = 1000
    header_mb: int = 16  # a zip's directory, a tar's extended headers: read at once, whatever their length
    window_mb: int = 32  # how far back zstd may refer, which is what it takes in memory


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A file of the bundle: its name is only a name. What was unpacked lies in one file, one member after another: a hundred
    thousand files of their own would take minutes to make and to remove."""

    name: str  # inside the bundle, with forward slashes
    path: Path
    size: int
    offset: int = 0

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def file_name(self) -> str:
        return self.name.rpartition("/")[2]

    @contextmanager
    def opened(self) -> Iterator[Section]:
        with self.path.open("rb") as file:
            file.seek(self.offset)
            yield Section(file, self.size)

    def read_bytes(self) -> bytes:
        """The whole content; for small members."""
        with self.opened() as section:
            return section.read(self.size)

    def sha256(self) -> str:
        digest = hashlib.sha256()
        with self.opened() as section:
            while data := section.read(1 << 20):
                digest.update(data)
        return digest.hexdigest()


class Section:
    """A part of a file, read from front to back."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.file, self.left = file, size

    def read(self, size: int) -> bytes:
        return self._counted(self.file.read(min(size, self.left)))

    def readline(self, limit: int) -> bytes:
        return self._counted(self.file.readline(min(limit, self.left)))

    def _counted(self, data: bytes) -> bytes:
        self.left -= len(data)
        return data


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One reply to one of our kernels."""

    member: str
    line: int
    model: str
    kernel: str
    rollout: int
    identity: str  # the trace's id; without one, that of the row in its file
    reply: str
    has_trace: bool = True
    named_rollout: int | None = None  # the rollout, where the row itself names it
    raw: bool = False  # the reply is C, without tags
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cut_short: bool = False
    scores: dict[str, float | str] = field(default_factory=dict)  # the run's own, for comparison


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A row (or, with line 0, a file) that is no answer, and why."""

    member: str
    line: int
    reason: str
    counts: bool = True  # False: a file that has no rows, such as a nested archive


@dataclass(kw_only=True)
class Unpacked:
    """All members that may matter, and the files that were skipped with a reason."""

    members: list[Member] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

"""What a bundle's rows turn out to be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


class BundleError(Exception):
    """The bundle as a whole cannot be read; the message is for whoever brought it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Each is a setting BUNDLE_MAX_<NAME>; errors name it."""

    unpacked_mb: int
    ratio: int
    files: int
    line_mb: int
    rows: int
    reply_mb: int = 2
    values: int = 500_000  # in one row: a short line of brackets takes twenty times its length in memory
    models: int = 1000
    header_mb: int = 32  # a zip's directory, a tar's extended headers: read at once, whatever their length
    window_mb: int = 32  # how far back zstd may refer, which is what it takes in memory


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A file of the bundle: its name is only a name; what is opened is a number in a folder of ours (or a file of a folder
    on the command line). There may be a hundred thousand of them."""

    name: str  # inside the bundle, with forward slashes
    base: Path
    number: int | None  # None: the file lies under its own name
    size: int

    @property
    def path(self) -> Path:
        return self.base / (self.name if self.number is None else f"{self.number:06d}")

    @property
    def folder(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def file_name(self) -> str:
        return self.name.rpartition("/")[2]

    def sha256(self) -> str:
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One reply to one of our kernels."""

    member: str
    line: int
    model: str
    kernel: str
    rollout: int
    identity: str
    reply: str
    raw: bool = False  # the reply is C, without tags
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cut_short: bool = False


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A row (or, with line 0, a file) that is no answer, and why."""

    member: str
    line: int
    reason: str
    counts: bool = True  # False: a file that has no rows, such as a nested archive


@dataclass(kw_only=True)
class Unpacked:
    """All members that may matter, and the files that were passed over with a reason."""

    members: list[Member] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

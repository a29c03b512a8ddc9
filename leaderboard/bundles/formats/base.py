"""What a reader of a format does, and what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from grading.extraction.messages import is_said
from leaderboard.bundles.runs import first_text
from leaderboard.bundles.types import Member

Row = dict[str, Any]
# Of an error, what says most first; error_chain_* until 0.3, where `error` is only a name.
MESSAGES = ("message", "detail", "error_chain_repr", "error_chain_str", "error", "type")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One reply in a row, before anybody asked whether its kernel is ours."""

    kernel: str | None
    text: str
    model: str | None = None  # that the run asked for
    served_model: str | None = None  # that the provider says has answered
    trace_id: str | None = None
    rollout: int | None = None  # None: its rank among earlier rows of the same task
    raw: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cut_short: bool = False
    scores: dict[str, float | str] = field(default_factory=dict)  # the run's own, for comparison


@dataclass(frozen=True, kw_only=True)
class NoReply:
    """The model never replied, or the row cannot be understood."""

    reason: str


class Format(ABC):
    """One format of answers. Files are recognised by their suffix, rows by their fields."""

    name: ClassVar[str]  # in the preview, in Bundle.format and in the documents
    files: ClassVar[str]  # how people call such files, for the upload form
    suffixes: ClassVar[tuple[str, ...]]  # in lower case; the usual one first
    # Where a run's configuration lies, relative to the folder of its rows; the newest writer's place first.
    configs: ClassVar[tuple[str, ...]] = ()


class RowFormat(Format):
    """JSON, one object per line. Formats share the files: each row is read by the first format that takes it."""

    suffixes = (".jsonl", ".ndjson")

    @abstractmethod
    def takes(self, row: Row) -> bool:
        """Whether a line is of this format."""

    @abstractmethod
    def task_key(self, row: Row) -> str:
        """What rollouts of one task have in common: they are counted by it."""

    @abstractmethod
    def replies(self, row: Row) -> Iterable[Reply | NoReply]:
        """What is in the line."""


class FileFormat(Format):
    """A format of whole files other than JSON lines: its suffix belongs to this format alone."""

    @abstractmethod
    def replies(self, member: Member, kernels: Collection[str], most_bytes: int) -> Iterable[Reply | NoReply]:
        """The replies in the file; most_bytes: the limit of one reply."""

    def path_in_run(self, member: Member, kernels: Collection[str]) -> str:
        """The part of the file's path that identifies its answers: the same wherever the run's folder is moved to."""
        del kernels
        return member.file_name


def table(value: Any) -> Row:
    """The value if it is an object, else an empty one: rows come from anywhere."""
    return value if isinstance(value, dict) else {}


def tables(value: Any) -> list[Row]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def content_text(content: Any) -> str:
    """The text of a message: a string, or parts, of which reasoning is none; a missing content is an empty reply."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in tables(content) if isinstance(part.get("text"), str) and is_said(part.get("type")))


def kernel_of(data: Row) -> str | None:
    return first_text(data.get("kernel"), data.get("name"), data.get("id"))


def count(value: Any) -> int | None:
    """A number of tokens, if that is what it is (some writers make them floats)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**31:
        return None
    return int(value)


def total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return min(sum(known), 2**31 - 1) if known else None


def first_line(text: str) -> str:
    return text.strip()[:300].splitlines()[0]


def error_text(errors: Any) -> str:
    """One line out of a run's errors: "429: rate limit"."""
    for error in errors if isinstance(errors, list) else [errors]:
        if isinstance(error, str) and error.strip():
            return first_line(error)
        if isinstance(error, dict):
            status = count(error.get("status_code"))
            message = first_text(*(error.get(key) for key in MESSAGES)) or "no message"
            return f"{status}: {first_line(message)}" if status else first_line(message)
    return ""

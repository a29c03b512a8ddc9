"""Gradings as they come, a line each, so that nothing is graded again after an interruption, whatever it was.

A line is on the disk before the next grading begins. A process that is killed in the middle of a line leaves a torn one, which is
cut off when the journal is opened again. One process at a time has it open.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

FORMAT = "arch-kernels comparison journal 1"


class JournalError(Exception):
    """The journal cannot be used; the message says why."""


@dataclass(frozen=True)
class Key:
    """What a grading is of. It counts only for as long as all of it is still so."""

    identity: str
    arch: str
    sandbox: str
    kernel_version: str
    source_sha256: str
    settings: str  # of a development run, as text; "" for the kernel's own benchmark

    @property
    def place(self) -> tuple[str, str]:
        """What there is one grading of."""
        return self.identity, self.arch


class Journal:
    """The file, held open and locked. `entries` has the newest record of each (identity, architecture), with its key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[tuple[str, str], tuple[Key, dict[str, Any]]] = {}
        self.file: BinaryIO = _open(path)
        try:
            self._read()
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def record(self, key: Key) -> dict[str, Any] | None:
        """The record under exactly this key."""
        known = self.entries.get(key.place)
        return known[1] if known and known[0] == key else None

    def append(self, key: Key, record: Mapping[str, Any]) -> None:
        """Append the grading; it is on the disk when this returns."""
        self._write({"key": vars(key), "record": dict(record)})
        self.entries[key.place] = (key, dict(record))

    def _write(self, line: Mapping[str, Any]) -> None:
        self.file.write(json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

    def _read(self) -> None:
        self.file.seek(0)
        whole = 0
        for number, line in enumerate(self.file):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            row = _parse(line)
            if number == 0:
                if row.get("format") != FORMAT:
                    raise JournalError(f"{self.path} is not a journal of a comparison: move it away, or write to another file")
            elif row:
                key = Key(**row["key"])
                self.entries[key.place] = (key, row["record"])
        self.file.truncate(whole)
        self.file.seek(whole)
        if whole == 0:
            self._write({"format": FORMAT})


def _open(path: Path) -> BinaryIO:
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b")
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise JournalError(f"another comparison is writing {path} right now") from None
    return file


def _parse(line: bytes) -> dict[str, Any]:
    """The object of a line; an empty one for a line that is none of ours: what it held is graded again."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    whole = isinstance(row, dict) and ("format" in row or (_is_key(row.get("key")) and isinstance(row.get("record"), dict)))
    return row if whole else {}


def _is_key(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == set(Key.__dataclass_fields__)

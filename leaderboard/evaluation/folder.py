"""An evaluation on disk: a run folder like any other (docs/bundles.md), to which every reply is added as soon as it is there.

A line that a crash has torn is cut off when the folder is opened again; its question is then asked again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from leaderboard.evaluation.request import EvaluationRequest, Task

ROWS = "answers.jsonl"
CONFIG = Path("configs") / "eval.json"
TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens")


class InUse(Exception):
    """Another process asks these questions right now."""


class Folder:
    """One evaluation, open for adding to. `rows` are those that are there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        (path / CONFIG.parent).mkdir(parents=True, exist_ok=True)
        self.file = os.fdopen(os.open(path / ROWS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+b")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.close()
            raise InUse(f"{path} is being written by another evaluation right now") from None
        self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def add(self, row: Mapping[str, Any]) -> None:
        """Append the row; it is on the disk when this returns."""
        self.file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.rows.append(dict(row))

    def done(self, *, again: bool) -> set[Task]:
        """What is answered; what ended in an error too, unless those are to be asked again."""
        return {Task(row["kernel"], row["rollout"]) for row in self.rows if "answer" in row or not again}

    def describe(self, request: EvaluationRequest, rollouts: int) -> None:
        """What was asked and what it took, in one step."""
        config = request.config(rollouts) | {"usage": totals(self.rows)}
        temporary = self.path / f"{CONFIG}.new"
        temporary.write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(self.path / CONFIG)

    def _read(self) -> None:
        whole = 0
        for line in self.file:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            self.rows.append(json.loads(line))
        self.file.truncate(whole)
        self.file.seek(whole)


def totals(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Tokens and cost of all replies; a sum is null where no reply says it."""
    answered = [row for row in rows if "answer" in row]
    found: dict[str, Any] = {"answers": len(answered), "errors": len(failed(rows))}
    for name in (*TOKENS, "cost_usd"):
        known = [row[name] for row in answered if row.get(name) is not None]
        found[name] = sum(known) if known else None
    return found


def failed(rows: Iterable[Mapping[str, Any]]) -> set[Task]:
    """What ended in an error and has no answer since."""
    rows = list(rows)
    answered = {Task(row["kernel"], row["rollout"]) for row in rows if "answer" in row}
    return {Task(row["kernel"], row["rollout"]) for row in rows} - answered

"""Plain lines, for any script: {"model": ..., "kernel": ..., "answer": ...[, "rollout": 0][, "raw": true]}."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.bundles.formats.base import NoReply, Reply, Row, RowFormat, count, error_text
from leaderboard.bundles.runs import first_text, scalar_text


class Lines(RowFormat):
    name = "plain lines"
    files = "JSON lines"
    configs = ("configs/eval.json",)

    def takes(self, row: Row) -> bool:
        return "kernel" in row and ("answer" in row or "error" in row)

    def task_key(self, row: Row) -> str:
        return f"{scalar_text(row.get('kernel'))} {scalar_text(row.get('model'))}"

    def replies(self, row: Row) -> Iterable[Reply | NoReply]:
        if "answer" not in row or (row.get("error") and not row["answer"]):  # some scripts always write both
            yield NoReply(reason=f"provider error: {error_text(row['error']) or 'no message'}")
            return
        if not isinstance(row["answer"], str | None):
            yield NoReply(reason='"answer" is not a text')
            return
        yield Reply(
            kernel=first_text(row["kernel"]),
            text=row["answer"] or "",
            model=first_text(row.get("model")),
            served_model=first_text(row.get("served_model")),
            trace_id=first_text(row.get("trace_id")),
            rollout=count(row.get("rollout")),
            raw=row.get("raw") is True,
            prompt_tokens=count(row.get("prompt_tokens")),
            completion_tokens=count(row.get("completion_tokens")),
            cut_short=row.get("cut_short") is True,
        )

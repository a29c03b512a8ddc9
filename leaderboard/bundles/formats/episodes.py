"""verifiers 0.3 and 0.4, and vf-replay: one episode per line, its traces inside."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.bundles.formats.base import NoReply, Reply, Row, RowFormat, error_text, table, tables
from leaderboard.bundles.formats.traces import read_trace, task_key


class Episodes(RowFormat):
    name = "verifiers 0.4 episodes"
    files = "traces.jsonl"
    configs = (
        *("configs/resolved/eval.json", "configs/eval.json"),
        *("configs/resolved/replay.json", "configs/replay.json"),
        "config.toml",
    )

    def takes(self, row: Row) -> bool:
        return "traces" in row

    def task_key(self, row: Row) -> str:
        return task_key(task_of(row))

    def replies(self, row: Row) -> Iterable[Reply | NoReply]:
        traces = tables(row.get("traces"))
        if not traces:
            yield NoReply(reason=f"the model never replied: {error_text(row.get('errors')) or 'the episode has no trace'}")
        if len(traces) == 1 and isinstance(row.get("root_reply"), str):
            traces = [traces[0] | {"root_reply": row["root_reply"]}]
        for trace in traces:
            yield read_trace(trace, table(trace.get("task")) or task_of(row))


def task_of(row: Row) -> Row:
    """The episode's task; 0.3.0 has it only with the traces."""
    return table(row.get("task")) or next((table(trace.get("task")) for trace in tables(row.get("traces"))), {})

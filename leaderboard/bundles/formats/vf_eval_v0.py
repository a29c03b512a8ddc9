"""vf-eval's results.jsonl up to 0.3.1 (v0): prompt and completion a line; the model stands in metadata.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from leaderboard.bundles.formats.base import (
    NoReply,
    Reply,
    Row,
    RowFormat,
    content_text,
    count,
    error_text,
    kernel_of,
    table,
    tables,
)
from leaderboard.bundles.formats.scores import reported_scores
from leaderboard.bundles.runs import first_text, scalar_text


class Results(RowFormat):
    name = "verifiers v0 results"
    files = "results.jsonl"
    configs = ("metadata.json",)

    def takes(self, row: Row) -> bool:
        return "completion" in row

    def task_key(self, row: Row) -> str:
        return scalar_text(row.get("example_id")) or kernel_of(info_of(row.get("info"))) or ""

    def replies(self, row: Row) -> Iterable[Reply | NoReply]:
        completion = row.get("completion")
        if row.get("error"):  # its reward of 0.0 is no score: the model never replied
            yield NoReply(reason=f"provider error: {error_text(row['error']) or 'no message'}")
            return
        if isinstance(completion, str):
            text = completion
        elif messages := [message for message in tables(completion) if message.get("role") == "assistant"]:
            text = content_text(messages[-1].get("content"))
        else:
            yield NoReply(reason="the model never replied: an empty completion")
            return
        usage = table(row.get("token_usage"))
        yield Reply(
            kernel=kernel_of(info_of(row.get("info"))) or first_text(row.get("kernel")),
            text=text,
            model=first_text(row.get("model")),
            prompt_tokens=count(usage.get("input_tokens")),
            completion_tokens=count(usage.get("output_tokens")),
            cut_short=row.get("is_truncated") is True,
            scores=reported_scores({"reward": row.get("reward")}, row.get("metrics")),
        )


def info_of(info: Any) -> Row:
    """Some writers keep it as JSON in a string."""
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except (ValueError, RecursionError):
            return {}
    return table(info)

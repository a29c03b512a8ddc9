"""verifiers' traces: bare (0.2), and the common part of the episodes of 0.3 and 0.4."""

from __future__ import annotations

from collections.abc import Iterable

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
    total,
)
from leaderboard.bundles.formats.scores import scores_of_trace
from leaderboard.bundles.runs import first_text, scalar_text

# A framework's limit ended the conversation (verifiers' own `is_truncated`, but for max_turns: the last reply is whole then).
CUT_SHORT = ("max_input_tokens", "max_output_tokens", "max_total_tokens", "context_length", "compaction_failed")


class Traces(RowFormat):
    """One trace per line: verifiers 0.2."""

    name = "verifiers 0.2 traces"
    files = "traces.jsonl"
    configs = ("config.toml",)

    def takes(self, row: Row) -> bool:
        return "nodes" in row

    def task_key(self, row: Row) -> str:
        return task_key(table(row.get("task")))

    def replies(self, row: Row) -> Iterable[Reply | NoReply]:
        yield read_trace(row, table(row.get("task")))


def task_key(task: Row) -> str:
    data = table(task.get("data"))
    return scalar_text(task.get("key")) or scalar_text(data.get("idx")) or kernel_of(data) or ""


def read_trace(trace: Row, task: Row) -> Reply | NoReply:
    """The last sampled message is the reply. A trace that ended by the provider's error has none, whatever came before."""
    if trace.get("stop_condition") == "provider_error":
        return NoReply(reason=f"provider error: {error_text(trace.get('errors')) or 'no message'}")
    nodes = tables(trace.get("nodes"))
    sampled = [node for node in nodes if node.get("sampled") is True]
    root_reply = trace.get("root_reply")
    if not sampled and not isinstance(root_reply, str):
        why = error_text(trace.get("errors")) or first_text(trace.get("stop_condition")) or "no sampled message"
        return NoReply(reason=f"the model never replied: {why}")
    last = table(sampled[-1].get("message")) if sampled else {}
    calls = tables(trace.get("calls")) or sampled  # until 0.2 usage and finish reason stood with the node
    usages = [table(call.get("usage")) for call in calls]
    named = first_text(*(call.get("model") for call in reversed(calls)))
    return Reply(
        kernel=kernel_of(table(task.get("data"))),
        text=root_reply if isinstance(root_reply, str) else content_text(last.get("content")),
        model=first_text(table(table(trace.get("agent")).get("config")).get("model"), named),
        served_model=named,
        trace_id=first_text(trace.get("id")),
        prompt_tokens=total(count(usage.get(key)) for usage in usages for key in ("prompt_tokens", "cached_input_tokens")),
        completion_tokens=total(count(usage.get("completion_tokens")) for usage in usages),
        cut_short=is_cut_short(trace, calls),
        scores=scores_of_trace(trace, task),
    )


def is_cut_short(trace: Row, calls: list[Row]) -> bool:
    answered = next((call for call in reversed(calls) if not call.get("error")), {})
    return answered.get("finish_reason") == "length" or trace.get("stop_condition") in CUT_SHORT

"""What a trace says: the reply to grade, and the record of its grading as reward and metrics. Nothing here needs verifiers."""

from __future__ import annotations

from typing import Any

from grading.extraction.messages import is_said
from grading.result import FLAGS

KEY = "grade"  # of the record in trace.info
REWARD = "kernel_score"
AMOUNTS = ("speedup", "sol_ms", "ref_ms", "throughput_m", "extra_mb", "peak_mb")
METRICS = FLAGS + AMOUNTS


class NeverReplied(Exception):
    """The model has said nothing at all: there is no answer to grade, so it is not one that failed."""


class NotGraded(Exception):
    """The trace has no grading: an error, never a score of 0."""


def reply_of(trace: Any) -> str:
    """The text of the model's last message, as the site reads it from the trace. An empty message is a reply, too."""
    if isinstance(trace.root_reply, str):
        return trace.root_reply
    sampled = [node for node in trace.nodes if node.sampled]
    if not sampled:
        raise NeverReplied(f"the model never replied ({trace.stop_condition or 'no sampled message'}): nothing to grade")
    content = getattr(sampled[-1].message, "content", None)
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(text for part in content if isinstance(text := _field(part, "text"), str) and is_said(_field(part, "type")))


def record_of(trace: Any) -> dict[str, Any]:
    """The record that finalize has left in the trace."""
    record = trace.info.get(KEY)
    if not isinstance(record, dict) or "verdict" not in record:
        raise NotGraded(f"the answer was not graded ({trace.stop_condition or 'no record in the trace'})")
    return record


def rewards(record: dict[str, Any]) -> dict[str, float]:
    """Nothing where the record has no score: an emulated run measures no speed."""
    score = record.get(REWARD)
    return {} if score is None else {REWARD: float(score)}


def metrics(record: dict[str, Any]) -> dict[str, float | None]:
    """All metrics; None where a stage was not reached, or nothing measured."""
    return {name: None if (value := record.get(name)) is None else float(value) for name in METRICS}


def _field(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, dict) else getattr(part, name, None)

"""What the environment grades of a trace is what the site reads from the file, for every recorded trace."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from arch_kernels_v1.trace import NeverReplied, reply_of
from leaderboard.bundles.formats.base import Reply
from leaderboard.bundles.formats.traces import read_trace
from tests.conftest import OLDER_RUNS, RUNS

FILES = sorted([*RUNS.rglob("traces.jsonl"), *OLDER_RUNS.rglob("traces.jsonl")])


def as_object(value: Any) -> Any:
    """A trace of a file as verifiers has it in memory."""
    if isinstance(value, list):
        return [as_object(item) for item in value]
    return SimpleNamespace(**{name: as_object(item) for name, item in value.items()}) if isinstance(value, dict) else value


def in_memory(trace: dict[str, Any]) -> Any:
    nodes = [as_object({"sampled": False, **node}) for node in trace.get("nodes", [])]
    return SimpleNamespace(nodes=nodes, root_reply=trace.get("root_reply"), stop_condition=trace.get("stop_condition"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_the_same_text_is_graded_here_and_there(path):
    seen = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for trace in row.get("traces", [row]):
            site = read_trace(trace, trace.get("task") or row["task"])
            if isinstance(site, Reply):
                assert reply_of(in_memory(trace)) == site.text
                seen += 1
            elif trace.get("stop_condition") != "provider_error":  # then verifiers does not even ask us
                with pytest.raises(NeverReplied):
                    reply_of(in_memory(trace))
    assert seen

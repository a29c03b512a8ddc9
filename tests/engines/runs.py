"""The replies of the real run folders, and the verdicts they must get."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

SUBMISSIONS = Path(__file__).resolve().parents[1] / "submissions"


@dataclass(frozen=True)
class Row:
    model: str
    kernel: str
    rollout: int
    verdict: str  # of the architecture asked for
    reply: str


def rows_of(arch: str) -> list[Row]:
    return [row for truth in sorted((SUBMISSIONS / "truth").glob("*.csv")) for row in _of_model(truth, arch)]


def _of_model(truth: Path, arch: str) -> list[Row]:
    with truth.open(encoding="utf-8") as file:
        said = list(csv.DictReader(file))
    for run in sorted((SUBMISSIONS / "runs").glob(f"*--{truth.stem}--*")):
        replies = _replies(run / "traces.jsonl")
        if sum(map(len, replies.values())) == len(said):  # in another run of the model the provider failed
            return [_row(truth.stem, line, arch, replies) for line in said]
    raise AssertionError(f"no run folder fits {truth}")


def _row(model: str, line: dict[str, str], arch: str, replies: dict[str, list[str]]) -> Row:
    rollout = int(line["rollout"])  # its rank among the rows of its kernel
    verdict = line[arch].removeprefix("forbidden-or-")
    return Row(model, line["kernel"], rollout, verdict, replies[line["kernel"]][rollout])


def _replies(path: Path) -> dict[str, list[str]]:
    replies = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for trace in row["traces"]:
            said = [node["message"].get("content") for node in trace["nodes"] if node["message"]["role"] == "assistant"]
            if said:  # else the provider failed
                replies[row["task"]["data"]["name"]].append(said[-1] or "")
    return replies

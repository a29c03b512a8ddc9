"""Every reply of three models gets the verdict that its code deserves (tests/submissions/runs and truth)."""

import csv
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

import pytest

from grading.answer import extract
from grading.pipeline import Options, grade_reply
from kernels.catalog import get_kernel, load_catalog
from tests.grading.corpus import SUBMISSIONS, quick_size

RUNS = {
    "plain-7b": "arch-kernels-v1--stub--plain-7b--null--8cb61393",
    "portable-70b": "arch-kernels-v1--stub--portable-70b--null--8f39c5ba",
    "simd-x": "arch-kernels-v1--stub--simd-x--null--d50891c8",
}
AS_MEASURED = Options()
QUICK = Options(rounds=5, processes=1, total_s=20)
HOPELESS = Options(rounds=5, processes=1, call_s=2, total_s=3)  # endless, exponential or quadratic: no budget would do
# Over the limit at these sizes already; sorting a copy takes memory by the element: there the limit shrinks with the size.
OVER_MEMORY = {
    "count_primes": Options(rounds=5, processes=1, size=10_000_000),
    "levenshtein": Options(rounds=5, processes=1, size=2500),
    "count_distinct_u32": Options(rounds=5, processes=1, size=1 << 20, memory_limit_mb=2.5),
}


@dataclass(frozen=True)
class Reply:
    """What a model replied, and the verdict it deserves on amd64."""

    model: str
    kernel: str
    rollout: int
    text: str
    verdict: str
    note: str

    @property
    def name(self) -> str:
        return f"{self.model}-{self.kernel}-{self.rollout}-{self.verdict}"


def replies() -> list[Reply]:
    found = []
    for model, folder in RUNS.items():
        with open(SUBMISSIONS / "truth" / f"{model}.csv", newline="", encoding="utf-8") as file:
            truth = {(row["kernel"], int(row["rollout"])): row for row in csv.DictReader(file)}
        seen: Counter[str] = Counter()
        with open(SUBMISSIONS / "runs" / folder / "traces.jsonl", encoding="utf-8") as file:
            for episode in map(json.loads, file):
                kernel = episode["task"]["data"]["kernel"]
                row = truth.pop((kernel, seen[kernel]))
                verdict = "passed" if row["amd64"] == "forbidden-or-passed" else row["amd64"]
                found.append(Reply(model, kernel, seen[kernel], reply_text(episode), verdict, row["note"]))
                seen[kernel] += 1
        assert not truth
    return found


def reply_text(episode: dict) -> str:
    sampled = [node for node in episode["traces"][0]["nodes"] if node.get("sampled")]
    return sampled[-1]["message"].get("content") or ""


REPLIES = replies()


def quick_sample() -> set[Reply]:
    """A dozen of each kind where there are so many, spread over models and kernels."""
    kinds = defaultdict(list)
    for reply in REPLIES:
        kinds[reply.verdict].append(reply)
    return {reply for kind in kinds.values() for reply in kind[:: max(1, len(kind) // 12)][:12]}


def quick_options(reply: Reply) -> Options:
    if reply.verdict == "time_limit":
        return HOPELESS
    if reply.verdict == "memory_limit":
        return OVER_MEMORY[reply.kernel]
    return replace(QUICK, size=quick_size(reply.kernel))


def test_every_recorded_reply_is_there_and_is_to_a_kernel():
    assert len(REPLIES) == 91
    assert {reply.kernel for reply in REPLIES} <= load_catalog().keys()


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.name)
def test_the_code_that_a_reply_answers_with_is_found(reply):
    found = extract(reply.text, reply.kernel)
    assert (found.source is None) == (reply.verdict == "no_answer")
    if reply.verdict not in ("no_answer", "compile_error"):
        assert found.answer_from in ("text", "block")
        assert found.source in reply.text


@pytest.mark.parametrize("path", sorted((SUBMISSIONS.parent / "data" / "replies").glob("*.txt")), ids=lambda path: path.stem)
def test_a_reply_that_was_misread_once_gets_its_verdict(path, local_sandbox):
    """Closing remarks with tags, thoughts, fences in odd places, characters of typesetters and of chat templates."""
    kernel = get_kernel("dot_f32")
    thought = "think" in path.stem
    result = grade_reply(path.read_text(encoding="utf-8"), kernel, local_sandbox, replace(QUICK, size=quick_size("dot_f32")))
    assert result.verdict == ("no_answer" if thought else "passed"), result.detail
    assert (result.answer_from is None) == thought


@pytest.mark.parametrize("reply", [reply for reply in REPLIES if reply in quick_sample()], ids=lambda reply: reply.name)
def test_a_reply_gets_its_verdict(reply, local_sandbox):
    assert_verdict(reply, local_sandbox, quick_options(reply))


@pytest.mark.slow
@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.name)
def test_every_reply_gets_its_verdict_as_it_is_measured(reply, local_sandbox):
    assert_verdict(reply, local_sandbox, HOPELESS if reply.verdict == "time_limit" else AS_MEASURED)


def assert_verdict(reply, sandbox, options):
    if sandbox.arch != "amd64":
        pytest.skip("the verdicts are amd64's")
    result = grade_reply(reply.text, get_kernel(reply.kernel), sandbox, options)
    assert result.verdict == reply.verdict, f"{result.detail} ({reply.note})"
    assert result.passed is (reply.verdict == "passed")

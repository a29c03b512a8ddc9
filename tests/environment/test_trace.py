"""From a trace to what is scored, without verifiers: anything with a trace's attributes will do."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from arch_kernels_v1.trace import METRICS, NeverReplied, NotGraded, metrics, record_of, reply_of, rewards
from grading.faults import SandboxGone
from grading.pipeline import fault_result, grade_reply
from grading.result import FIELDS
from kernels.catalog import get_kernel
from tests.grading.fakes import PASSED, FakeSandbox, printed

ANSWER = "<answer>float dot_f32(const float *a, const float *b, size_t n) { return 0; }</answer>"


def node(content, *, sampled=True):
    return SimpleNamespace(sampled=sampled, message=SimpleNamespace(content=content))


def trace(*nodes, root_reply=None, stop_condition="agent_completed", **info):
    return SimpleNamespace(nodes=list(nodes), root_reply=root_reply, stop_condition=stop_condition, info=info)


def graded(reply=ANSWER, **changes):
    sandbox = FakeSandbox(printed(PASSED | changes))
    return grade_reply(reply, get_kernel("dot_f32"), sandbox).to_dict()


def test_the_reply_is_the_last_message_that_the_model_wrote():
    prompt = node("Write C.", sampled=False)
    assert reply_of(trace(prompt, node("first"), node("last"))) == "last"
    assert reply_of(trace(prompt, node("last"), node("tool", sampled=False))) == "last"
    assert reply_of(trace(prompt, node("last"), root_reply="root")) == "root"
    assert reply_of(trace(prompt, node("last"), root_reply="")) == ""


def test_parts_that_are_reasoning_are_no_reply():
    parts = [
        {"type": "reasoning", "text": "<answer>draft</answer>"},
        SimpleNamespace(type="thinking", text="hm"),
        {"text": ANSWER},
    ]
    assert reply_of(trace(node(parts))) == ANSWER


def test_the_record_says_which_rule_chose_the_code():
    assert graded(ANSWER)["answer_from"] == "text"
    assert graded("no tags")["answer_from"] is None


def test_an_empty_message_is_a_reply():
    assert reply_of(trace(node(None))) == ""
    assert reply_of(trace(node("before"), node(""))) == ""


def test_a_message_in_parts_is_their_text():
    parts = [{"type": "text", "text": "one "}, SimpleNamespace(text="two"), SimpleNamespace(image_url="x")]
    assert reply_of(trace(node(parts))) == "one two"


def test_a_model_that_never_replied_is_not_graded():
    with pytest.raises(NeverReplied, match="agent_timeout"):
        reply_of(trace(node("Write C.", sampled=False), stop_condition="agent_timeout"))


def test_a_trace_without_a_record_has_no_score():
    for info in ({}, {"grade": None}, {"grade": {}}):
        with pytest.raises(NotGraded, match="finalize_timeout"):
            record_of(trace(node(ANSWER), stop_condition="finalize_timeout", **info))


def test_a_passed_answer_has_all_metrics_and_its_score():
    record = graded()
    assert record_of(trace(grade=record)) is record
    assert rewards(record) == {"kernel_score": record["kernel_score"]}
    found = metrics(record)
    assert list(found) == [*METRICS]
    assert set(METRICS) < set(FIELDS)
    assert all(isinstance(value, float) for value in found.values())
    assert (found["passed"], found["speedup"], found["extra_mb"]) == (1.0, pytest.approx(2.0), 0.5)


@pytest.mark.parametrize(
    ("reply", "changes", "parsed", "compiled", "correct"),
    [
        ("I would rather not.", {}, 0.0, None, None),
        ("", {}, 0.0, None, None),
        (ANSWER, {"verdict": "compile_error", "compiled": False, "correct": None}, 1.0, 0.0, None),
        (ANSWER, {"verdict": "wrong_answer", "correct": False}, 1.0, 1.0, 0.0),
        (ANSWER, {"verdict": "memory_limit"}, 1.0, 1.0, 1.0),
    ],
)
def test_a_failed_answer_has_a_score_of_0_and_no_metric_of_a_stage_that_was_not_reached(
    reply, changes, parsed, compiled, correct
):
    record = graded(reply, **changes)
    found = metrics(record)
    assert rewards(record) == {"kernel_score": 0.0}
    assert (found["answer_parsed"], found["compiled"], found["correct"], found["passed"]) == (parsed, compiled, correct, 0.0)
    assert (found["speedup"], found["sol_ms"], found["throughput_m"]) == (None, None, None)


def test_an_emulated_run_has_no_reward_but_its_verdict():
    sandbox = FakeSandbox()
    sandbox.emulated = True
    record = grade_reply(ANSWER, get_kernel("dot_f32"), sandbox).to_dict()
    assert rewards(record) == {}
    assert (metrics(record)["passed"], metrics(record)["speedup"], metrics(record)["within_memory"]) == (1.0, None, None)


def test_a_fault_of_ours_never_has_a_score():
    record = fault_result(SandboxGone("gone"), get_kernel("dot_f32"), arch="amd64", sandbox="fake").to_dict()
    assert rewards(record) == {}

"""The record: stages, fields, and what JSON may hold."""

import json
from dataclasses import replace

import pytest

from grading.result import FIELDS, GradingResult, Stages, Verdict, stages_of

# fmt: off
CONTRACT = [
    "schema", "kernel", "kernel_version", "arch", "sandbox", "emulated", "verdict", "detail", "answer_parsed", "compiled",
    "correct", "within_memory", "passed", "speedup", "speedup_low", "speedup_high", "sol_ms", "ref_ms", "throughput_m",
    "extra_mb", "peak_mb", "kernel_score", "samples", "machine", "log", "seconds",
    "answer_from",
]
PRECEDENCE = [
    "no_answer", "compile_error", "forbidden", "runtime_error", "time_limit", "wrong_answer", "extra_thread",
    "memory_limit", "passed", "internal_error",
]
# fmt: on

T, F, N = True, False, None
IMPLIED = {
    Verdict.NO_ANSWER: (F, N, N, N, F),
    Verdict.COMPILE_ERROR: (T, F, N, N, F),
    Verdict.FORBIDDEN: (T, F, N, N, F),
    Verdict.RUNTIME_ERROR: (T, T, F, N, F),
    Verdict.TIME_LIMIT: (T, T, F, N, F),
    Verdict.WRONG_ANSWER: (T, T, F, N, F),
    Verdict.EXTRA_THREAD: (T, T, N, N, F),
    Verdict.MEMORY_LIMIT: (T, T, T, F, F),
    Verdict.PASSED: (T, T, T, T, T),
    Verdict.INTERNAL_ERROR: (N, N, N, N, N),
}


def record(**changes):
    stages = vars(stages_of(Verdict.PASSED))
    base = GradingResult(
        kernel="dot_f32",
        kernel_version="1.1+0",
        arch="amd64",
        sandbox="local",
        emulated=False,
        verdict=Verdict.PASSED,
        detail="",
        **stages,
    )
    return replace(base, **changes)


def stages(*flags):
    return Stages(**dict(zip(("answer_parsed", "compiled", "correct", "within_memory", "passed"), flags, strict=True)))


def test_the_record_has_the_fields_of_the_contract_in_their_order():
    assert list(FIELDS) == list(record().to_dict())
    assert list(FIELDS)[: len(CONTRACT)] == CONTRACT  # whatever is new comes at the end


def test_verdicts_stand_in_order_of_precedence():
    assert [verdict.value for verdict in Verdict] == PRECEDENCE


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_says_which_stages_were_reached(verdict):
    assert stages_of(verdict, compiled=False) == stages(*IMPLIED[verdict])


def test_a_source_that_is_too_long_was_never_compiled():
    assert stages_of(Verdict.FORBIDDEN).compiled is None


def test_a_thread_that_was_ended_in_a_call_means_that_the_call_failed():
    assert stages_of(Verdict.EXTRA_THREAD, correct=False).correct is False


def test_memory_is_not_judged_under_an_emulator():
    assert stages_of(Verdict.PASSED, emulated=True) == stages(T, T, T, N, T)


@pytest.mark.parametrize("verdict", Verdict)
def test_no_stage_passes_after_one_that_failed(verdict):
    flags = list(vars(stages_of(verdict)).values())[:4]
    after_failure = flags[flags.index(False) + 1 :] if False in flags else []
    assert True not in after_failure
    assert (flags == [True] * 4) == (verdict is Verdict.PASSED)


def test_numbers_in_json_are_finite_or_null():
    written = record(speedup=float("nan"), sol_ms=float("inf"), samples={"answer_ns": [1.0, float("-inf")]}).to_dict()
    text = json.dumps(written, allow_nan=False)
    assert json.loads(text)["speedup"] is None
    assert json.loads(text)["samples"] == {"answer_ns": [1.0, None]}
    assert json.loads(text)["verdict"] == "passed"

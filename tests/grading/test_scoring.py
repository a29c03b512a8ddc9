"""Scores: pure arithmetic, tested by properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.result import Verdict
from grading.scoring import kernel_score, speedup_score, throughput_m

speedups = st.floats(min_value=1e-9, max_value=1e9)
FAILED = [verdict for verdict in Verdict if verdict not in (Verdict.PASSED, Verdict.INTERNAL_ERROR)]


@given(speedups)
def test_a_passed_answer_scores_between_a_half_and_one(speedup):
    assert 0.5 <= speedup_score(speedup) <= 1.0


@given(speedups, speedups)
def test_faster_never_scores_less(first, second):
    slower, faster = sorted((first, second))
    assert speedup_score(slower) <= speedup_score(faster)


@given(st.floats(min_value=1.0, max_value=2.0), st.floats(min_value=1.0, max_value=4.0))
def test_equal_factors_score_equal_steps(start, factor):
    step = speedup_score(start * factor) - speedup_score(start)
    assert step == pytest.approx(0.5 * math.log(factor) / math.log(8))


@pytest.mark.parametrize(
    ("speedup", "score"), [(0.1, 0.5), (1.0, 0.5), (2.0, 2 / 3), (math.sqrt(8), 0.75), (8.0, 1.0), (300.0, 1.0)]
)
def test_known_scores(speedup, score):
    assert speedup_score(speedup) == pytest.approx(score)


@pytest.mark.parametrize("verdict", FAILED)
def test_every_failure_scores_zero(verdict):
    assert kernel_score(verdict, None) == 0.0


def test_our_faults_and_emulated_runs_have_no_score():
    assert kernel_score(Verdict.INTERNAL_ERROR, None) is None
    assert kernel_score(Verdict.PASSED, None, emulated=True) is None
    assert kernel_score(Verdict.WRONG_ANSWER, None, emulated=True) is None


def test_a_passed_answer_without_a_speedup_is_a_mistake_of_ours():
    with pytest.raises(ValueError):
        kernel_score(Verdict.PASSED, None)


def test_throughput_is_millions_of_units_a_second():
    assert throughput_m(16_000_000, 8.0) == pytest.approx(2000.0)

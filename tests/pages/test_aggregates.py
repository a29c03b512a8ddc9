import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from leaderboard.aggregates import ranks, summarise, wilson


@dataclass
class Cell:
    answers: int
    passed: int
    score_mean: float | None = 0.5
    log_speedup_sum: float = 0.0
    log_extra_sum: float = 0.0
    verdicts: dict[str, int] = field(default_factory=dict)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_pass_rate_has_wilsons_interval(case: tuple[int, int]) -> None:
    passed, answers = case
    theirs = binomtest(passed, answers).proportion_ci(method="wilson")
    ours = wilson(passed, answers)
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)
    assert 0 <= ours.low <= ours.value <= ours.high <= 1


def test_the_score_is_a_mean_over_kernels_so_that_many_answers_to_one_do_not_weigh_more() -> None:
    summary = summarise([(Cell(answers=10, passed=10, score_mean=1.0), 4), (Cell(answers=1, passed=1, score_mean=0.5), 4)])
    assert summary.score.value == 0.75
    assert summary.kernels == 2


def test_speedup_is_the_geometric_mean_over_passed_answers() -> None:
    cells = [
        (Cell(answers=3, passed=2, log_speedup_sum=math.log(2) + math.log(8)), 4),
        (Cell(answers=2, passed=1, log_speedup_sum=math.log(4)), 20),
    ]
    assert summarise(cells).speedup.value == pytest.approx(4)


def test_memory_is_shown_as_a_share_of_each_kernels_own_limit() -> None:
    cells = [
        (Cell(answers=1, passed=1, log_extra_sum=math.log(0.4)), 4),
        (Cell(answers=1, passed=1, log_extra_sum=math.log(2.0)), 20),
    ]
    summary = summarise(cells)
    assert summary.extra_share == pytest.approx(0.1)
    assert summary.extra_mb == pytest.approx(math.sqrt(0.8))


def test_a_model_that_passed_nothing_has_no_speedup_but_a_score_of_zero() -> None:
    summary = summarise([(Cell(answers=3, passed=0, score_mean=0.0, verdicts={"wrong_answer": 3}), 4)])
    assert summary.speedup.value is None
    assert summary.extra_mb is None
    assert summary.score.value == 0
    assert summary.pass_rate.value == 0
    assert summary.failed == 3


@given(st.lists(st.tuples(st.integers(1, 5), st.floats(0, 1)), min_size=1, max_size=13))
def test_the_order_of_cells_changes_no_number(kernels: list[tuple[int, float]]) -> None:
    cells = [(Cell(answers=n, passed=n, score_mean=score, log_speedup_sum=n * score), 4.0) for n, score in kernels]
    assert summarise(cells) == summarise(list(reversed(cells)))


@given(st.integers(1, 100), st.integers(0, 100))
def test_adding_a_failure_never_raises_the_pass_rate(answers: int, passed: int) -> None:
    passed = min(passed, answers)
    before, after = wilson(passed, answers), wilson(passed, answers + 1)
    assert after.value <= before.value
    assert after.high <= before.high + 1e-12


def test_equal_values_share_their_ranks_and_a_missing_one_has_none() -> None:
    values = [0.5, 0.9, None, 0.5, 0.1]
    assert ranks(values, lambda v: v, descending=True) == [(2, 3), (1, 1), None, (2, 3), (4, 4)]
    assert ranks(values, lambda v: v, descending=False) == [(2, 3), (4, 4), None, (2, 3), (1, 1)]

import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.aggregates import Measures, Summary, strata, summarise


@dataclass
class Cell:
    answers: int
    passed: int
    per_answer: dict[str, list[float]] = field(default_factory=dict)
    verdicts: dict[str, int] = field(default_factory=dict)


LIMIT = Measures(limit_mb=4)


def of_speedups(*kernels: list[float | None]) -> Summary:
    """A summary of answers with these speedups, None for a failed one; a list per kernel."""
    cells = []
    for answers in kernels:
        passed = [speedup for speedup in answers if speedup is not None]
        scores = [0.0 if speedup is None else 1.0 for speedup in answers]
        per_answer = {"scores": scores, "log_speedups": [math.log(speedup) for speedup in passed]}
        cells.append((Cell(answers=len(answers), passed=len(passed), per_answer=per_answer), LIMIT))
    return summarise(cells)


def test_the_score_is_a_mean_over_kernels_so_that_many_answers_to_one_do_not_weigh_more() -> None:
    summary = of_speedups([1.0] * 10, [None])
    assert summary.score.value == 0.5
    assert summary.kernels == 2


def test_speedup_is_the_geometric_mean_over_passed_answers_and_once_more_with_failures_as_1x() -> None:
    summary = of_speedups([2.0, 8.0, None], [4.0, None])
    assert summary.speedup.value == pytest.approx(4)
    assert summary.speedup_all.value == pytest.approx((16 ** (1 / 3) * 4 ** (1 / 2)) ** (1 / 2))


def test_an_interval_needs_two_answers_of_every_kernel() -> None:
    assert of_speedups([2.0, 4.0], [8.0]).speedup.low is None
    assert of_speedups([2.0, 4.0], [8.0]).score.low is None
    whole = of_speedups([2.0, 4.0], [8.0, 9.0])
    assert whole.speedup.low < whole.speedup.value < whole.speedup.high  # type: ignore[operator]


def test_an_interval_of_the_score_stays_within_0_and_1() -> None:
    score = of_speedups([1.0, None], [1.0, 1.0]).score
    assert score.low is not None
    assert score.low >= 0
    assert score.high == 1


def test_memory_is_a_share_of_each_kernels_own_limit_and_of_what_the_reference_needs() -> None:
    cells = [
        (Cell(1, 1, {"log_extras": [math.log(0.4)]}), Measures(limit_mb=4, reference_mb=0.2)),
        (Cell(1, 1, {"log_extras": [math.log(2.0)]}), Measures(limit_mb=20)),
    ]
    summary = summarise(cells)
    assert summary.extra_share == pytest.approx(0.1)
    assert summary.extra_mb == pytest.approx(math.sqrt(0.8))
    assert summary.share_of_reference.value == pytest.approx(2)


def test_a_model_that_passed_nothing_has_no_speedup_but_a_score_of_zero() -> None:
    summary = of_speedups([None, None, None])
    assert summary.speedup.value is None
    assert summary.extra_mb is None
    assert summary.speedup_all.value == 1
    assert summary.score.value == 0
    assert summary.pass_rate.value == 0
    assert summary.failed == 3


@given(st.lists(st.lists(st.one_of(st.none(), st.floats(0.1, 100)), min_size=1, max_size=4), min_size=1, max_size=13))
def test_the_order_of_kernels_changes_no_number(kernels: list[list[float | None]]) -> None:
    ahead, back = of_speedups(*kernels), of_speedups(*reversed(kernels))
    assert ahead.score.value == pytest.approx(back.score.value)
    assert (ahead.speedup.value or 0) == pytest.approx(back.speedup.value or 0)
    assert ahead.fast == back.fast


@given(st.lists(st.one_of(st.none(), st.floats(0.1, 100)), min_size=1, max_size=8))
def test_adding_a_failure_never_raises_a_rate(answers: list[float | None]) -> None:
    before, after = of_speedups(answers), of_speedups([*answers, None])
    assert after.pass_rate.value <= before.pass_rate.value  # type: ignore[operator]
    assert all(now.value <= then.value for (_, then), (_, now) in zip(before.fast, after.fast, strict=True))  # type: ignore[operator]


def test_fast_p_counts_failures_and_what_is_exactly_as_fast() -> None:
    summary = of_speedups([1.0, 2.0, 4.5, None])
    assert [summary.fast_at(p).value for p in (0.5, 1.0, 2.0, 4.0, 8.0)] == [0.75, 0.75, 0.5, 0.25, 0]


def test_a_kernel_passed_once_of_several_times_is_left_out_of_a_comparison_of_speed_but_not_of_passing() -> None:
    once = Cell(answers=3, passed=1, per_answer={"log_speedups": [1.0], "scores": [0, 0, 0.5]})
    single = Cell(answers=1, passed=1, per_answer={"log_speedups": [1.0], "scores": [0.5]})
    assert strata({"a": once, "b": single}, "speedup") == {"b": [1.0]}
    assert strata({"a": once, "b": single}, "pass") == {"a": [0.0, 0.0, 1.0], "b": [1.0]}
    assert strata({"a": once}, "fast:2") == {"a": [0.0, 0.0, 1.0]}


def test_where_no_kernel_was_passed_twice_speed_has_no_interval_rather_than_one_of_no_width() -> None:
    assert of_speedups([8.0, None]).speedup.low is None
    assert of_speedups([8.0, None], [2.0, None]).speedup.low is None

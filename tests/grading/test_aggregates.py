"""The published figures against independent computations, and what must hold of them whatever the data are."""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
import scipy  # scipy.stats is loaded by the test that needs it: it takes a second
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.statistics import (
    Estimate,
    best_of,
    best_values,
    clipped,
    difference,
    exponential,
    fast_p,
    ranges_of,
    ratio_of_sums,
    stratified_mean,
    surely_better,
    wilson,
)

scores = st.floats(0, 1, allow_nan=False)
strata = st.lists(st.lists(scores, min_size=1, max_size=5), min_size=1, max_size=13)


def rank_ranges(models: list[dict[str, list[float]]]) -> list[tuple[int, int]]:
    return ranges_of(surely_better(models))


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (3, 7), (39, 39), (0, 39), (17, 65)])
def test_wilson_is_scipys(successes: int, trials: int) -> None:
    ours, theirs = wilson(successes, trials), scipy.stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert ours.value == successes / trials
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)


def test_no_answers_have_no_rate() -> None:
    assert wilson(0, 0) == Estimate()


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_failure_more_never_raises_a_rate(counts: tuple[int, int]) -> None:
    passed, answers = counts
    before, after = wilson(passed, answers), wilson(passed, answers + 1)
    assert (after.value, after.low, after.high) <= (before.value, before.low, before.high)


def test_one_stratum_gives_the_textbook_t_interval() -> None:
    values = [0.5, 0.7, 0.9, 0.4]
    low, high = scipy.stats.t.interval(0.95, len(values) - 1, np.mean(values), scipy.stats.sem(values))
    ours = stratified_mean([values])
    assert ours.value == pytest.approx(np.mean(values))
    # one stratum has exactly n - 1 degrees of freedom
    assert (ours.low, ours.high) == pytest.approx((low, high))


def test_a_kernel_answered_more_often_weighs_no_more() -> None:
    assert stratified_mean([[1.0, 1.0], [0.0] * 8]).value == 0.5


def test_one_rollout_shows_no_interval() -> None:
    assert stratified_mean([[0.5, 0.5], [1.0]]) == Estimate(0.75)
    assert ratio_of_sums([[(1.0, 1.0)], [(1.0, 1.0), (2.0, 1.0)]]).low is None


@given(strata)
def test_the_order_of_kernels_and_rollouts_changes_nothing(data: list[list[float]]) -> None:
    turned = [list(reversed(values)) for values in reversed(data)]
    ours, theirs = stratified_mean(data), stratified_mean(turned)
    for a, b in zip((ours.value, ours.low, ours.high), (theirs.value, theirs.low, theirs.high), strict=True):
        assert a == pytest.approx(b, abs=1e-9)


def test_a_ratio_of_sums_is_the_geometric_mean_over_passed_answers() -> None:
    speedups = [[2.0, None, 8.0], [1.0, 4.0], [None, None]]
    pairs = [[(0.0, 0.0) if s is None else (log(s), 1.0) for s in kernel] for kernel in speedups]
    mean = exponential(ratio_of_sums(pairs))
    assert mean.value == pytest.approx(scipy.stats.gmean([2.0, 8.0, 1.0, 4.0]))
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < mean.value < mean.high


def test_nothing_passed_has_no_speedup() -> None:
    assert ratio_of_sums([[(0.0, 0.0), (0.0, 0.0)]]) == Estimate()
    assert exponential(Estimate()) == Estimate()


def test_clipping_keeps_the_value_and_bounds_the_interval() -> None:
    assert clipped(Estimate(0.9, 0.7, 1.1), 0, 1) == Estimate(0.9, 0.7, 1)
    assert clipped(Estimate(0.9), 0, 1) == Estimate(0.9)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=7), st.integers(1, 7))
def test_best_of_k_is_the_mean_over_all_subsets(values: list[float], k: int) -> None:
    if k > len(values):
        assert best_of(values, k) is None
    else:
        assert best_of(values, k) == pytest.approx(np.mean([max(some) for some in combinations(values, k)]), abs=1e-9)


def test_best_of_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="best of 0"):
        best_of([1.0], 0)


def test_fast_p_counts_passed_answers_at_least_that_fast() -> None:
    curve = dict(fast_p([None, 0.9, 1.0, 8.0], [0.5, 1.0, 2.0]))
    assert [curve[p].value for p in (0.5, 1.0, 2.0)] == [0.75, 0.5, 0.25]


@given(st.lists(st.none() | st.floats(0.1, 100), min_size=1, max_size=30))
def test_fast_p_never_rises(speedups: list[float | None]) -> None:
    values = [estimate.value for _, estimate in fast_p(speedups)]
    assert values == sorted(values, reverse=True)


def model(seed: int, level: float, kernels: int = 13, rollouts: int = 3) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    return {f"k{i}": list(np.clip(level + 0.1 * rng.standard_normal(rollouts), 0, 1)) for i in range(kernels)}


def test_a_difference_agrees_with_scipys_bootstrap() -> None:
    a, b = model(1, 0.7, rollouts=12), model(2, 0.6, rollouts=12)
    groups = [np.array(v) for v in (*a.values(), *b.values())]

    def statistic(*resampled: np.ndarray, axis: int = -1) -> np.ndarray:
        means = np.stack([r.mean(axis=axis) for r in resampled])
        return means[:13].mean(axis=0) - means[13:].mean(axis=0)

    theirs = scipy.stats.bootstrap(groups, statistic, method="basic", random_state=1, n_resamples=4000).confidence_interval
    ours = difference(a, b)
    # at 12 rollouts n - 1 against n and t against z are worth 5 %
    assert ours.low == pytest.approx(theirs.low, abs=0.1 * (theirs.high - theirs.low))
    assert ours.high == pytest.approx(theirs.high, abs=0.1 * (theirs.high - theirs.low))


@given(st.integers(0, 1000), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_swapping_two_models_changes_the_sign_only(one: int, other: int) -> None:
    a, b = model(one, 0.5), model(other, 0.6)
    there, back = difference(a, b), difference(b, a)
    assert there.value == pytest.approx(-back.value)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_duplicate_ties_with_itself() -> None:
    a = model(3, 0.5)
    assert rank_ranges([a, dict(a)]) == [(1, 2), (1, 2)]


def test_clear_differences_are_ranked_and_close_ones_tie() -> None:
    assert rank_ranges([model(1, 0.9), model(2, 0.5), model(3, 0.5), model(4, 0.1)]) == [(1, 1), (2, 3), (2, 3), (4, 4)]


@given(st.permutations(range(5)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_models_changes_no_rank(order: list[int]) -> None:
    models = [model(i, level) for i, level in enumerate((0.9, 0.5, 0.52, 0.3, 0.1))]
    straight = rank_ranges(models)
    assert rank_ranges([models[i] for i in order]) == [straight[i] for i in order]


def test_models_without_a_common_kernel_tie() -> None:
    assert difference({"a": [1.0, 1.0]}, {"b": [0.0, 0.0]}) == Estimate()
    assert rank_ranges([{"a": [1.0, 1.0]}, {"b": [0.0, 0.0]}]) == [(1, 2), (1, 2)]


def test_the_same_data_give_the_same_bytes() -> None:
    a, b = model(5, 0.5), model(6, 0.55)
    assert repr(difference(a, b)) == repr(difference(a, b))


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_best_of_k_is_the_mean_of_the_best_over_all_choices_of_k(k: int) -> None:
    values = [0.0, 0.0, 0.3, 0.55, 0.9, 1.0]
    everything = [max(chosen) for chosen in combinations(values, k)]
    assert best_of(values, k) == pytest.approx(sum(everything) / len(everything))


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_pseudo_values_of_best_of_k_are_made_by_leaving_out_one_each(k: int) -> None:
    values = [0.9, 0.0, 0.3, 0.3, 1.0, 0.55]
    whole = best_of(values, k)
    assert whole is not None
    left_out = [best_of([v for j, v in enumerate(sorted(values)) if j != i], k) or 0.0 for i in range(6)]
    assert best_values(values, k) == pytest.approx([6 * whole - 5 * other for other in left_out])
    assert sum(best_values(values, k)) / 6 == pytest.approx(whole)


def test_best_of_as_many_as_there_are_has_nothing_to_leave_out() -> None:
    assert best_values([0.2, 0.7], 2) == [0.7]
    assert best_values([0.2], 2) == []

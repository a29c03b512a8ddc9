"""First calls and short ones: what is said of synthetic times."""

import numpy as np
import pytest

from grading.scoring import counted_speedup
from grading.statistics import FirstCalls, Samples, is_unresolved, keeps_state, of_first_calls, speedup_of, with_cold_calls
from grading.statistics.first_calls import ALLOWED, ALLOWED_NS, lower_bound


def samples(later_ns, reference_ns=1e8, *, seed=0, noise=0.05, processes=5, each=4):
    rng = np.random.default_rng(seed)
    count = processes * each
    moved = np.repeat(np.exp(noise * rng.standard_normal(processes)), each)
    return Samples(
        answer_ns=tuple((later_ns * moved * np.exp(noise * rng.standard_normal(count))).tolist()),
        reference_ns=tuple((reference_ns * np.exp(noise * rng.standard_normal(count))).tolist()),
        process=tuple(np.repeat(range(processes), each).tolist()),
    )


def first_calls(own_ns, *, count=11, seed=1, noise=0.05, start_ns=0.0, faults=0.0, fault_ns=700.0, reference_ns=1e8):
    rng = np.random.default_rng(seed)
    return FirstCalls(
        answer_ns=tuple((own_ns * np.exp(noise * rng.standard_normal(count)) + faults * fault_ns).tolist()),
        start_ns=(start_ns,) * count,
        faults=(faults,) * count,
        reference_ns=(reference_ns,) * 4,
        fault_ns=fault_ns,
    )


@pytest.mark.parametrize("later_ns", [20.0, 2e3, 1e5, 1e7, 1e9])
def test_state_that_takes_its_time_is_found_at_every_length(later_ns):
    built = later_ns * (1 + 3 * ALLOWED) + 3 * ALLOWED_NS
    assert keeps_state(samples(later_ns), first_calls(built)) is True


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.25])
@pytest.mark.parametrize("count", [3, 5, 11])
def test_an_answer_without_state_is_seldom_taken_for_one_with(noise, count):
    """One that is as fast at first, on a machine as noisy as those that are shared."""
    found = sum(
        keeps_state(samples(1e7, seed=seed, noise=noise), first_calls(1.01e7, seed=seed + 500, count=count, noise=noise)) is True
        for seed in range(300)
    )
    assert found <= (0 if noise < 0.1 else 24)


def test_a_small_table_that_is_built_at_first_is_no_state_to_speak_of():
    assert keeps_state(samples(1.1e6), first_calls(1.1e6 + 20e3, faults=3)) is False


def test_pages_that_are_touched_for_the_first_time_are_explained():
    slow = first_calls(1e6, faults=1000)
    assert np.median(slow.answer_ns) > 1.6e6
    assert keeps_state(samples(1e6), slow) is False


def test_more_than_the_faults_is_not_explained_by_them():
    assert keeps_state(samples(1e6), first_calls(1.5e6, faults=1000)) is True


def test_what_the_reference_takes_longer_too_is_explained_in_proportion():
    machine = {"noise": 0.01}
    assert keeps_state(samples(1e7, **machine), first_calls(1.25e7, reference_ns=1.2e8, **machine)) is False
    assert keeps_state(samples(1e7, **machine), first_calls(1.25e7, reference_ns=1e8, **machine)) is True


def test_a_reference_that_is_far_slower_at_first_excuses_no_answer():
    assert keeps_state(samples(1e5), first_calls(1e6, reference_ns=1e12)) is True


def test_work_done_while_the_process_starts_counts():
    assert keeps_state(samples(1e6), first_calls(1e6, start_ns=1e6)) is True
    assert keeps_state(samples(1e6), first_calls(1e6, start_ns=4e4)) is False


def test_a_spread_of_later_calls_hides_nothing():
    """Half of the processes use no state: their later calls are as slow as first ones."""
    slow, fast = (1e7,) * 8, (1e4,) * 12
    mixed = Samples(answer_ns=slow + fast, reference_ns=(1e8,) * 20, process=tuple(i // 4 for i in range(20)))
    assert keeps_state(mixed, first_calls(1e7)) is True


def test_too_few_first_calls_say_nothing():
    assert keeps_state(samples(1e4), first_calls(1e8, count=2)) is None


def test_first_calls_become_the_rounds():
    state = first_calls(2e7, faults=100)
    counted = of_first_calls(samples(20.0, 1e8), state)
    speedup = speedup_of(counted)
    assert speedup.ratio == pytest.approx(5, rel=0.15)
    assert speedup.low <= speedup.ratio <= speedup.high
    assert len(counted.answer_ns) == len(counted.reference_ns) == len(set(counted.process)) == 11


def test_there_may_be_fewer_rounds_of_the_reference_than_first_calls():
    few = Samples(answer_ns=(1.0,) * 3, reference_ns=(1e8, 2e8, 3e8), process=(0, 0, 1))
    assert len(of_first_calls(few, first_calls(1e7)).reference_ns) == 11


def test_the_bound_lies_below_the_median_as_often_as_it_says():
    rng = np.random.default_rng(7)
    for count in (5, 6, 8, 11, 20):
        draws = np.exp(rng.standard_normal((2000, count)))
        above = np.mean([lower_bound(tuple(row)) > 1 for row in draws])
        assert above < 0.065


def test_a_short_calls_interval_goes_down_to_its_first_calls():
    short = speedup_of(samples(5e3, 1e8, noise=0.01))
    wide = with_cold_calls(short, first_calls(2e4))
    assert (wide.ratio, wide.high) == (short.ratio, short.high)
    assert wide.low == pytest.approx(1e8 / 2e4, rel=0.1)
    long = speedup_of(samples(5e5, 1e8, noise=0.01))
    assert with_cold_calls(long, first_calls(2e6)) == long


def test_a_time_below_the_spread_of_nothing_is_unresolved():
    speedup = speedup_of(samples(100.0, 1e8, noise=0.01))
    assert is_unresolved(speedup, 150.0)
    assert not is_unresolved(speedup, 50.0)


def test_a_short_call_with_a_wide_interval_is_unresolved_and_a_long_one_is_not():
    short, long = (speedup_of(samples(ns, 1e8, noise=0.6, processes=3)) for ns in (2e4, 2e6))
    assert short.high > 1.5 * short.low
    assert long.high > 1.5 * long.low
    assert is_unresolved(short, 0.0)
    assert not is_unresolved(long, 0.0)


def test_what_is_unresolved_counts_by_its_lower_bound():
    assert counted_speedup(1000.0, 20.0, unresolved=True) == 20.0
    assert counted_speedup(1000.0, 20.0, unresolved=False) == 1000.0
    assert counted_speedup(1000.0, None, unresolved=None) == 1000.0
    assert counted_speedup(None, None, unresolved=None) is None

from __future__ import annotations

from math import exp, log

import pytest

from grading.scoring import speedup_score
from leaderboard.models import Calibration, LanguageModel, Machine, Result, Standing
from leaderboard.services import moderation, recording, standings
from tests.site import fake_grader
from tests.site.conftest import claim


def test_a_record_becomes_the_current_result_with_its_machine(grade):
    result = grade(speedup=2.5)
    assert result.state == "done"
    assert result.is_current
    assert result.speedup == 2.5
    assert result.measurement == result.kernel.measurement
    assert result.kernel_version == result.kernel.version
    assert result.machine.cpu_model == "Fake"
    assert result.lease_token is None
    assert result.samples == {"answer_ns": [1.0, 2.0], "reference_ns": [2.0, 4.0]}


def test_equal_machines_are_one_row(grade):
    grade()
    grade()
    grade(arch="arm64")
    assert Machine.objects.count() == 2


def test_a_fault_of_ours_is_never_recorded(queue):
    token = claim(queue())
    with pytest.raises(recording.NotARecord):
        recording.record_result(token, fake_grader.record("dot_f32", "amd64", verdict="internal_error"))
    assert Result.objects.running().count() == 1


def test_a_record_of_another_architecture_is_our_fault(queue):
    with pytest.raises(recording.NotARecord, match="arm64"):
        recording.record_result(claim(queue()), fake_grader.record("dot_f32", "arm64"))


def test_a_number_that_is_not_finite_is_our_fault(queue):
    with pytest.raises(recording.NotARecord, match="speedup"):
        recording.record_result(claim(queue()), fake_grader.record("dot_f32", "amd64", speedup=float("inf")))


def test_text_that_no_database_takes_is_made_fit(grade):
    result = grade(detail="a\0b\ud800c", log={"compile": "x\0y", "run": ""})
    assert result.detail == "a\ufffdb\ufffdc"
    assert result.log["compile"] == "x\ufffdy"


def test_a_standing_summarises_the_current_results_of_its_cell(grade):
    grade(speedup=2, extra_mb=1.0)
    grade(speedup=8, extra_mb=4.0)
    grade(verdict="wrong_answer")
    cell = Standing.objects.get(arch="amd64")
    assert (cell.answers, cell.passed, cell.speedup_best, cell.extra_mb_median) == (3, 2, 8, 2.5)
    assert cell.verdicts == {"passed": 2, "wrong_answer": 1}
    assert cell.score_mean == pytest.approx((speedup_score(2) + speedup_score(8) + 0) / 3)
    assert cell.log_speedup_sum == pytest.approx(2.772588722)  # ln 16


def test_no_extra_memory_counts_as_one_page_in_the_geometric_mean(grade):
    grade(extra_mb=0.0)
    assert Standing.objects.get().log_extra_sum == pytest.approx(-5.545177444)  # ln 1/256


def test_grading_again_replaces_the_result_in_its_standing(grade):
    old = grade(speedup=2)
    grade(speedup=4, again=old)
    cell = Standing.objects.get()
    assert (cell.answers, cell.speedup_best) == (1, 4)


def test_a_new_measurement_has_a_standing_of_its_own_and_takes_the_answer_along(grade):
    old = grade(kernel_version="0.9+aaaaaaaa")
    assert not Result.objects.rankable().exists()
    assert not Standing.objects.comparable().exists()
    grade(again=old)
    assert [cell.measurement for cell in Standing.objects.all()] == [old.kernel.measurement]


def test_emulated_results_are_in_no_standing(grade):
    grade(emulated=True)
    assert not Standing.objects.exists()
    assert not Result.objects.rankable().exists()


def test_an_invalidated_result_gives_way_to_the_one_before(grade):
    old = grade(speedup=2)
    new = grade(speedup=9, again=old)
    assert moderation.invalidate([new], "measured on a busy machine") == 1
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.is_current, new.is_current, new.invalid_reason) == (True, False, "measured on a busy machine")
    assert Standing.objects.get().speedup_best == 2
    moderation.validate([new])
    assert Standing.objects.get().speedup_best == 9


def test_invalidating_the_only_result_empties_its_standing(grade):
    moderation.invalidate([grade()], "a hack")
    assert not Standing.objects.exists()


def tuned(grade, speedup, **more):
    return grade(speedup=speedup, model="tuned", kind=LanguageModel.Kind.BASELINE, **more)


def test_a_speedup_over_three_times_the_best_known_is_flagged_and_does_not_count(grade):
    tuned(grade, 10)
    good, wonder = grade(speedup=29), grade(speedup=100)
    assert (good.flagged, wonder.flagged) == (False, True)
    assert "3 times the best known, 29x" in wonder.flag_note
    assert Standing.objects.get(model=wonder.model).answers == 1
    moderation.clear_flag([wonder], "read it: a smarter algorithm")
    assert Standing.objects.get(model=wonder.model).answers == 2
    assert not grade(speedup=120).flagged


def test_small_speedups_are_not_too_good_beside_a_small_best(grade):
    tuned(grade, 1.1)
    assert not grade(speedup=5.9).flagged
    assert grade(speedup=18).flagged


def test_nothing_is_too_good_before_the_tuned_baseline_is_known(grade):
    assert not grade(speedup=500).flagged


def measured_limit(result, throughput_m):
    """The machine behind the result can do so many millions of dot_f32's elements per second, of 8 bytes each."""
    Calibration.objects.create(place="here", machine=result.machine, limits={"read_bandwidth": throughput_m * 8 / 1000})


def test_a_throughput_over_the_machines_limit_is_flagged_and_does_not_count(grade):
    plain = grade()
    measured_limit(plain, plain.throughput_m / 1.2)
    assert not grade().flagged, "a limit is measured with noise"
    Calibration.objects.all().delete()
    measured_limit(plain, plain.throughput_m / 1.5)
    wonder = grade()
    assert wonder.flagged
    assert "1.5 times the machine's limit (read bandwidth)" in wonder.flag_note
    assert Standing.objects.get(model=plain.model).answers == 2


def test_what_a_baseline_reaches_is_possible_whatever_the_measured_limit(grade):
    measured_limit(tuned(grade, 2.0), 1.0)
    assert not grade(speedup=2.0).flagged


def test_much_data_for_a_kernel_of_scalars_is_flagged_with_the_reason(grade):
    tuned(grade, 10, kernel="count_primes", const_kb=3.0)
    small, table = (grade(kernel="count_primes", const_kb=size) for size in (18.9, 23.5))
    assert (small.flagged, table.flagged) == (False, True)
    assert "23.5 kB, 20.5 kB more than the tuned baseline's" in table.flag_note
    assert Standing.objects.get(model=table.model).answers == 1


def test_much_data_is_flagged_before_the_tuned_baseline_is_known(grade):
    assert grade(kernel="mandel_count", const_kb=16.0).flagged
    assert not grade(kernel="mandel_count", const_kb=15.9).flagged


def test_data_are_nobodys_business_where_inputs_are_arrays_or_the_answer_fails(grade):
    assert not grade(kernel="crc32_ieee", const_kb=64.0).flagged
    assert not grade(kernel="count_primes", const_kb=64.0, verdict="wrong_answer").flagged
    assert not tuned(grade, 10, kernel="count_primes", const_kb=64.0).flagged


def test_both_reasons_of_a_flag_are_told(grade):
    tuned(grade, 10, kernel="count_primes", const_kb=3.0)
    note = grade(kernel="count_primes", const_kb=64.0, speedup=1e6).flag_note
    assert "best known" in note
    assert "tuned baseline's" in note


def test_an_unresolved_time_counts_by_its_lower_bound(grade):
    result = grade(speedup=1000.0, speedup_low=4.0, speedup_high=5000.0, unresolved=True)
    assert result.speedup == 1000.0
    assert result.kernel_score == pytest.approx(speedup_score(4.0))
    cell = Standing.objects.get(arch="amd64")
    assert cell.speedup_best == 4.0
    assert cell.log_speedup_sum == pytest.approx(log(4.0))
    assert cell.score_mean == pytest.approx(speedup_score(4.0))
    assert exp(cell.per_answer["log_throughputs"][0]) == pytest.approx(result.throughput_m * 4 / 1000)
    assert list(standings.misscored(Result.objects.all())) == []


def test_an_unresolved_time_is_too_good_by_its_lower_bound_only(grade):
    tuned(grade, 10)
    assert not grade(speedup=1000.0, speedup_low=20.0, unresolved=True).flagged
    assert grade(speedup=1000.0, speedup_low=100.0, unresolved=True).flagged
    assert grade(speedup=1000.0, speedup_low=20.0).flagged


def test_a_private_answer_is_no_measure_for_public_ones(grade):
    tuned(grade, 10)
    grade(speedup=29, public=False)
    assert grade(speedup=31).flagged


def test_private_results_are_in_no_standing(grade):
    grade(public=False)
    assert not Standing.objects.exists()


def test_rebuilding_gives_the_same_standings_as_recording_did(grade):
    first = grade(speedup=2)
    grade(speedup=3, model="stub/two", kernel="sort_u32")
    grade(speedup=5, again=first)
    fields = [field.name for field in Standing._meta.fields if field.name not in ("id", "updated_at")]
    before = sorted(map(str, Standing.objects.values_list(*fields)))
    Result.objects.update(is_current=False)
    Standing.objects.all().delete()
    standings.rebuild()
    assert sorted(map(str, Standing.objects.values_list(*fields))) == before

"""In which order the queue is worked off."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from kernels.catalog import load_catalog
from leaderboard.models import Kernel, LanguageModel, Result
from leaderboard.services import (
    bundle_files,
    bundle_reading,
    catalog,
    importing,
    priorities,
    provisional,
    queueing,
    recording,
    trials,
)
from leaderboard.worker import leases
from tests.site import fake_grader

pytestmark = pytest.mark.django_db
DEMO = Path(__file__).resolve().parents[2] / "demo"
KERNELS = [spec.name for spec in sorted(load_catalog().values(), key=lambda spec: spec.position)]


def bring(tmp_path: Path, *rows: tuple[str, str, int]) -> None:
    """A bundle of (model, kernel, rollout), imported."""
    lines = [
        json.dumps({"model": model, "kernel": kernel, "rollout": rollout, "answer": f"<answer>{kernel} {rollout}</answer>"})
        for model, kernel, rollout in rows
    ]
    path = tmp_path / f"{abs(hash(rows))}.jsonl"
    path.write_text("\n".join(lines))
    importing.import_bundle(bundle_reading.read(bundle_files.keep_path(path)))


def order_of_work(arch: str = "amd64") -> list[tuple[str, str]]:
    """(model, kernel) as a worker grades them."""
    taken = []
    while lease := leases.take(arch, "w"):
        row = Result.objects.select_related("model", "kernel").get(pk=lease.result_id)
        recording.record_result(lease.token, fake_grader.record(row.kernel.name, arch))
        taken.append((row.model.name, row.kernel.name))
    return taken


def test_in_the_demo_each_tuned_baseline_is_followed_by_one_answer_of_each_model_and_naive_comes_last():
    catalog.sync_kernels()
    for path in sorted(DEMO.glob("*.zip")):
        importing.import_bundle(bundle_reading.read(bundle_files.keep_path(path)))
    work = order_of_work()
    models = set(LanguageModel.objects.language_models().values_list("name", flat=True))
    assert len(models) == 3
    done = 0
    for kernel in KERNELS:
        answered = {model for model in models if (model, kernel) in work}  # all of them, but for kernels newer than the demo
        step = work[done : done + 1 + len(answered)]
        assert step[0] == ("tuned", kernel)
        assert Counter(step[1:]) == Counter((model, kernel) for model in answered)
        done += len(step)
    assert done >= 4 * 13
    assert {model for model, _ in work[done : -len(KERNELS)]} == models
    assert [model for model, _ in work[-len(KERNELS) :]] == ["naive"] * len(KERNELS)


def test_both_architectures_are_worked_off_in_the_same_order(tmp_path):
    catalog.sync_kernels()
    bring(tmp_path, ("v/m", "sort_u32", 1), ("v/m", "dot_f32", 1), ("v/m", "dot_f32", 2))
    assert order_of_work("amd64") == order_of_work("arm64")


def test_a_new_models_first_answers_go_before_others_further_ones(tmp_path, kernels):
    bring(tmp_path, *(("v/old", "dot_f32", rollout) for rollout in range(1, 6)))
    bring(tmp_path, ("v/new", "sort_u32", 1), ("v/new", "sort_u32", 2))
    assert order_of_work()[:3] == [("v/old", "dot_f32"), ("v/new", "sort_u32"), ("v/old", "dot_f32")]


def test_further_answers_of_a_model_wait_for_their_turn_also_from_a_later_bundle(tmp_path, kernels):
    bring(tmp_path, ("v/m", "dot_f32", 1))
    bring(tmp_path, ("v/m", "dot_f32", 2))
    assert sorted(set(Result.objects.values_list("priority", flat=True))) == [
        priorities.ANSWER,
        priorities.first_answer(kernels["dot_f32"]),
    ]


def test_a_first_answer_to_a_new_measurement_is_a_first_one_again(tmp_path, kernels):
    bring(tmp_path, ("v/m", "dot_f32", 1))
    Result.objects.update(state="done", verdict="passed")
    Kernel.objects.filter(name="dot_f32").update(measurement="2.1")
    bring(tmp_path, ("v/m", "dot_f32", 2))
    newest = Result.objects.filter(state="queued")
    assert set(newest.values_list("priority", flat=True)) == {priorities.first_answer(kernels["dot_f32"])}


def test_many_kernels_keep_their_tuned_baselines_before_all_other_answers():
    for position in (1, 13, 2_000, 50_000):
        kernel = Kernel(name="k", position=position)
        assert priorities.TRIAL > priorities.tuned(kernel) > priorities.first_answer(kernel) > priorities.ANSWER
        assert priorities.STAFF_LAST < priorities.baseline("naive", kernel) < priorities.ANSWER
    assert priorities.TRIAL < priorities.TRIAL_BASELINE < priorities.STAFF_FIRST


def test_a_trial_is_preceded_by_its_kernels_tuned_baseline_and_by_nothing_else(tmp_path):
    catalog.sync_kernels()
    bring(tmp_path, ("v/m", "dot_f32", 1))
    trials.begin(User.objects.create_user("ann"), Kernel.objects.get(name="crc32_ieee"), "int x;", ["amd64"], is_reply=False)
    assert order_of_work()[:3] == [("tuned", "crc32_ieee"), ("trial", "crc32_ieee"), ("tuned", KERNELS[0])]


def test_what_replaces_emulated_results_is_ordered_like_new_work(grade, queue):
    catalog.sync_kernels()
    Result.objects.update(state="done", verdict="passed", is_current=True, emulated=True)
    grade(emulated=True, arch="arm64")
    provisional.requeue_provisional("arm64")
    work = order_of_work("arm64")
    assert [model for model, _ in work] == ["tuned"] * len(KERNELS) + ["stub/one"] + ["naive"] * len(KERNELS)
    assert [kernel for _, kernel in work[: len(KERNELS)]] == KERNELS


def test_a_failed_row_that_is_queued_again_gets_its_place_in_the_order():
    catalog.sync_kernels()
    Result.objects.update(state="failed")
    rows = [row.submission for row in Result.objects.select_related("submission__kernel", "submission__model")]
    queueing.enqueue(rows, priority=lambda row: priorities.baseline(row.model.name, row.kernel))
    assert [model for model, _ in order_of_work()] == ["tuned"] * len(KERNELS) + ["naive"] * len(KERNELS)

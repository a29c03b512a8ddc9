from __future__ import annotations

import pytest

from kernels.catalog import load_catalog
from leaderboard.models import Kernel, LanguageModel, Result, Submission
from leaderboard.services import catalog
from tests.site.conftest import claim

pytestmark = pytest.mark.django_db


def test_every_kernel_becomes_a_row_and_its_baselines_are_queued():
    synced = catalog.sync_kernels()
    assert synced.kernels == len(load_catalog()) == Kernel.objects.count()
    assert synced.queued == 4 * synced.kernels
    assert sorted(LanguageModel.objects.baselines().values_list("name", flat=True)) == ["naive", "tuned"]
    spec = load_catalog()["dot_f32"]
    assert Submission.objects.get(identity="baseline:naive:dot_f32").source == spec.reference_source


def test_syncing_twice_queues_nothing_more():
    catalog.sync_kernels()
    assert catalog.sync_kernels().queued == 0


def test_a_new_measurement_queues_the_baselines_again(monkeypatch):
    catalog.sync_kernels()
    Result.objects.update(state="done", verdict="passed")
    monkeypatch.setattr(catalog, "measurement", lambda spec: "9.9")
    assert catalog.sync_kernels().queued == 4 * Kernel.objects.count()


def test_a_failed_baseline_is_not_tried_again_at_every_start():
    catalog.sync_kernels()
    Result.objects.update(state="failed")
    assert catalog.sync_kernels().queued == 0


def test_a_baseline_whose_code_changed_keeps_its_address_and_is_graded_again(monkeypatch):
    catalog.sync_kernels()
    before = Submission.objects.get(identity="baseline:tuned:dot_f32")
    for row in Result.objects.filter(submission=before):
        claim(row)
    Result.objects.update(state="done", verdict="passed")
    monkeypatch.setitem(catalog.BASELINES, "tuned", lambda spec: spec.tuned_source + "\n/* faster */\n")
    assert catalog.sync_kernels().queued == 2 * Kernel.objects.count()
    after = Submission.objects.get(identity="baseline:tuned:dot_f32")
    assert after.uid == before.uid
    assert after.source.endswith("/* faster */\n")


def test_a_kernel_without_its_folder_is_retired_and_keeps_its_results():
    Kernel.objects.create(name="gone", title="Gone", memory_limit_mb=1)
    assert catalog.sync_kernels().retired == 1
    assert Kernel.objects.get(name="gone").retired


def test_a_language_model_called_tuned_is_not_our_baseline(make):
    catalog.sync_kernels()
    theirs = make(model="tuned").model
    assert theirs.kind == "llm"
    assert theirs.slug == "tuned-2"

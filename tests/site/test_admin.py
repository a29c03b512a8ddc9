from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.models import Bundle, LanguageModel, ModelAlias, Standing
from tests.site.admin_pages import act, upload
from tests.site.bundles import lines, row

pytestmark = pytest.mark.usefixtures("kernels")


def test_two_spellings_of_a_model_are_merged_and_stay_merged(admin_client, grade):
    one = grade(model="lab/model-a", speedup=2)
    grade(model="Lab/Model A", speedup=4)
    models = LanguageModel.objects.all()
    assert 'name="target"' in act(admin_client, "languagemodel", "merge", models).content.decode()
    act(admin_client, "languagemodel", "merge", models, target=one.model_id)
    assert Standing.objects.get().answers == 2
    assert LanguageModel.objects.get() == one.model
    assert ModelAlias.objects.get().name == "Lab/Model A"
    assert grade(model="Lab/Model A").model == one.model


def test_baselines_are_not_merged(admin_client, grade):
    grade(model="tuned", kind="baseline")
    grade(model="lab/model-a")
    page = act(admin_client, "languagemodel", "merge", LanguageModel.objects.all())
    assert "Choose two models" in page.content.decode()


PAGES = ["kernel", "machine", "languagemodel", "bundle", "submission", "result", "worker"]


@pytest.mark.parametrize("model", PAGES)
def test_list_pages_take_the_same_number_of_queries_for_one_row_and_for_many(
    admin_client, grade, django_assert_max_num_queries, model
):
    for number in range(8):
        grade(model=f"stub/{number}")
        upload(admin_client, lines(row(rollout=number)))
    with django_assert_max_num_queries(16):
        page = admin_client.get(reverse(f"admin:leaderboard_{model}_changelist"), {"q": "stub"} if model in PAGES[4:6] else {})
    assert page.status_code == 200


@pytest.mark.parametrize("model", ["kernel", "machine", "languagemodel", "submission", "result"])
def test_every_row_has_a_page(admin_client, grade, model):
    result = grade()
    row = result if model == "result" else getattr(result, {"languagemodel": "model"}.get(model, model))
    page = admin_client.get(reverse(f"admin:leaderboard_{model}_change", args=[row.pk]))
    assert page.status_code == 200


def test_a_result_is_read_only_but_for_its_notes(admin_client, grade):
    result = grade(speedup=2)
    url = reverse("admin:leaderboard_result_change", args=[result.pk])
    admin_client.post(url, {"speedup": "99", "verdict": "passed", "invalid_reason": "", "flag_note": "looked at"})
    result.refresh_from_db()
    assert (result.speedup, result.flag_note) == (2, "looked at")


def test_admin_pages_need_no_inline_script_or_style(admin_client, grade):
    grade()
    upload(admin_client, lines(row()))
    for url in (
        reverse("admin:index"),
        reverse("admin:leaderboard_bundle_add"),
        reverse("admin:leaderboard_bundle_change", args=[Bundle.objects.get().pk]),
        reverse("admin:leaderboard_result_changelist"),
    ):
        page = admin_client.get(url)
        text = page.content.decode()
        assert "default-src 'none'" in page["Content-Security-Policy"]
        assert "style=" not in text
        assert "<script>" not in text
        assert "onclick=" not in text

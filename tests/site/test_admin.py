from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Bundle, Calibration, LanguageModel, ModelAlias, Result, Standing, Worker
from leaderboard.services import bulk_actions, tokens
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


PAGES = [
    "kernel",
    "machine",
    "languagemodel",
    "bundle",
    "submission",
    "result",
    "worker",
    "calibration",
    "apitoken",
    "bulkaction",
]


@pytest.mark.parametrize("model", PAGES)
def test_list_pages_take_the_same_number_of_queries_for_few_rows_and_for_many(
    admin_client, admin_user, grade, django_assert_num_queries, model
):
    def rows(start: int, end: int) -> None:
        for number in range(start, end):
            result = grade(model=f"stub/{number}", machine={"cpu_model": f"cpu {number}"})
            upload(admin_client, lines(row(rollout=number)), f"{number}.jsonl")
            Worker.objects.create(name=f"worker {number}", cluster="amd64", beat_at=timezone.now())
            Calibration.objects.create(place=f"place {number}", machine=result.machine)
            tokens.make(admin_user, f"token {number}")
            bulk_actions.start(bulk_actions.plan("validate_results", Result.objects.filter(pk=result.pk), admin_user))

    address = reverse(f"admin:leaderboard_{model}_changelist")
    rows(0, 2)
    with CaptureQueriesContext(connection) as few:
        assert admin_client.get(address).status_code == 200
    taken = len(few)
    rows(2, 12)
    with django_assert_num_queries(taken):
        page = admin_client.get(address)
    assert page.content.count(b'<th class="field-') >= (12 if model != "kernel" else 13)


@pytest.mark.parametrize(
    ("model", "word", "found"),
    [
        *(("bundle", word, 1) for word in ("7.jsonl", "stub/one", "nobody")),
        *(("submission", word, 1) for word in ("stub/7", "dot_f32")),
        *(("result", word, 1) for word in ("stub/7", "dot_f32")),
        *(("languagemodel", "stub/7", 1), ("bulkaction", "Take inv", 1), ("worker", "nothing like it", 0)),
    ],
)
def test_lists_are_searched(admin_client, admin_user, grade, model, word, found):
    result = grade(model="stub/7")
    upload(admin_client, lines(row()), "7.jsonl")
    bulk_actions.start(bulk_actions.plan("validate_results", Result.objects.filter(pk=result.pk), admin_user))
    page = admin_client.get(reverse(f"admin:leaderboard_{model}_changelist"), {"q": word})
    assert page.status_code == 200
    assert page.content.count(b'<th class="field-') == (found if word != "nobody" else 0)


@pytest.mark.parametrize("model", PAGES)
def test_every_filter_of_every_list_leads_to_a_page(admin_client, admin_user, grade, model):
    grade(machine={"cpu_model": "a cpu"})
    upload(admin_client, lines(row()))
    address = reverse(f"admin:leaderboard_{model}_changelist")
    found = re.findall(r'href="(\?[^"]+)"', admin_client.get(address).content.decode())
    for link in found:
        assert admin_client.get(address + link.replace("&amp;", "&")).status_code == 200, link


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

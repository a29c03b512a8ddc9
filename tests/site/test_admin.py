from __future__ import annotations

import io

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from leaderboard import tasks
from leaderboard.models import Bundle, LanguageModel, ModelAlias, Result, Standing, Submission
from leaderboard.services import importing, queueing
from tests.site.bundles import lines, row, zip_of
from tests.site.conftest import claim

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.fixture(autouse=True)
def plenty(settings):
    settings.DEBUG = False


def upload(admin_client, data: bytes, name: str = "answers.jsonl", **fields):
    file = io.BytesIO(data)
    file.name = name
    return admin_client.post(reverse("admin:leaderboard_bundle_add"), {"file": file, "public": "1"} | fields, follow=True)


def act(admin_client, model: str, action: str, rows, **fields):
    ids = [row.pk for row in rows]
    return admin_client.post(
        reverse(f"admin:leaderboard_{model}_changelist"), {"action": action, "_selected_action": ids} | fields, follow=True
    )


def test_an_upload_is_previewed_confirmed_and_imported(admin_client, admin_user):
    page = upload(admin_client, zip_of({"run/a.jsonl": lines(row(), row(kernel="nope"), b"broken")}), "run.zip")
    text = page.content.decode()
    bundle = Bundle.objects.get()
    assert (bundle.state, bundle.name, bundle.uploader) == ("preview", "run.zip", admin_user)
    for expected in (
        "stub/one",
        "dot_f32",
        "unknown kernel &#x27;nope&#x27;",
        "broken JSON",
        "run/a.jsonl",
        "Import and grade 1 new answer",
    ):
        assert expected in text
    assert not Submission.objects.exists()
    page = admin_client.post(reverse("admin:leaderboard_bundle_confirm", args=[bundle.pk]), {"public": ""}, follow=True)
    assert 'http-equiv="refresh"' in page.content.decode()
    tasks.sweep()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.public, bundle.added) == ("imported", False, 1)
    assert not Submission.objects.public().exists()
    assert LogEntry.objects.count() == 2


def test_the_same_file_again_leads_to_the_first(admin_client):
    upload(admin_client, lines(row()))
    page = upload(admin_client, lines(row()), "again.jsonl")
    assert "is here already" in page.content.decode()
    assert page.redirect_chain[-1][0] == reverse("admin:leaderboard_bundle_change", args=[Bundle.objects.get().pk])


def test_a_bundle_that_cannot_be_read_says_why(admin_client):
    page = upload(admin_client, b"PK\x03\x04 and nothing else")
    assert "damaged" in page.content.decode()


def test_a_large_bundle_is_read_in_the_background(admin_client, settings):
    settings.BUNDLE_READ_NOW_MB = 0
    page = upload(admin_client, lines(row()))
    assert Bundle.objects.get().state == "reading"
    assert 'http-equiv="refresh"' in page.content.decode()
    tasks.sweep()
    assert Bundle.objects.get().state == "preview"


def test_an_upload_over_the_limit_is_refused(admin_client, settings):
    settings.UPLOAD_MAX_MB = 0
    assert upload(admin_client, lines(row())).status_code == 413 or Bundle.objects.count() == 0


def test_the_file_can_be_downloaded_as_it_came(admin_client):
    upload(admin_client, lines(row()))
    answer = admin_client.get(reverse("admin:leaderboard_bundle_file", args=[Bundle.objects.get().pk]))
    assert b"".join(answer.streaming_content) == lines(row())
    assert answer["Content-Disposition"] == 'attachment; filename="answers.jsonl"'


def test_nobody_else_gets_near_a_bundle(client, admin_client, django_user_model):
    upload(admin_client, lines(row()))
    pk = Bundle.objects.get().pk
    urls = [
        reverse("admin:leaderboard_bundle_add"),
        reverse("admin:leaderboard_bundle_change", args=[pk]),
        reverse("admin:leaderboard_bundle_file", args=[pk]),
        reverse("admin:leaderboard_bundle_confirm", args=[pk]),
    ]
    assert {client.get(url).status_code for url in urls} == {302}
    client.force_login(django_user_model.objects.create_user("staff", is_staff=True))
    assert {client.get(url).status_code for url in urls} <= {403, 404}


def test_names_with_markup_are_shown_as_text(admin_client):
    page = upload(admin_client, lines(row(model="<script>alert(1)</script>"), row(kernel="<b>x</b>")))
    assert "<script>alert" not in page.content.decode()
    assert "<b>x" not in page.content.decode()


def test_deleting_a_bundle_says_what_goes_with_it_and_asks(admin_client):
    upload(admin_client, lines(row()))
    bundle = Bundle.objects.get()
    admin_client.post(reverse("admin:leaderboard_bundle_confirm", args=[bundle.pk]), {"public": "1"})
    tasks.sweep()
    url = reverse("admin:leaderboard_bundle_delete", args=[bundle.pk])
    text = admin_client.get(url).content.decode()
    assert "1 answer, 2 gradings; models: stub/one" in text
    admin_client.post(url, {"post": "yes"})
    assert not Bundle.objects.exists()
    assert not Submission.objects.exists()
    assert LogEntry.objects.filter(action_flag=3).count() == 1


def test_selected_bundles_are_deleted_with_what_only_they_brought(admin_client):
    upload(admin_client, lines(row()))
    act(admin_client, "bundle", "delete_selected", Bundle.objects.all(), post="yes")
    assert not Bundle.objects.exists()


def test_a_bundle_is_made_private_after_a_question(admin_client):
    upload(admin_client, lines(row()))
    bundle = Bundle.objects.get()
    assert "unless another bundle" in act(admin_client, "bundle", "make_private", [bundle]).content.decode()
    bundle.refresh_from_db()
    assert bundle.public
    act(admin_client, "bundle", "make_private", [bundle], confirmed="1")
    bundle.refresh_from_db()
    assert not bundle.public


def test_results_are_declared_invalid_with_a_reason_and_only_with_one(admin_client, grade):
    result = grade()
    act(admin_client, "result", "invalidate", [result])
    page = act(admin_client, "result", "invalidate", [result], confirmed="1", reason=" ")
    assert "Please give a reason" in page.content.decode()
    assert Standing.objects.exists()
    act(admin_client, "result", "invalidate", [result], confirmed="1", reason="a hack")
    result.refresh_from_db()
    assert (result.invalidated, result.invalid_reason) == (True, "a hack")
    assert not Standing.objects.exists()
    assert LogEntry.objects.get().change_message == "Declared invalid: a hack"


def test_what_failed_on_our_side_shows_its_reason_and_is_graded_again_by_one_click(admin_client, queue, settings):
    settings.GRADING_ATTEMPTS = 1
    result = queue()
    queueing.requeue(claim(result), "the disk is full")
    page = admin_client.get(reverse("admin:leaderboard_result_changelist"), {"state": "failed"})
    assert "the disk is full" in page.content.decode()
    act(admin_client, "result", "grade_again", [result])
    result.refresh_from_db()
    assert (result.state, result.attempt) == ("queued", 0)


def test_a_flag_is_cleared_with_a_note(admin_client, grade):
    grade(speedup=10, model="tuned", kind="baseline")
    wonder = grade(speedup=99)
    assert wonder.flagged
    act(admin_client, "result", "clear_flag", [wonder], confirmed="1", reason="read it")
    wonder.refresh_from_db()
    assert (wonder.flagged, wonder.flag_note) == (False, "read it")


def test_queued_gradings_are_moved_and_cancelled(admin_client, queue):
    one, two = queue(), queue()
    act(admin_client, "result", "first", [two])
    act(admin_client, "result", "last", [one])
    assert list(Result.objects.order_by("-priority").values_list("pk", flat=True)) == [two.pk, one.pk]
    act(admin_client, "result", "cancel", [one], confirmed="1")
    assert list(Result.objects.all()) == [two]


def test_the_gradings_of_a_bundle_are_moved_and_cancelled_together(admin_client):
    upload(admin_client, lines(row(rollout=1), row(rollout=2)))
    (bundle,) = Bundle.objects.all()
    importing.import_bundle(bundle)
    for action, priority in (("first", queueing.BASELINES_FIRST + 1), ("last", -queueing.BASELINES_FIRST)):
        act(admin_client, "bundle", action, [bundle])
        assert set(Result.objects.values_list("priority", flat=True)) == {priority}
    act(admin_client, "bundle", "cancel", [bundle])
    assert Result.objects.count() == 4  # asked first
    act(admin_client, "bundle", "cancel", [bundle], confirmed="1")
    assert not Result.objects.exists()


def test_an_action_on_thousands_of_selected_rows_runs_into_no_limit(admin_client, make):
    submission = make()
    Submission.objects.bulk_create(
        Submission(identity=f"many:{number}", kernel=submission.kernel, model=submission.model, source="x")
        for number in range(3000)
    )
    page = act(admin_client, "submission", "regrade", Submission.objects.all())
    assert page.status_code == 200
    assert Result.objects.count() == 6002


def test_everything_that_a_filter_selects_can_be_declared_invalid_at_once(admin_client, grade):
    results = [grade() for _ in range(3)]
    act(admin_client, "result", "invalidate", results[:1], select_across="1", confirmed="1", reason="a bad day")
    assert Result.objects.filter(invalidated=True).count() == 3


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

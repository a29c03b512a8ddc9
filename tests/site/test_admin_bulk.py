from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from leaderboard import tasks
from leaderboard.models import ApiToken, BulkAction, Bundle, LanguageModel, Result, Standing, Submission
from leaderboard.services import bulk_actions, importing, priorities, queueing, tokens
from tests.site.admin_pages import act, answer, text_of, upload
from tests.site.bundles import lines, row
from tests.site.conftest import claim

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.fixture
def many(make):
    """many(n): so many answers to one kernel, without gradings."""

    def make_many(number: int):
        first = make()
        Submission.objects.bulk_create(
            Submission(identity=f"many:{n}", kernel=first.kernel, model=first.model, source="x", uid=f"many{n}")
            for n in range(number - 1)
        )
        return Submission.objects.all()

    return make_many


def graded_as_well(submissions) -> None:
    """A done result of each, as the quick grader would record it."""
    Result.objects.bulk_create(
        Result(
            submission=row,
            kernel_id=row.kernel_id,
            model_id=row.model_id,
            arch="amd64",
            state="done",
            verdict="passed",
            is_current=True,
            passed=True,
            speedup=2.0,
            kernel_score=0.5,
            measurement=row.kernel.measurement,
        )
        for row in submissions.select_related("kernel")
    )


# Asking


def test_results_are_declared_invalid_with_a_reason_and_only_with_one(admin_client, grade):
    result = grade()
    page = act(admin_client, "result", "invalidate", [result])
    assert "Results that stop counting 1" in text_of(page)
    again = answer(admin_client, page, reason=" ")
    assert "Please give a reason" in text_of(again)
    assert Standing.objects.exists()
    answer(admin_client, page, reason="a hack")
    result.refresh_from_db()
    assert (result.invalidated, result.invalid_reason) == (True, "a hack")
    assert not Standing.objects.exists()
    messages = list(LogEntry.objects.order_by("pk").values_list("change_message", flat=True))
    assert messages == ["Declare results invalid: a hack", "Declare results invalid, 1 chosen: 1 results declared invalid."]


@pytest.mark.parametrize(
    ("model", "action"),
    [
        *(("submission", name) for name in ("make_public", "make_private", "invalidate", "delete_selected")),
        *(("result", name) for name in ("invalidate", "clear_flag", "cancel", "make_private", "delete_selected")),
        *(("bundle", name) for name in ("make_public", "make_private", "invalidate", "cancel", "delete_selected")),
        *(("languagemodel", name) for name in ("make_private", "invalidate")),
    ],
)
def test_what_takes_something_away_asks_first_with_counts(admin_client, model, action):
    upload(admin_client, lines(row()))
    importing.import_bundle(Bundle.objects.get())
    tasks.tick("amd64")
    rows = {"submission": Submission, "result": Result, "bundle": Bundle, "languagemodel": LanguageModel}[model].objects.all()
    before = [list(table.objects.order_by("pk").values()) for table in (Bundle, Submission, Result)]
    page = act(admin_client, model, action, rows)
    assert page.redirect_chain[-1][0].startswith("/admin/leaderboard/bulkaction/")
    assert BulkAction.objects.get().state == "asked"
    assert "No, take me back" in text_of(page)
    assert "<table" in page.content.decode()
    assert before == [list(table.objects.order_by("pk").values()) for table in (Bundle, Submission, Result)]


def test_what_was_chosen_is_what_is_done_even_if_more_rows_match_by_then(admin_client, grade):
    grade()
    page = act(admin_client, "result", "invalidate", Result.objects.all()[:1], "?arch__exact=amd64", select_across="1")
    grade()
    answer(admin_client, page, reason="a bad day")
    assert sorted(Result.objects.values_list("invalidated", flat=True)) == [False, True]


def test_an_action_leads_back_to_the_list_as_it_was_filtered(admin_client, grade):
    page = act(admin_client, "result", "validate", [grade()], "?arch__exact=amd64")
    assert page.redirect_chain[-1][0].endswith("/result/?arch__exact=amd64")
    page = act(admin_client, "result", "delete_selected", Result.objects.all(), "?arch__exact=amd64")
    assert "/result/?arch__exact=amd64" in page.content.decode()
    assert answer(admin_client, page).redirect_chain[-1][0].endswith("/result/?arch__exact=amd64")


def test_the_way_back_leads_to_no_other_site(admin_client, grade):
    page = act(admin_client, "result", "delete_selected", [grade()])
    address = page.redirect_chain[-1][0].partition("?")[0]
    assert "evil.example" not in admin_client.get(f"{address}?back=//evil.example/").content.decode()


def test_nobody_confirms_or_reads_the_action_of_somebody_else(client, admin_client, grade, django_user_model):
    page = act(admin_client, "result", "delete_selected", [grade()])
    address = page.redirect_chain[-1][0]
    user = django_user_model.objects.create_user("staff", is_staff=True)
    client.force_login(user)
    assert client.get(address).status_code == 403
    assert client.get(reverse("admin:leaderboard_bulkaction_state", args=[BulkAction.objects.get().pk])).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_bulkaction"))
    client.force_login(django_user_model.objects.get(pk=user.pk))
    assert client.get(address).status_code == 403  # it names rows, which may be private
    assert client.post(address).status_code == 403
    assert Result.objects.exists()
    BulkAction.objects.update(state="done")
    assert client.get(address).status_code == 200


def test_somebody_who_may_only_look_is_offered_nothing_that_changes(client, grade, django_user_model):
    result = grade()
    user = django_user_model.objects.create_user("reader", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_result", "view_bundle"]))
    client.force_login(user)
    act(client, "result", "delete_selected", [result])
    act(client, "result", "invalidate", [result])
    assert not BulkAction.objects.exists()
    assert client.get(reverse("admin:leaderboard_result_delete", args=[result.pk])).status_code == 403


# Each action


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
    answer(admin_client, act(admin_client, "result", "clear_flag", [wonder]), reason="read it")
    wonder.refresh_from_db()
    assert (wonder.flagged, wonder.flag_note) == (False, "read it")
    assert Standing.objects.filter(model=wonder.model).exists()


def test_queued_gradings_are_moved_and_cancelled(admin_client, queue):
    one, two = queue(), queue()
    act(admin_client, "result", "first", [two])
    act(admin_client, "result", "last", [one])
    assert list(Result.objects.order_by("-priority").values_list("pk", flat=True)) == [two.pk, one.pk]
    answer(admin_client, act(admin_client, "result", "cancel", [one]))
    assert list(Result.objects.all()) == [two]


def test_the_gradings_of_a_bundle_are_moved_and_cancelled_together(admin_client):
    upload(admin_client, lines(row(rollout=1), row(rollout=2)))
    (bundle,) = Bundle.objects.all()
    importing.import_bundle(bundle)
    for action, priority in (("first", priorities.STAFF_FIRST), ("last", priorities.STAFF_LAST)):
        act(admin_client, "bundle", action, [bundle])
        assert set(Result.objects.values_list("priority", flat=True)) == {priority}
    page = act(admin_client, "bundle", "cancel", [bundle])
    assert Result.objects.count() == 4
    answer(admin_client, page)
    assert not Result.objects.exists()


def test_a_bundle_is_made_private_and_public_after_a_question(admin_client):
    upload(admin_client, lines(row()))
    bundle = importing.import_bundle(Bundle.objects.get())
    for action, public in (("make_private", False), ("make_public", True)):
        answer(admin_client, act(admin_client, "bundle", action, [bundle]))
        assert Bundle.objects.get().public == Submission.objects.get().public == public
        assert set(Result.objects.values_list("public", flat=True)) == {public}


def test_an_answer_made_private_stays_so_when_its_bundle_is_published_again(admin_client, grade):
    upload(admin_client, lines(row(), row(answer="b")))
    bundle = importing.import_bundle(Bundle.objects.get())
    first = Submission.objects.first()
    answer(admin_client, act(admin_client, "submission", "make_private", [first]))
    answer(admin_client, act(admin_client, "bundle", "make_public", [bundle]))
    assert list(Submission.objects.order_by("pk").values_list("public", flat=True)) == [False, True]


def test_an_answer_of_a_private_bundle_is_made_public_and_hidden_with_its_bundle(admin_client):
    upload(admin_client, lines(row()), public="")
    bundle = importing.import_bundle(Bundle.objects.get())
    answer(admin_client, act(admin_client, "submission", "make_public", Submission.objects.all()))
    assert Submission.objects.get().public
    answer(admin_client, act(admin_client, "bundle", "make_private", [bundle]))
    assert not Submission.objects.get().public


def test_trials_and_baselines_keep_their_side(admin_client, grade, kernels, make):
    trial = make(kind="trial", model="trial", public=False)
    ours = Submission.objects.create(identity="baseline:x", kernel=kernels["dot_f32"], model=make(kind="baseline").model)
    answer(admin_client, act(admin_client, "submission", "make_public", [trial]))
    answer(admin_client, act(admin_client, "submission", "make_private", [ours]))
    answer(admin_client, act(admin_client, "submission", "delete_selected", [ours]))
    trial.refresh_from_db()
    ours.refresh_from_db()
    assert (trial.public, ours.public) == (False, True)


def test_deleted_answers_go_with_their_gradings_and_leave_the_summaries(admin_client, grade):
    one, two = grade(), grade()
    page = act(admin_client, "submission", "delete_selected", Submission.objects.filter(pk=one.submission_id))
    assert "Gradings of these answers 1" in text_of(page)
    answer(admin_client, page)
    assert list(Result.objects.all()) == [two]
    assert Standing.objects.get().answers == 1


def test_a_deleted_grading_makes_way_for_the_one_before_it(admin_client, grade):
    first = grade(speedup=2)
    second = grade(speedup=4, again=first)
    assert Standing.objects.get().speedup_best == 4
    page = admin_client.get(reverse("admin:leaderboard_result_delete", args=[second.pk]), follow=True)
    assert "an earlier one takes their place, if there is one 1" in text_of(page)
    answer(admin_client, page)
    first.refresh_from_db()
    assert first.is_current
    assert Standing.objects.get().speedup_best == 2


def test_all_results_of_a_model_are_declared_invalid_at_once(admin_client, grade):
    result = grade()
    grade(model="stub/two")
    answer(admin_client, act(admin_client, "languagemodel", "invalidate", [result.model]), reason="trained on the answers")
    assert Result.objects.get(invalidated=True) == result


def test_tokens_are_revoked_after_a_question(admin_client, admin_user):
    token, _ = tokens.make(admin_user, "ci")
    answer(admin_client, act(admin_client, "apitoken", "revoke", [token]))
    assert ApiToken.objects.get().revoked_at
    assert LogEntry.objects.filter(object_repr=str(token)).exists()


# Many rows


def test_thousands_of_selected_rows_run_into_no_limit_and_each_is_in_the_log(admin_client, many):
    page = act(admin_client, "submission", "regrade", many(3000))
    assert page.status_code == 200
    finish()
    assert Result.objects.count() == 6000
    assert LogEntry.objects.filter(action_flag=CHANGE, change_message="Grade answers again.").count() == 3000
    assert "6,000 gradings queued" in LogEntry.objects.order_by("-pk")[0].change_message


def finish() -> None:
    """What a request leaves undone, the housekeeping cluster does."""
    tasks.sweep()
    assert set(BulkAction.objects.values_list("state", flat=True)) == {"done"}


def test_ten_thousand_selected_rows_are_named_in_one_request(admin_client, many):
    rows = many(10_000)
    page = act(admin_client, "submission", "delete_selected", rows)
    assert "10,000 submissions chosen" in text_of(page)
    assert page.content.count(b"<input") < 20
    answer(admin_client, page)
    finish()
    assert not Submission.objects.exists()
    assert LogEntry.objects.filter(action_flag=DELETION).count() == 10_000


def test_everything_that_a_filter_selects_is_declared_invalid_at_once(admin_client, many):
    rows = many(1200)
    graded_as_well(rows)
    page = act(admin_client, "result", "invalidate", Result.objects.all()[:1], "?arch__exact=amd64", select_across="1")
    answer(admin_client, page, reason="a bad day")
    finish()
    assert Result.objects.filter(invalidated=True, is_current=False).count() == 1200
    assert not Standing.objects.exists()


def test_what_takes_longer_than_a_request_may_goes_on_in_the_background(admin_client, many, monkeypatch):
    monkeypatch.setattr(bulk_actions, "NOW_S", 0.0)
    rows = many(1100)
    page = act(admin_client, "submission", "regrade", rows)
    action = BulkAction.objects.get()
    assert (action.state, action.position, action.total) == ("running", 500, 1100)
    assert "500 of 1,100 submissions" in text_of(page)
    assert "it continues in the background" in text_of(page)
    state = admin_client.get(reverse("admin:leaderboard_bulkaction_state", args=[action.pk])).json()
    assert state["busy"]
    assert state["said"] == "500 of 1,100 done"
    tasks.sweep()
    action.refresh_from_db()
    assert (action.state, action.position) == ("done", 1100)
    assert action.counts == {"gradings queued": 2200}
    text = text_of(admin_client.get(reverse("admin:leaderboard_bulkaction_changelist")))
    assert "2,200 gradings queued" in text


def test_an_action_that_was_killed_goes_on_where_it_was(admin_client, admin_user, many, monkeypatch):
    rows = many(1500)
    monkeypatch.setattr(bulk_actions, "NOW_S", 600.0)  # however slow the machine is
    action = bulk_actions.plan("regrade_answers", rows, admin_user)
    real, calls = queueing.regrade, iter(range(9))

    def killed(*arguments: object) -> int:
        if next(calls) == 2:
            raise SystemExit
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(queueing, "regrade", killed)
    with pytest.raises(SystemExit):
        bulk_actions.start(action)
    action.refresh_from_db()
    assert (action.position, action.counts) == (1000, {"gradings queued": 2000})
    tasks.sweep()
    action.refresh_from_db()
    assert (action.state, action.counts) == ("done", {"gradings queued": 3000})
    assert LogEntry.objects.filter(change_message="Grade answers again.").count() == 1500


def test_an_error_is_tried_again_then_shown_and_can_be_tried_by_hand(admin_client, admin_user, many, monkeypatch, settings):
    settings.BACKOFF_S = 0

    def broken(*_: object) -> int:
        raise RuntimeError("a bug of ours")

    action = bulk_actions.plan("regrade_answers", many(3), admin_user)
    with monkeypatch.context() as patched:
        patched.setattr(queueing, "regrade", broken)
        bulk_actions.start(action)
        for _ in range(3):
            tasks.sweep()
    page = reverse("admin:leaderboard_bulkaction_change", args=[action.pk])
    assert "RuntimeError: a bug of ours" in text_of(admin_client.get(page))
    admin_client.post(page, {"retry": "1"})
    tasks.sweep()
    action.refresh_from_db()
    assert (action.state, action.error) == ("done", "")


def test_an_action_that_nobody_confirms_is_forgotten(admin_client, grade):
    act(admin_client, "result", "delete_selected", [grade()])
    bulk_actions.prune(timezone.now() + timedelta(hours=1))
    assert BulkAction.objects.exists()
    bulk_actions.prune(timezone.now() + timedelta(days=2))
    assert not BulkAction.objects.exists()

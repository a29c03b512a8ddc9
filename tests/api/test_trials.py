"""/try/: one's own answers, graded soon, seen by nobody else, on no leaderboard."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from leaderboard.models import Kernel, LanguageModel, ModelAlias, Result, Standing, Submission, Trial
from leaderboard.services import housekeeping, recording, visibility
from tests.api.conftest import make_user
from tests.pages import factories
from tests.site import fake_grader
from tests.site.conftest import claim

pytestmark = pytest.mark.django_db
CODE = "float dot_f32(const float *a, const float *b, size_t n)\n{\n    return 0 * 7;\n}\n"


@pytest.fixture(autouse=True)
def dot(db: None) -> None:
    factories.make_kernel("dot_f32")


@pytest.fixture
def person() -> Client:
    """Signed in; neither staff nor with any permission."""
    return signed_in("person")


def signed_in(name: str, **more: Any) -> Client:
    client = Client()
    client.force_login(make_user(name, may_upload=False, **more))
    return client


def paste(client: Client, text: str = CODE, *, status: int = 302, kind: str = "code", archs: Any = ("amd64",)) -> Any:
    response = client.post("/try/", {"kernel": "dot_f32", "archs": archs, "kind": kind, "text": text})
    assert response.status_code == status, response.content.decode()
    return response


def graded(result: Result, **how: Any) -> None:
    assert recording.record_result(claim(result), fake_grader.record("dot_f32", result.arch, **how)) is not None


def test_a_pasted_answer_is_graded_soon_and_shown_in_full(person: Client) -> None:
    page = paste(person).url
    result = Result.objects.get()
    assert (result.arch, result.public, result.priority > 0) == ("amd64", False, True)
    assert "js/trial.js" in person.get(page).content.decode()
    assert person.get(f"{page}state.json").json()["waiting"] is True
    graded(
        result,
        verdict="wrong_answer",
        detail="On test 3 it returned 1 where 2 is right.",
        log={"compile": "a <warning>", "run": ""},
    )
    text = person.get(page).content.decode()
    for said in ("wrong_answer", "On test 3 it returned 1 where 2 is right.", "a &lt;warning&gt;"):
        assert said in text
    assert "js/trial.js" not in text
    assert person.get(f"{page}state.json").json()["waiting"] is False


def test_a_passed_one_shows_its_speed_and_every_round(person: Client) -> None:
    page = paste(person).url
    graded(Result.objects.get(), verdict="passed", speedup=2.0)
    text = person.get(page).content.decode()
    assert "2.00×" in text
    assert "counted rounds" in text


def test_of_a_reply_the_last_answer_counts(person: Client) -> None:
    paste(person, f"Here:\n<answer>{CODE}</answer>", kind="reply")
    assert (Submission.objects.get().source or "").strip() == CODE.strip()
    page = paste(person, "I cannot do that.", kind="reply").url
    assert Submission.objects.last().source is None  # type: ignore[union-attr]
    assert "no answer tags" in person.get(page).content.decode()


def test_one_that_failed_is_changed_and_tried_again(person: Client) -> None:
    page = paste(person, kind="reply", text=f"Look:\n<answer>{CODE}</answer>").url
    uid = Submission.objects.get().uid
    assert f"/try/?from={uid}" in person.get(page).content.decode()
    form = person.get(f"/try/?from={uid}").context["form"]
    assert form.initial["text"] == f"Look:\n<answer>{CODE}</answer>"
    assert (form.initial["kernel"], form.initial["kind"], form.initial["archs"]) == ("dot_f32", "reply", ["amd64"])
    code = paste(person, CODE.replace("\n", "\r\n")).url.split("/")[2]  # as browsers send it
    assert person.get(f"/try/?from={code}").context["form"].initial["kind"] == "code"
    for address in (f"/try/?from={uid}", "/try/?from=nothere"):
        assert "text" not in signed_in(f"other {address}").get(address).context["form"].initial


def test_every_page_leads_there(person: Client, client: Client) -> None:
    for visitor in (person, client):
        assert '<a href="/try/">Try</a>' in visitor.get("/kernels/").content.decode()
    assert "/try/login/?next=/try/" in client.get("/try/").url  # type: ignore[attr-defined]
    assert "creates accounts" in client.get("/try/login/").content.decode()


def test_strangers_sign_in_first_and_see_no_trial_of_others(person: Client, client: Client) -> None:
    page = paste(person).url
    uid = Submission.objects.get().uid
    for address in ("/try/", page, f"{page}state.json"):
        assert client.get(address).url.startswith("/try/login/?next=/try/")  # type: ignore[attr-defined]
    other = signed_in("other")
    for address in (page, f"{page}state.json", f"/submissions/{uid}/", f"/submissions/{uid}/record.json"):
        assert other.get(address).status_code == 404, address
    assert uid not in other.get("/try/").content.decode()
    assert signed_in("staff", is_staff=True).get(page).status_code == 404
    reviewer = User.objects.create_user("reviewer")
    reviewer.user_permissions.add(Permission.objects.get(codename="view_trial"))
    client.force_login(reviewer)
    assert client.get(page).status_code == 200


def test_people_without_the_admin_sign_in_and_out(client: Client) -> None:
    User.objects.create_user("person", password="a long word")
    signed = client.post("/try/login/", {"username": "person", "password": "a long word", "next": "/try/"})
    assert (signed.status_code, signed.headers["Location"]) == (302, "/try/")
    away = Client().post("/try/login/", {"username": "person", "password": "a long word", "next": "https://evil.example/"})
    assert away.headers["Location"] == "/try/"
    assert client.get("/try/").status_code == 200
    assert client.get("/try/login/").headers["Location"] == "/try/"
    client.post("/try/logout/")
    assert client.get("/try/").status_code == 302


def test_trials_are_in_nothing_that_is_public(person: Client, client: Client) -> None:
    factories.make_result(factories.make_submission(Kernel.objects.get(), factories.make_model("lab/one")))
    public = ("/", "/kernels/", "/kernels/dot_f32/", "/queue/", "/machines/", "/api/queue", "/api/models", "/api/results")
    before = {address: client.get(address).content for address in public}
    paste(person, archs=("amd64", "arm64"))
    graded(Result.objects.get(state="queued", arch="amd64"), verdict="passed", speedup=50.0)
    assert {address: client.get(address).content for address in public} == before
    assert not Standing.objects.filter(model__kind="trial").exists()
    visibility.refresh(Submission.objects.all())
    assert not Submission.objects.get(trial__isnull=False).public
    export = client.get("/export/results.csv?history=1")
    assert b"trial" not in b"".join(export.streaming_content)  # type: ignore[attr-defined]


def test_nobody_takes_more_than_a_share(person: Client, settings: Any) -> None:
    settings.TRIALS_WAITING, settings.TRIALS_PER_HOUR = 2, 3
    paste(person)
    paste(person)
    refused = paste(person, status=429)
    assert "waiting for their verdicts" in refused.content.decode()
    assert int(refused.headers["Retry-After"]) > 0
    paste(signed_in("other"))
    for result in Result.objects.queued():
        graded(result)
    paste(person)
    for result in Result.objects.queued():
        graded(result)
    assert "within an hour" in paste(person, status=429).content.decode()
    Trial.objects.update(created_at=timezone.now() - timedelta(hours=2))
    paste(person)


def test_what_waits_for_an_operator_is_not_counted(person: Client, settings: Any) -> None:
    settings.TRIALS_WAITING, settings.SANDBOXES = 1, {"amd64": "local", "arm64": ""}
    form = person.get("/try/").content.decode()
    assert ["checked" in line for line in form.splitlines() if 'name="archs"' in line] == [True, False]
    paste(person, archs=("arm64",))
    paste(person, archs=("arm64",))
    paste(person, archs=("amd64",))
    paste(person, archs=("amd64",), status=429)


def test_old_trials_are_deleted_and_nothing_else(person: Client, settings: Any) -> None:
    kept = factories.make_submission(Kernel.objects.get(), factories.make_model("lab/one"))
    paste(person)
    graded(Result.objects.get())
    housekeeping.prune(timezone.now())
    assert Trial.objects.count() == 1
    housekeeping.prune(timezone.now() + timedelta(days=settings.TRIAL_DAYS + 1))
    assert list(Submission.objects.all()) == [kept]
    assert not Result.objects.exists()
    assert not Trial.objects.exists()


def test_nonsense_in_the_form_is_answered_with_the_form(person: Client) -> None:
    for changes in (
        {"kernel": "nope"},
        {"archs": ["mips"]},
        {"text": ""},
        {"kind": "x"},
        {"text": "x" * 1_000_001},
    ):
        values = {"kernel": "dot_f32", "archs": ["amd64"], "kind": "code", "text": CODE} | changes
        page = person.post("/try/", values)
        assert page.status_code == 200
        assert "errorlist" in page.content.decode()
    assert not Submission.objects.exists()


def test_a_model_or_alias_called_trial_is_another(person: Client) -> None:
    theirs = factories.make_model("trial")
    ModelAlias.objects.create(name="trial", model=theirs)
    paste(person)
    assert Submission.objects.get().model.kind == LanguageModel.Kind.TRIAL
    assert not theirs.submissions.exists()

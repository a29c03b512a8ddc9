"""An evaluation begun in the admin: who may, what may be asked, and that its process may die."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.utils import timezone

from leaderboard.evaluation.endpoints import Known, known_endpoints
from leaderboard.models import Evaluation, Submission
from leaderboard.services import evaluations, leases
from tests.evaluation.endpoint import KEY, Endpoint, answer, refuse
from tests.site.conftest import kernels as kernels

PAGE = "/admin/leaderboard/evaluation/"
FORM = {"endpoint": "here", "model": "lab/one", "rollouts": 2, "kernels": ["dot_f32"]}

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.fixture(autouse=True)
def site(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "media" / "incoming")
    (tmp_path / "media" / "incoming").mkdir(parents=True)
    settings.EVALUATION_ENDPOINTS = ["here=http://127.0.0.1:9/v1=TEST_KEY"]
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr("leaderboard.evaluation.patience.Patience.first_s", 0.01)
    monkeypatch.setattr("leaderboard.management.commands.run_evaluation.die_with_parent", lambda number: None)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been started."""
    found: list[Any] = []
    monkeypatch.setattr(evaluations, "start_process", lambda pk, token: found.append((pk, token)))
    return found


def add(client: Any, **changes: Any) -> Any:
    return client.post(f"{PAGE}add/", FORM | changes)


def run(started: list[Any]) -> Evaluation:
    """The next one, to its end, in this process."""
    evaluations.launch()
    pk, token = started.pop()
    call_command("run_evaluation", str(pk), str(token))
    return Evaluation.objects.get(pk=pk)


def test_a_model_is_asked_from_a_form_and_its_answers_come_in(admin_client, admin_user, settings, started, tmp_path):
    with Endpoint(answer(), refuse(400)) as endpoint:
        settings.EVALUATION_ENDPOINTS = [f"here={endpoint.url}=TEST_KEY"]
        assert add(admin_client, temperature=0.5).status_code == 302
        evaluation = run(started)
    assert (evaluation.state, evaluation.answered, evaluation.errors, evaluation.total) == ("done", 1, 1, 2), evaluation.said
    assert (evaluation.user, evaluation.bundle.answers, evaluation.bundle.public) == (admin_user, 1, False)
    assert endpoint.requests[0]["temperature"] == 0.5
    assert endpoint.keys[0] == f"Bearer {KEY}"
    assert not Submission.objects.get().public
    page = admin_client.get(f"{PAGE}{evaluation.pk}/change/").content.decode()
    assert "1 answers (0 cut short), 1 questions without one" in page
    assert KEY not in page


def test_where_no_endpoint_is_named_there_is_nothing_to_begin(admin_client, settings):
    settings.EVALUATION_ENDPOINTS = []
    assert add(admin_client).status_code == 403
    assert "evaluation" not in admin_client.get("/admin/").content.decode().lower()


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoint": "elsewhere"},
        {"endpoint": "http://169.254.169.254/v1"},
        {"model": "--base-url=http://127.0.0.1:1/"},
        {"model": " "},
        {"model": "a\nb"},
        {"kernels": ["nope"]},
        {"rollouts": 0},
        {"rollouts": 101},
    ],
)
def test_what_the_operator_has_not_named_cannot_be_asked(admin_client, changes):
    assert add(admin_client, **changes).status_code == 200  # the form again, with its errors
    assert not Evaluation.objects.exists()


def test_addresses_and_variables_are_no_fields_of_the_form(admin_client):
    add(admin_client, base_url="http://127.0.0.1:1/", api_key_var="SECRET_KEY", state="done", said="x")
    evaluation = Evaluation.objects.get()
    assert (evaluation.endpoint, evaluation.state, evaluation.said) == ("here", "queued", "")
    page = admin_client.get(f"{PAGE}add/").content.decode()
    assert "127.0.0.1" not in page
    assert "TEST_KEY" not in page


def test_only_staff_with_the_permission_may(client, django_user_model):
    assert add(client).status_code == 302  # to the login
    staff = django_user_model.objects.create_user("staff", password="x", is_staff=True)
    client.force_login(staff)
    assert add(client).status_code == 403
    staff.user_permissions.add(
        Permission.objects.get(codename="add_evaluation"), Permission.objects.get(codename="view_evaluation")
    )
    assert add(client).status_code == 302
    assert Evaluation.objects.count() == 1


def test_one_runs_at_a_time_in_their_order(admin_client, started):
    add(admin_client, model="lab/one")
    add(admin_client, model="lab/two")
    evaluations.launch()
    evaluations.launch()
    assert [pk for pk, _ in started] == [Evaluation.objects.get(model="lab/one").pk]


def test_a_dead_process_is_replaced_and_after_a_few_it_is_failed(admin_client, started, monkeypatch, settings):
    monkeypatch.setattr(leases, "LOOKED_AGAIN", 0)  # the sweep need not look twice
    settings.BACKOFF_S = 0
    add(admin_client)
    for _ in range(evaluations.ATTEMPTS + 1):
        evaluations.launch()
        Evaluation.objects.update(lease_until=timezone.now() - timedelta(seconds=1), not_before=None)
    assert len(started) == evaluations.ATTEMPTS
    assert len({token for _, token in started}) == evaluations.ATTEMPTS
    assert Evaluation.objects.get().state == "failed"


def test_a_process_whose_lease_was_taken_does_nothing(admin_client, started):
    add(admin_client)
    evaluations.launch()
    with pytest.raises(CommandError, match="another process"):
        call_command("run_evaluation", str(started[0][0]), str(uuid4()))
    assert Evaluation.objects.get().state == "running"


def test_what_the_endpoint_refuses_is_said_and_can_be_gone_on_with(admin_client, settings, started):
    with Endpoint(refuse(401, f"wrong key {KEY}"), answer()) as endpoint:
        settings.EVALUATION_ENDPOINTS = [f"here={endpoint.url}=TEST_KEY"]
        add(admin_client, rollouts=1)
        evaluation = run(started)
        assert (evaluation.state, "HTTP 401: wrong key [key]" in evaluation.said) == ("failed", True)
        admin_client.post(PAGE, {"action": "resume", "_selected_action": [evaluation.pk]})
        assert run(started).state == "done"


@pytest.mark.django_db(transaction=True)
def test_a_stopped_one_ends_and_stays_stopped(admin_client, settings, started, monkeypatch):
    settings.BEAT_S = 0.05
    with Endpoint(answer(), answer(after_s=1.0)) as endpoint:
        settings.EVALUATION_ENDPOINTS = [f"here={endpoint.url}="]
        add(admin_client, rollouts=50)
        evaluation = Evaluation.objects.get()
        asked, stops = endpoint.server.RequestHandlerClass.do_POST, threading.Lock()

        def stopping(handler: Any) -> None:
            if len(endpoint.requests) >= 8 and stops.acquire(blocking=False):  # once
                admin_client.post(PAGE, {"action": "stop", "_selected_action": [evaluation.pk]})
            asked(handler)

        monkeypatch.setattr(endpoint.server.RequestHandlerClass, "do_POST", stopping)
        assert run(started).state == "stopped"
    assert len(endpoint.requests) < 30


def test_an_endpoint_that_is_no_longer_named_is_not_asked(admin_client, settings, started):
    add(admin_client)
    settings.EVALUATION_ENDPOINTS = ["other=https://example.com/v1="]
    assert "no here any more" in run(started).said


def test_the_setting_is_read_and_its_mistakes_are_named_without_repeating_it():
    assert known_endpoints(["a=https://x.example/v1=KEY", "b=http://127.0.0.1:8000/v1"]) == {
        "a": Known("https://x.example/v1", "KEY"),
        "b": Known("http://127.0.0.1:8000/v1", ""),
    }
    for line in ("a=ftp://x/", "a=https://user:sk-1@x/v1=KEY", "a=https://x/v1=sk-1"):
        with pytest.raises(ValueError, match="EVALUATION_ENDPOINTS: a: ") as wrong:
            known_endpoints([line])
        assert "sk-1" not in str(wrong.value)

from __future__ import annotations

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth import authenticate
from django.urls import reverse
from django.utils import timezone

from leaderboard.services import housekeeping

FORMS = ["admin:login", "login"]


@pytest.fixture
def user(django_user_model, settings):
    settings.AXES_FAILURE_LIMIT = 3
    return django_user_model.objects.create_superuser("boss", password="right")


def sign_in(client, password: str, form: str = "admin:login", name: str = "boss", **more: str):
    return client.post(reverse(form), {"username": name, "password": password}, **more)


@pytest.mark.parametrize("form", FORMS)
def test_whoever_guesses_passwords_is_stopped_also_with_the_right_one(client, user, form):
    for _ in range(2):
        assert sign_in(client, "wrong", form).status_code == 200
    stopped = sign_in(client, "wrong", form)
    assert stopped.status_code == 429
    assert "Too many failed logins" in stopped.content.decode()
    assert "for 15 minutes" in stopped.content.decode()
    assert stopped.headers["Retry-After"] == "900"
    assert sign_in(client, "right", form).status_code == 429
    assert client.get(reverse("board")).status_code == 200


def test_the_pause_ends_by_itself(client, user):
    for _ in range(3):
        sign_in(client, "wrong")
    assert sign_in(client, "right").status_code == 429
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert sign_in(client, "right").status_code == 302


def test_somebody_elsewhere_and_other_names_are_not_stopped(client, user, django_user_model):
    django_user_model.objects.create_user("other", password="right", is_staff=True)
    for _ in range(3):
        sign_in(client, "wrong")
    assert sign_in(client, "right", REMOTE_ADDR="192.0.2.7").status_code == 302
    assert sign_in(client, "right", name="other").status_code == 302


def test_a_login_that_succeeds_forgets_the_failures_before_it(client, user):
    for password in ("wrong", "wrong", "right", "wrong", "wrong"):
        answer = sign_in(client, password)
    assert answer.status_code == 200


def test_a_command_checks_passwords_without_a_request(user):
    assert authenticate(username="boss", password="right") == user
    assert authenticate(username="boss", password="wrong") is None


def test_old_failures_are_forgotten(client, user):
    sign_in(client, "wrong")
    housekeeping.prune(timezone.now())
    assert AccessAttempt.objects.exists()
    housekeeping.prune(timezone.now() + timedelta(days=2))
    assert not AccessAttempt.objects.exists()


def test_nobody_signed_out_sees_the_admin(client, user):
    answer = client.get(reverse("admin:index"))
    assert (answer.status_code, answer.url) == (302, "/admin/login/?next=/admin/")

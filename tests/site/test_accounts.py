"""Changing a password, and setting a forgotten one by mail: for everybody with an account, telling nobody who has one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import caches
from django.test import Client
from django_q.models import OrmQ

from leaderboard import tasks
from leaderboard.services import passwords
from tests.site.admin_pages import text_of

pytestmark = pytest.mark.django_db
NEW = {"new_password1": "correct horse", "new_password2": "correct horse"}


@pytest.fixture(autouse=True)
def quiet(settings: Any) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    settings.SENDS_MAIL = True
    settings.CACHES = {
        name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": f"accounts-{name}"}
        for name in settings.CACHES
    }
    caches["limits"].clear()


@pytest.fixture
def user(db: None) -> User:
    return User.objects.create_user("pat", email="Pat@example.org", password="old secret")


def sign_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_whoever_is_no_staff_changes_the_own_password_too(user: User) -> None:
    client = sign_in(user)
    assert client.get("/account/password/").status_code == 200
    page = client.post("/account/password/", {"old_password": "old secret", **NEW}, follow=True)
    assert "Your password is changed" in text_of(page)
    user.refresh_from_db()
    assert user.check_password("correct horse")
    assert client.get("/try/").status_code == 200  # still signed in here


def test_guesses_of_the_old_password_are_stopped_as_at_the_login(user: User) -> None:
    client = sign_in(user)
    for _ in range(2):
        page = client.post("/account/password/", {"old_password": "wrong", **NEW})
        assert "old password was entered incorrectly" in text_of(page)
    assert client.post("/account/password/", {"old_password": "wrong", **NEW}).status_code == 429
    assert client.post("/account/password/", {"old_password": "old secret", **NEW}).status_code == 429
    user.refresh_from_db()
    assert user.check_password("old secret")


def test_the_admins_own_page_leads_to_this_one(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_staff=True)
    for method in ("get", "post"):
        assert getattr(sign_in(user), method)("/admin/password_change/").url == "/account/password/"


def queued() -> list[tuple[Any, ...]]:
    return [(message.task["func"], *message.task["args"]) for message in OrmQ.objects.all()]


def test_a_forgotten_password_is_set_by_a_link_that_works_once(client: Client, user: User) -> None:
    assert client.post("/account/reset/", {"email": "pat@example.org"}).url == "/account/reset/sent/"
    [(task, *arguments)] = queued()
    assert task == "leaderboard.tasks.send_password_mail"
    tasks.send_password_mail(*arguments)
    [sent] = mail.outbox
    assert sent.to == ["Pat@example.org"]
    link = re.search(r"http://testserver(/account/reset/\S+/)", sent.body)
    assert link is not None
    page = client.get(link[1], follow=True)
    form = page.redirect_chain[-1][0]
    assert "no-store" in page.headers["Cache-Control"]
    assert "The new password is set" in text_of(client.post(form, NEW, follow=True))
    user.refresh_from_db()
    assert user.check_password("correct horse")
    assert "no longer valid" in text_of(Client().get(link[1], follow=True))


def test_the_answer_is_the_same_whether_there_is_an_account(client: Client, user: User) -> None:
    there = client.post("/account/reset/", {"email": user.email})
    nowhere = client.post("/account/reset/", {"email": "nobody@example.org"})
    assert (there.status_code, there.url, there.content) == (nowhere.status_code, nowhere.url, nowhere.content)
    assert len(queued()) == 2
    assert passwords.send("nobody@example.org", "http://testserver/") == 0
    assert not mail.outbox


def test_mails_are_asked_for_as_seldom_as_passwords_are_guessed(client: Client, user: User) -> None:
    for email in (user.email, "nobody@example.org"):
        for number in range(3):
            assert (
                client.post("/account/reset/", {"email": email}, REMOTE_ADDR=f"192.0.2.{number}{len(email)}").status_code == 302
            )
        stopped = client.post("/account/reset/", {"email": email}, REMOTE_ADDR="192.0.2.99")
        assert (stopped.status_code, stopped.headers["Retry-After"]) == (429, "900")
    assert len(queued()) == 6


def test_the_link_is_the_address_that_readers_know(client: Client, user: User, settings: Any) -> None:
    client.post("/account/reset/", {"email": user.email}, secure=True)
    settings.SITE_URL = "https://board.example.org/"
    client.post("/account/reset/", {"email": user.email})
    assert [base for _, _, base in queued()] == ["https://testserver/", "https://board.example.org/"]
    passwords.send(user.email, settings.SITE_URL)
    assert "https://board.example.org/account/reset/" in mail.outbox[0].body


def test_where_no_mail_is_sent_the_page_says_whom_to_ask(client: Client, user: User, settings: Any) -> None:
    settings.SENDS_MAIL = False
    text = text_of(client.get("/account/reset/"))
    assert "sends no mail" in text
    assert "manage.py changepassword" in text
    client.post("/account/reset/", {"email": user.email})
    assert not queued()


def test_both_logins_lead_to_it_and_no_cache_keeps_these_pages(client: Client, user: User) -> None:
    for login in ("/admin/login/", "/try/login/"):
        assert "/account/reset/" in client.get(login).content.decode()
    assert "/account/password/" in sign_in(user).get("/try/").content.decode()
    for page in ("/account/reset/", "/account/reset/sent/", "/account/reset/done/", "/account/reset/MQ/x-y/"):
        assert {"private", "no-store"} <= set(re.split(", *", client.get(page).headers["Cache-Control"])), page
    assert client.get("/account/password/").url.startswith("/try/login/?next=")
    assert "no-store" in sign_in(user).get("/account/password/").headers["Cache-Control"]


def test_a_mail_server_that_is_away_is_one_line_in_the_log(user: User, settings: Any, monkeypatch: Any, caplog: Any) -> None:
    def refuse(*_: object) -> None:
        raise ConnectionRefusedError("mail.example.org")

    monkeypatch.setattr(passwords, "send_mail", refuse)
    tasks.send_password_mail(user.email, "http://testserver/")
    assert "could not be sent" in caplog.text
    assert user.email not in caplog.text

"""Tokens: shown once, kept as a hash, dead once revoked."""

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from leaderboard.models import ApiToken
from leaderboard.services import tokens
from tests.api.conftest import Program, make_user

pytestmark = pytest.mark.django_db


def test_a_token_is_kept_as_a_hash_only(uploader: User) -> None:
    row, token = tokens.make(uploader, "a script")
    assert all(token not in str(value) for value in ApiToken.objects.filter(pk=row.pk).values_list().get())
    assert tokens.find(token) == row
    assert tokens.find(token + "x") is None


def test_a_revoked_token_and_a_locked_user_are_turned_away(uploader: User, program: Program) -> None:
    program.get("bundles/nothere", status=404)
    User.objects.filter(pk=uploader.pk).update(is_active=False)
    program.get("bundles/nothere", status=401)
    User.objects.filter(pk=uploader.pk).update(is_active=True)
    tokens.revoke(ApiToken.objects.get())
    program.get("bundles/nothere", status=401)


def test_the_admin_shows_a_new_token_once(admin_client: Client, admin_user: User) -> None:
    page = admin_client.post("/admin/leaderboard/apitoken/add/", {"user": admin_user.pk, "label": "a script"}, follow=True)
    token = re.search(r"ak_[\w-]{40,}", page.content.decode())
    assert token is not None
    assert tokens.find(token[0]) is not None
    for address in ("", f"{ApiToken.objects.get().pk}/change/"):
        page = admin_client.get(f"/admin/leaderboard/apitoken/{address}")
        assert page.status_code == 200
        assert token[0] not in page.content.decode()


def test_nobody_makes_or_sees_a_token_of_somebody_else(admin_user: User, client: Client) -> None:
    tokens.make(admin_user, "theirs")
    member = make_user("member", is_staff=True)
    member.user_permissions.set(Permission.objects.filter(content_type__model="apitoken").exclude(codename__startswith="revoke"))
    client.force_login(member)
    client.post("/admin/leaderboard/apitoken/add/", {"user": admin_user.pk, "label": "mine"})
    assert ApiToken.objects.get(label="mine").user == member
    assert "theirs" not in client.get("/admin/leaderboard/apitoken/").content.decode()


def test_the_admin_revokes(admin_client: Client, admin_user: User) -> None:
    row, token = tokens.make(admin_user, "a script")
    asked = admin_client.post("/admin/leaderboard/apitoken/", {"action": "revoke", "_selected_action": [row.pk]})
    assert tokens.find(token) == row
    admin_client.post(asked.headers["Location"])
    assert tokens.find(token) is None

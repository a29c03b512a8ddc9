from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from leaderboard.services import tokens
from tests.pages import factories


class Program:
    """A program with a token, or without."""

    def __init__(self, token: str = "") -> None:
        self.client = Client(headers={"Authorization": f"Bearer {token}"} if token else {})

    def get(self, address: str, status: int = 200) -> Any:
        response = self.client.get(f"/api/{address}")
        assert response.status_code == status, response.content
        return response.json()

    def send(self, body: bytes, query: str = "", status: int = 201, **headers: str) -> Any:
        response = self.client.post(f"/api/bundles?{query}", body, content_type="application/octet-stream", headers=headers)
        assert response.status_code == status, response.content
        return response.json()


def make_user(name: str, *, may_upload: bool = True, **more: Any) -> User:
    user = User.objects.create_user(name, **more)
    if may_upload:
        user.user_permissions.add(Permission.objects.get(codename="add_bundle"))
    return user


@pytest.fixture
def uploader(db: None) -> User:
    return make_user("uploader")


@pytest.fixture
def program(uploader: User) -> Program:
    return Program(tokens.make(uploader, "a script")[1])


@pytest.fixture
def stranger(db: None) -> Program:
    return Program(tokens.make(make_user("stranger"), "another script")[1])


@pytest.fixture
def staff(db: None) -> Program:
    """A client of somebody who may view all bundles."""
    user = make_user("staff", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_bundle"))
    return Program(tokens.make(user, "their script")[1])


@pytest.fixture
def anybody() -> Program:
    return Program()


@pytest.fixture
def site(db: None) -> None:
    factories.make_site(models=2)

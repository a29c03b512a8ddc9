"""Who asks too often is told so, and when to come back."""

from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from tests.api.conftest import Program
from tests.site import bundles

pytestmark = pytest.mark.django_db
BODY = bundles.lines(bundles.row())


@pytest.fixture(autouse=True)
def nobody_has_asked(settings: Any) -> None:
    caches["limits"].clear()
    settings.API_READS_PER_MINUTE, settings.API_UPLOADS_PER_HOUR = 3, 2


def test_reading_too_often_is_answered_with_when_to_come_back(anybody: Program) -> None:
    for _ in range(3):
        anybody.get("kernels")
    refused = anybody.client.get("/api/models")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert "Retry-After" in refused.json()["detail"]


def test_a_reader_is_an_address_whatever_it_says_of_itself(anybody: Program, settings: Any) -> None:
    for number in range(3):
        assert anybody.client.get("/api/kernels", headers={"X-Forwarded-For": f"10.0.0.{number}"}).status_code == 200
    assert anybody.client.get("/api/kernels", headers={"X-Forwarded-For": "10.0.0.9"}).status_code == 429
    assert Client(REMOTE_ADDR="10.1.1.1").get("/api/kernels").status_code == 200


def test_a_user_has_a_share_of_uploads_whatever_the_token(program: Program, stranger: Program) -> None:
    program.send(BODY)
    program.send(BODY, status=200)
    assert "Too many" in program.send(BODY, status=429)["detail"]
    stranger.send(BODY + b"\n")
    program.get("bundles/nothere", status=404)


def test_zero_is_no_limit(anybody: Program, settings: Any) -> None:
    settings.API_READS_PER_MINUTE = 0
    for _ in range(5):
        anybody.get("kernels")


def test_the_document_tells_of_the_limit_wherever_there_is_one(anybody: Program) -> None:
    paths = anybody.get("openapi.json")["paths"]
    limited = {path for path, methods in paths.items() for said in methods.values() if "429" in said["responses"]}
    assert limited == set(paths) - {"/api/queue"}
    for path in limited:
        for said in paths[path].values():
            assert said["responses"]["429"]["headers"]["Retry-After"]["required"]

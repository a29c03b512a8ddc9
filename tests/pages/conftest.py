import json
from functools import lru_cache
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from grading import scoring
from leaderboard.figures import images
from leaderboard.models import Kernel, LanguageModel
from tests.pages import factories


@pytest.fixture(autouse=True)
def own_cache(settings: Any) -> None:
    """What one test has cached is no other's."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {name: {"BACKEND": backend, "LOCATION": uuid4().hex} for name in settings.CACHES}


@pytest.fixture
def first_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test with scores in figures: a change of the formula is no change of it."""
    monkeypatch.setattr(scoring, "speedup_score", factories.first_formula)


@pytest.fixture
def drawer(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Draws without a browser; says what it drew."""
    drew: list[str] = []

    def draw(figures: list[Any], form: str) -> list[bytes]:
        drew.append(form)
        return [f"{form} of {len(figure['data'])} traces".encode() for figure in figures]

    monkeypatch.setattr(images, "images", draw)
    monkeypatch.setattr(images, "_missing", lru_cache(lambda: ""))
    return drew


@pytest.fixture
def site(db: None) -> None:
    """Four invented models and two baselines on all kernels and two architectures."""
    factories.make_site(models=4)


@pytest.fixture
def kernel(db: None) -> Kernel:
    return factories.make_kernel("dot_f32")


@pytest.fixture
def model(db: None) -> LanguageModel:
    return factories.make_model("lab/one")


class Reader:
    """A reader without an account: fetches pages and says what is on them."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def page(self, address: str, status: int = 200) -> str:
        response = self.client.get(address)
        assert response.status_code == status, f"{address}: {response.status_code}"
        return response.content.decode()

    def json(self, address: str) -> Any:
        return json.loads(self.page(address))

    def download(self, address: str) -> str:
        response = self.client.get(address)
        assert response.status_code == 200, f"{address}: {response.status_code}"
        return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


@pytest.fixture
def reader(client: Client) -> Reader:
    return Reader(client)

"""Random requests, within the API's own description and against it: no fault of ours, and no answer that it does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings

from leaderboard.services import tokens
from leaderboard.wsgi import application
from tests.api.conftest import make_user
from tests.pages import factories

schemathesis = pytest.importorskip("schemathesis", reason="wants `pip install schemathesis` (extra dev)")
pytestmark = [pytest.mark.fuzz, pytest.mark.slow, pytest.mark.django_db]


document = schemathesis.openapi.from_wsgi("/api/openapi.json", application)


@pytest.fixture
def in_one_transaction(db: None) -> Iterator[None]:
    """Requests run within the test's transaction: none of them may close its connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def headers(in_one_transaction: None) -> dict[str, str]:
    factories.make_result(factories.make_submission(factories.make_kernel("dot_f32"), factories.make_model("lab/one")))
    return {"Authorization": f"Bearer {tokens.make(make_user('uploader'), 'a script')[1]}"}


@document.parametrize()
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_the_document_describes(case: Any, headers: dict[str, str]) -> None:
    case.call_and_validate(headers=headers)

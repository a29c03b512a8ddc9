"""Random requests, within the API's own description and against it: no fault of ours, and no answer that it does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings

from leaderboard.services import tokens
from leaderboard.wsgi import application
from tests.api.conftest import make_user
from tests.pages import factories

schemathesis = pytest.importorskip("schemathesis", reason="wants `pip install schemathesis` (extra dev)")
pytestmark = pytest.mark.django_db


def served(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """The site as a server runs it: with each response closed, and so the request's files with it.

    Schemathesis leaves that to the garbage collector. What it collects while Python 3.11 parses source, which pytest does on
    a late import, it cannot report without spoiling the parser's state: "AST constructor recursion depth mismatch".
    """
    response = application(environ, start_response)
    try:
        return list(response)
    finally:
        response.close()


document = schemathesis.openapi.from_wsgi("/api/openapi.json", served)


@pytest.fixture
def in_one_transaction(db: None) -> Iterator[None]:
    """Requests run within the test's transaction: none of them may close its connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def tokens_of(in_one_transaction: None) -> dict[str, str]:
    """Beside something public there is a private bundle of somebody else's."""
    kernel = factories.make_kernel("dot_f32")
    factories.make_result(factories.make_submission(kernel, factories.make_model("lab/one")))
    hidden = factories.make_submission(kernel, factories.make_model("hushed/model"), public=False, uid="hushed0000")
    factories.make_result(hidden)
    factories.make_bundle("hushed.zip", public=False, submissions=(hidden,))
    revoked, word = tokens.make(make_user("former"), "an old script")
    tokens.revoke(revoked)
    reader = tokens.make(make_user("reader", may_upload=False), "only reads")[1]
    return {"uploader": tokens.make(make_user("uploader"), "a script")[1], "reader": reader, "revoked": word, "nobody": ""}


@pytest.fixture(autouse=True)
def without_limits(settings: Any) -> None:
    settings.API_READS_PER_MINUTE = settings.API_UPLOADS_PER_HOUR = 0


def examples(number: int) -> Any:
    return hypothesis_settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def announces_too_much(case: Any) -> bool:
    """A number of bytes in the right form may be over a setting of this site, which no document can know: 413.

    Such numbers come and go: hypothesis takes some of its values from the source of the modules that are loaded.
    """
    announced = str((case.headers or {}).get("Upload-Length", ""))
    return announced.isdecimal() and int(announced) > django_settings.UPLOAD_MAX_MB << 20


def ask(case: Any, token: str) -> None:
    """Send a request and run every check of schemathesis. One that was wrong by its header is none once it has the token."""
    wrong = {location.value for location, part in case.meta.components.items() if part.mode.is_negative}
    excused = [schemathesis.checks.negative_data_rejection] if token and "header" in wrong else []
    if wrong == {"body"} and (case.headers or {}).get("Idempotency-Key"):  # it may have come before: then no body is looked at
        excused.append(schemathesis.checks.negative_data_rejection)
    if announces_too_much(case):
        excused.append(schemathesis.checks.positive_data_acceptance)
    plain = {"Accept-Encoding": "identity"}  # in one process nobody unpacks what is compressed
    headers = plain | ({"Authorization": f"Bearer {token}"} if token else {})
    response = case.call_and_validate(headers=headers, excluded_checks=excused)
    assert "hushed" not in response.text


@document.parametrize()
@examples(12)
def test_every_answer_is_one_that_the_document_describes(case: Any, tokens_of: dict[str, str]) -> None:
    ask(case, tokens_of["uploader"])


@pytest.mark.fuzz
@pytest.mark.slow
@pytest.mark.parametrize("whose", ["uploader", "reader", "revoked", "nobody"])
@document.parametrize()
@examples(150)
def test_so_is_every_answer_to_many_more_requests(case: Any, tokens_of: dict[str, str], whose: str) -> None:
    ask(case, tokens_of[whose])

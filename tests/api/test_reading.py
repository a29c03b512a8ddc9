"""What the API says of public results is what the pages and the CSV say; of private ones it says nothing."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Submission
from tests.api.conftest import Program
from tests.pages import factories

pytestmark = pytest.mark.django_db
DOCUMENTED = {
    *("/api/kernels", "/api/models", "/api/leaderboard", "/api/results", "/api/queue"),
    *("/api/bundles", "/api/bundles/{uid}"),
}


def rows_of(client: Client, table: str, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"/export/{table}.csv?{query}")
    text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))


def all_pages(program: Program, query: str = "") -> list[dict[str, Any]]:
    page = program.get(f"results?limit=7&{query}")
    rows = page["items"]
    while page["next"]:
        page = program.get(f"results?limit=7&cursor={page['next']}&{query}")
        rows += page["items"]
    return rows


@pytest.mark.usefixtures("site")
def test_all_pages_of_results_are_the_csv(anybody: Program, client: Client) -> None:
    for query in ("", "arch=arm64&kernel=dot_f32,sort_u32"):
        rows, table = all_pages(anybody, query), rows_of(client, "results", query)
        assert len(rows) == len(table) > 10
        assert list(rows[0]) == list(table[0])
        assert {(row["submission"], row["arch"], row["verdict"]) for row in rows} == {
            (row["submission"], row["arch"], row["verdict"]) for row in table
        }


@pytest.mark.usefixtures("site")
def test_the_leaderboard_is_the_csv(anybody: Program, client: Client) -> None:
    items, table = anybody.get("leaderboard")["items"], rows_of(client, "leaderboard")
    assert [(row["model"], row["arch"]) for row in items] == [(row["model"], row["arch"]) for row in table]
    assert list(items[0]) == list(table[0])
    assert [float(row["score"]) for row in table] == pytest.approx([row["score"] for row in items])


@pytest.mark.usefixtures("site")
def test_a_grading_that_is_repeated_between_pages_moves_no_row(anybody: Program) -> None:
    page = anybody.get("results?limit=5")
    last = Submission.objects.get(uid=page["items"][-1]["submission"])
    result = last.results.current().get(arch=page["items"][-1]["arch"])
    result.is_current = False
    result.save()
    result.pk, result.is_current = None, True
    result._state.adding = True
    result.save()
    following = anybody.get(f"results?limit=5&cursor={page['next']}")["items"]
    seen = {(row["submission"], row["arch"]) for row in page["items"]}
    assert not seen & {(row["submission"], row["arch"]) for row in following}


def test_private_rows_are_nowhere(anybody: Program, staff: Program) -> None:
    kernel, model = factories.make_kernel("dot_f32"), factories.make_model("secret/model")
    hidden = factories.make_submission(kernel, model, public=False, uid="secretuid0")
    factories.make_result(hidden, public=False)
    for program in (anybody, staff):
        for address in ("models", "results", "leaderboard", "queue", "kernels"):
            assert "secret" not in str(program.get(address)), address
    anybody.get("results?cursor=secretuid0.amd64", status=404)
    assert "no model" in anybody.get("results?model=secret/model", status=404)["detail"]


def test_nonsense_is_answered_with_a_sentence(anybody: Program) -> None:
    for query, status in (
        ("arch=mips", 422),
        ("limit=0", 422),
        ("kernel=nope", 404),
        ("kernel=a%00", 400),
        ("cursor=x", 422),
        ("cursor=x.amd64", 404),
    ):
        assert isinstance(anybody.get(f"results?{query}", status=status)["detail"], str), query


@pytest.mark.usefixtures("site")
def test_the_queue_is_as_it_always_was(anybody: Program) -> None:
    archs = anybody.get("queue")["archs"]
    assert {"arch", "queued", "running", "failed", "parked", "workers", "oldest_s", "reason"} <= set(archs[0])


def test_the_document_describes_every_address_and_the_rest_is_not_there(anybody: Program) -> None:
    document = anybody.get("openapi.json")
    assert set(document["paths"]) == DOCUMENTED
    for address in ("docs", "nothing/here", "bundles/a/b"):
        assert anybody.get(address, status=404)["detail"], address


@pytest.mark.usefixtures("site")
def test_a_page_of_results_is_read_with_few_queries(anybody: Program, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(3):
        anybody.get("results?limit=50")

"""Every address, asked by everybody: who may keep the answer, by which tag it is known again, and whether it is compressed."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import brotli
import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from leaderboard.board import summaries
from leaderboard.lib import stale_cache
from leaderboard.models import Kernel, Submission
from leaderboard.services import tokens
from leaderboard.web.delivery import Delivery, best_coding
from tests.api import test_everywhere
from tests.api.conftest import make_user
from tests.api.test_everywhere import GUARDED, OWN, PUBLIC, ROUTES, body
from tests.pages import factories

pytestmark = pytest.mark.django_db
shown = test_everywhere.shown
owner = test_everywhere.owner
own_cache = test_everywhere.own_cache
NOT_FOR_CACHES = {"healthz", "readyz", "try/login/", *(route for route in PUBLIC if route.startswith("account/"))}
TEXT = ("text/html", "text/csv", "application/json")
READ = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}


def addresses(named: dict[str, tuple[str, ...]], without: set[str] = frozenset()) -> list[str]:  # type: ignore[assignment]
    return [address for route, found in named.items() if route not in without for address in found]


def directives(response: Any) -> set[str]:
    return set(re.split(r", *", response.headers.get("Cache-Control", "")))


def varies(response: Any) -> set[str]:
    return set(re.split(r", *", response.headers.get("Vary", "")))


def nobody_keeps(response: Any) -> bool:
    return {"private", "no-store"} <= directives(response) and "public" not in directives(response)


def everything() -> Iterator[str]:
    yield from addresses(PUBLIC)
    yield from addresses(GUARDED)
    yield from (f"/{route}" for route in ROUTES if "<" not in route and "^" not in route and "(" not in route)


def test_a_public_answer_may_be_kept_by_everybody(shown: None) -> None:
    for address in addresses(PUBLIC, NOT_FOR_CACHES):
        response = Client().get(address, headers={"accept-encoding": "gzip"})
        assert response.status_code == 200, address
        assert directives(response) in ({"public", "max-age=60"}, {"public", "max-age=5"}), address
        assert "Cookie" in varies(response), address
        assert ("Authorization" in varies(response)) == address.startswith("/api/"), address
        if not response.streaming:
            assert re.fullmatch('(W/)?"[0-9a-f]{32}"', response.headers["ETag"]), address
        assert not response.cookies, address


def test_public_text_is_compressed_and_says_the_same(shown: None) -> None:
    for address in addresses(PUBLIC, NOT_FOR_CACHES):
        plain = Client().get(address)
        if not plain.headers["Content-Type"].startswith(TEXT):
            continue
        whole = body(plain)
        assert "Accept-Encoding" in varies(plain), address
        assert "Content-Encoding" not in plain.headers, address
        for coding in ("br", "gzip"):
            response = Client().get(address, headers={"accept-encoding": coding})
            sent = body(response)
            if len(whole) < 200 and not response.streaming:
                assert "Content-Encoding" not in response.headers, address
                continue
            assert response.headers["Content-Encoding"] == coding, address
            assert "Accept-Encoding" in varies(response), address
            text, other = (re.sub(rb"\d{4}-\d\d-\d\d[T ][\d:.]+", b"", bytes(one)) for one in (READ[coding](sent), whole))
            assert text == other, address
            if not response.streaming:
                assert response.headers["Content-Length"] == str(len(sent))
                assert len(sent) < len(whole)


def test_a_page_is_known_again_by_its_tag_in_every_coding(shown: None) -> None:
    for address in ("/kernels/", "/methodology/", "/models/lab-one/", "/figures/memory.json?arch=both", "/api/models"):
        tags = set()
        for coding in ("identity", "gzip", "br"):
            first = Client().get(address, headers={"accept-encoding": coding})
            tag = first.headers["ETag"]
            assert tag.startswith("W/") == (coding != "identity"), "other bytes: a weak tag"
            tags.add(tag.removeprefix("W/"))
            for recently_requested in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
                again = Client().get(address, headers={"accept-encoding": "gzip", "if-none-match": recently_requested})
                assert (again.status_code, again.content) == (304, b""), (address, recently_requested)
                assert again.headers["Cache-Control"] == first.headers["Cache-Control"]
                assert {"Cookie", "Accept-Encoding"} <= varies(again)
                assert again.headers["ETag"].removeprefix("W/") == tag.removeprefix("W/")
        assert len(tags) == 1
        changed = Client().get(address, headers={"if-none-match": '"other"'})
        assert changed.status_code == 200
        if not address.startswith("/api/"):  # there is no HEAD
            assert Client().head(address).headers["ETag"] in tags


def test_what_is_no_success_is_kept_by_nobody(owner: User) -> None:
    for address in (
        *addresses(GUARDED),
        "/nothing/",
        "/kernels/nothing/",
        "/api/nothing",
        "/kernels",
        "/?arch=vax",
        "/api/results?limit=x",
    ):
        response = Client().get(address, headers={"accept-encoding": "gzip, br"})
        if response.status_code != 200:
            assert nobody_keeps(response), address
            assert "Content-Encoding" not in response.headers, address
            assert "ETag" not in response.headers, address


def test_nothing_of_somebody_who_is_signed_in_is_kept_or_compressed(owner: User) -> None:
    boss = make_user("boss", is_staff=True, is_superuser=True)
    people = {}
    for user in (owner, boss):
        people[user.username] = Client()
        people[user.username].force_login(user)
    people["a program"] = Client(headers={"Authorization": f"Bearer {tokens.make(owner, 'mine')[1]}"})
    people["a stale session"] = Client(headers={"Cookie": "sessionid=gone"})
    for person, client in people.items():
        for address in everything():
            response = client.get(address, headers={"accept-encoding": "gzip, br"})
            assert nobody_keeps(response), f"{person}: {address}: {directives(response)}"
            assert "Content-Encoding" not in response.headers, f"{person}: {address}"
            assert "ETag" not in response.headers, f"{person}: {address}"


def test_no_page_with_a_secret_is_compressed(owner: User) -> None:
    """BREACH: a form's token, and something of the request beside it."""
    seen = 0
    assert len(list(everything())) > 80
    for address in everything():
        response = Client().get(address, headers={"accept-encoding": "gzip, br"})
        plain = body(Client().get(address))
        if b"csrfmiddlewaretoken" in plain or response.cookies:
            seen += 1
            assert "Content-Encoding" not in response.headers, address
            assert nobody_keeps(response), address
        if "Content-Encoding" in response.headers:
            assert "public" in directives(response), address
    assert seen >= 2
    assert any(route.startswith("admin/") for route in ROUTES)
    for address in ("/try/login/", "/admin/login/"):
        posted = Client().post(address, {"username": "x" * 300, "password": "y"}, headers={"accept-encoding": "gzip"})
        assert nobody_keeps(posted)
        assert "Content-Encoding" not in posted.headers


def test_what_changes_something_is_never_kept(shown: None) -> None:
    for address in {"/", "/api/queue", "/api/models", "/export/results.csv"} | {f"/{route}" for route in OWN if "^" not in route}:
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert nobody_keeps(Client().generic(method, address)), f"{method} {address}"


def test_what_will_soon_be_something_else_is_kept_for_five_seconds(shown: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def age(address: str) -> str:
        return str(Client().get(address).headers["Cache-Control"])

    assert age("/") == "public, max-age=60"
    assert age("/queue/") == age("/api/queue") == "public, max-age=5", "live"
    monkeypatch.setattr(summaries, "LARGE", 0)
    assert age("/") == "public, max-age=60"
    factories.make_result(factories.make_submission(Kernel.objects.get(), factories.make_model("lab/three")))
    assert age("/") == "public, max-age=5", "figures of an earlier state"
    assert stale_cache.recently_requested()


def test_a_board_that_waits_for_gradings_is_kept_for_five_seconds(shown: None) -> None:
    factories.make_queued(factories.make_submission(Kernel.objects.get(), factories.make_model("lab/four")))
    assert Client().get("/").headers["Cache-Control"] == "public, max-age=5"
    assert Client().get("/methodology/").headers["Cache-Control"] == "public, max-age=60"


@pytest.mark.parametrize("coding", ["br", "gzip"])
def test_what_is_streamed_is_compressed_as_it_comes_and_closed_in_the_end(coding: str) -> None:
    made, closed = 0, False

    def rows() -> Iterator[bytes]:
        nonlocal made, closed
        try:
            for number in range(200_000):
                made += 1
                yield f"{number},{uuid4().hex}\n".encode()
        finally:
            closed = True

    def view(request: HttpRequest) -> StreamingHttpResponse:
        return StreamingHttpResponse(rows(), content_type="text/csv; charset=utf-8")

    response = Delivery(view)(RequestFactory().get("/export/x.csv", headers={"accept-encoding": coding}))
    chunks = iter(response)
    first = next(chunk for chunk in chunks if chunk)
    assert made < 100_000, "the first bytes leave before the last row is made"
    text = READ[coding](first + b"".join(chunks))
    assert text.count(b"\n") == 200_000
    response.close()
    broken = Delivery(view)(RequestFactory().get("/export/x.csv", headers={"accept-encoding": coding}))
    next(iter(broken))
    closed = False
    broken.close()
    assert closed, "whoever goes away ends the making of rows"


def test_an_answer_to_head_makes_no_rows() -> None:
    def rows() -> Iterator[bytes]:
        raise AssertionError("nobody asked for them")
        yield b""

    response = Delivery(lambda request: StreamingHttpResponse(rows(), content_type="text/csv"))(RequestFactory().head("/"))
    assert b"".join(response) == b""


@pytest.mark.parametrize(
    "accepted", ["", "identity", "gzip;q=0", "deflate", "br;q=x", "gzip;q=0, br;q=0.0, *", "identity, gzip;q=0.5"]
)
def test_whoever_cannot_take_it_gets_it_plain(accepted: str) -> None:
    assert best_coding(accepted) is None


def test_the_coding_that_is_preferred_is_taken() -> None:
    wanted = {"gzip": "gzip", "GZIP": "gzip", "gzip, deflate, br, zstd": "br", "br;q=0.5, gzip;q=0.8": "gzip", "*": "br"}
    wanted |= {"gzip;q=1.0, *;q=0": "gzip", "br;q=0, *": "gzip", " gzip ; q=0.1 ,identity;q=0": "gzip"}
    assert {accepted: best_coding(accepted) for accepted in wanted} == wanted


def test_a_view_that_says_private_is_believed() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(b"x" * 1000, headers={"Cache-Control": "private"})

    response = Delivery(view)(RequestFactory().get("/", headers={"accept-encoding": "gzip"}))
    assert nobody_keeps(response)
    assert "Content-Encoding" not in response.headers


@pytest.fixture
def kept_pages(settings: Any) -> None:
    settings.CACHES = settings.CACHES | {
        "pages": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": uuid4().hex}
    }
    settings.PAGES_KEPT_S = 60.0


def test_a_kept_page_is_made_once_and_is_the_same(shown: None, kept_pages: None, django_assert_num_queries: Any) -> None:
    for address in ("/", "/kernels/", "/figures/memory.json?arch=both", f"/submissions/{test_everywhere.OPEN}/record.json"):
        for coding in ("identity", "gzip", "br"):
            recently_requested = {"accept-encoding": coding}
            first = Client().get(address, headers=recently_requested)
            with django_assert_num_queries(0):
                again = Client().get(address, headers=recently_requested)
                known = Client().get(address, headers=recently_requested | {"if-none-match": first.headers["ETag"]})
            assert (again.content, dict(again.items())) == (first.content, dict(first.items()))
            assert known.status_code == 304


def test_who_is_somebody_never_gets_a_kept_page_and_what_they_see_is_not_kept(owner: User, kept_pages: None) -> None:
    staff = Client()
    staff.force_login(make_user("staff", is_staff=True, is_superuser=True))
    hidden = f"/submissions/{test_everywhere.HIDDEN}/"
    assert staff.get(hidden).status_code == 200
    assert Client().get(hidden).status_code == 404
    assert Client().get("/").headers["Cache-Control"].startswith("public")
    assert nobody_keeps(staff.get("/"))


def test_what_somebody_changes_shows_at_once(owner: User, kept_pages: None) -> None:
    page = f"/submissions/{test_everywhere.OPEN}/"
    assert Client().get(page).status_code == 200
    answer = Submission.objects.get(uid=test_everywhere.OPEN)
    Submission.objects.filter(pk=answer.pk).update(public=False)
    assert Client().get(page).status_code == 200, "kept"
    Client().post("/try/login/", {"username": "nobody", "password": "x"})
    assert Client().get(page).status_code == 200, "nobody in particular changes nothing"
    somebody = Client()
    somebody.force_login(owner)
    somebody.post("/try/", {})
    assert Client().get(page).status_code == 404


def test_errors_and_other_hosts_are_not_kept(shown: None, kept_pages: None, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    pages = {
        host: Client(headers={"host": host}).get(f"/submissions/{test_everywhere.OPEN}/").content
        for host in settings.ALLOWED_HOSTS
    }
    for host, page in pages.items():
        assert host.encode() in page
    assert Client(headers={"host": "evil.example"}).get("/").status_code == 400
    assert Client(headers={"host": "one.example"}).get("/kernels/sort_u32/").status_code == 404
    factories.make_kernel("sort_u32")
    assert Client(headers={"host": "one.example"}).get("/kernels/sort_u32/").status_code == 200


def test_a_cache_that_cannot_be_written_is_no_error(shown: None, kept_pages: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("django.core.cache.backends.locmem.LocMemCache.set", full)
    assert Client().get("/methodology/").status_code == 200

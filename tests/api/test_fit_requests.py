"""Characters and numbers that a database refuses, in every parameter of every address: 400 with a sentence, never a 500."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import quote, quote_from_bytes
from uuid import uuid4
from wsgiref.util import setup_testing_defaults

import pytest
from django.contrib import admin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_started
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import get_resolver

from leaderboard.api import api
from leaderboard.web.fit_requests import RefuseUnfit
from leaderboard.wsgi import application
from tests.api.test_everywhere import PUBLIC, routes, shown
from tests.conftest import ROOT
from tests.pages import factories

pytestmark = pytest.mark.django_db
__all__ = ["shown"]  # a fixture

UNFIT = {
    "NUL": "%00",
    "a NUL within": "a%00b",
    "a byte that is no UTF-8": "%FF",
    "half of a surrogate pair": "%ED%A0%80",
    "a NUL in two bytes": "%C0%80",
    "what is cut off": "%E2%82",
}
NUMBERS = (str(2**63), "9" * 30, "-" + "9" * 30, "9" * 5000, "1e400", "nan")
OF_DJANGO = {"q", "p", "o", "e", "all", "next", "_to_field", "_popup", "_facets", "_changelist_filters"}
READ_BY_NAME = re.compile(r"""(?:\.GET(?:\.get|\.getlist|\[)|params\.getlist|_one\(params,)[( ]*["'](\w+)["']""")


@pytest.fixture(autouse=True)
def apart(settings: Any) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {name: {"BACKEND": backend, "LOCATION": uuid4().hex} for name in ("default", "figures", "limits")}
    settings.API_READS_PER_MINUTE = 0


def parameters() -> set[str]:
    """That the sources read by name, that the API's document has, and those of the admin's lists."""
    found = set(OF_DJANGO)
    for path in (ROOT.parent / "leaderboard").rglob("*.py"):
        found |= set(READ_BY_NAME.findall(path.read_text()))
    for methods in api.get_openapi_schema()["paths"].values():
        found |= {each["name"] for method in methods.values() for each in method.get("parameters", ()) if each["in"] == "query"}
    for model_admin in admin.site._registry.values():
        found |= set(filters(model_admin))
    return found


def filters(model_admin: Any) -> Iterator[str]:
    for one in model_admin.list_filter:
        name = one[0] if isinstance(one, tuple) else getattr(one, "parameter_name", one)
        yield from (name, f"{name}__exact") if isinstance(name, str) else ()
    if model_admin.date_hierarchy:
        yield from (f"{model_admin.date_hierarchy}__{part}" for part in ("year", "month", "day", "gte"))
    key = model_admin.model._meta.pk.name
    yield from (key, f"{key}__exact", f"{key}__in", f"{key}__gt")


VALUES = (
    ("<int:pk>", "1"),
    ("<path:object_id>", "1"),
    ("<id>", "1"),
    ("<path:content_type_id>", "1"),
    ("(?P<url>.*)$", "nowhere"),
    ("<slug:uid>", "publicuid0"),
    ("<uid>", "publicuid0"),
    ("<uidb64>/<token>", "MQ/none-such"),
    ("^api/", "api/nowhere"),
    (r"^figures/(?P<name>[\w/-]+)\.(?P<form>svg|pdf|png)$", "figures/memory.svg"),
)


HEALTH = ("/healthz", "/readyz")  # answered before anything of the request is looked at


def addresses() -> list[str]:
    found = []
    for route in sorted(set(routes(get_resolver()))):
        address = PUBLIC[route][0].partition("?")[0] if route in PUBLIC else f"/{route}"
        address = re.sub(r"\^\(\?P<app_label>[\w|]+\)/\$", "leaderboard/", address)  # the apps stand in any order
        for pattern, value in VALUES:
            address = address.replace(pattern, value)
        found.append(address)
    assert not [address for address in found if re.search(r"[<^(]", address)], "say in VALUES what an example is"
    return found


def ask(client: Client, address: str, **more: Any) -> Any:
    """One request of its own: what the database refuses would else end the test's transaction."""
    with transaction.atomic():
        return client.get(address, **more)


def is_a_sentence(response: Any, address: str) -> None:
    assert response.status_code == 400, f"{address}: {response.status_code}"
    text = response.json()["detail"] if "json" in response["Content-Type"] else response.content.decode()
    assert re.search(r"(NUL|is not UTF-8 text)", text), address
    if address.startswith("/api/"):
        assert "json" in response["Content-Type"], address


def test_every_parameter_that_is_known_is_asked_for_here() -> None:
    assert {
        "arch",
        "kernel",
        "model",
        "models",
        "with",
        "from",
        "page",
        "columns",
        "cursor",
        "limit",
        "q",
        "state",
        "bundle",
    } <= (parameters())
    assert len(addresses()) > 100


@pytest.mark.parametrize("who", ["anybody", "the admin"])
def test_what_is_no_text_is_refused_in_every_parameter_of_every_address(who: str, client: Client, admin_client: Client) -> None:
    asking = client if who == "anybody" else admin_client
    asking.defaults["HTTP_ACCEPT"] = "application/json"  # no page is drawn ten thousand times
    names = sorted(parameters())
    for address in addresses():
        if address.startswith("/admin/") != (who == "the admin") or address in HEALTH:
            continue
        for name in names:
            is_a_sentence(asking.get(f"{address}?{name}=%00"), f"{address}?{name}")
        for unfit in UNFIT.values():
            is_a_sentence(asking.get(f"{address}?model={unfit}"), f"{address}?model={unfit}")
            is_a_sentence(asking.get(f"{address}?{unfit}=x"), f"{address}?{unfit}")
        is_a_sentence(asking.post(f"{address}?model=%00"), address)


def test_what_is_no_text_is_refused_in_every_address(client: Client, admin_client: Client) -> None:
    for address in addresses():
        for asking in (client, admin_client):
            is_a_sentence(asking.get(f"{address}%00"), address)
            is_a_sentence(asking.get(f"/%00{address}"), address[:0])


def test_what_is_no_text_is_refused_in_a_form(admin_client: Client) -> None:
    kind = "application/x-www-form-urlencoded"
    for address in ("/try/", "/try/login/", "/admin/login/", "/admin/auth/user/add/", "/admin/leaderboard/bundle/add/"):
        for unfit in UNFIT.values():
            is_a_sentence(admin_client.post(address, f"any={unfit}", content_type=kind), address)
        is_a_sentence(admin_client.post(address, {"any": "a\0b"}), address)
        file = SimpleUploadedFile("x", b"x")
        file._name = "a\0b.zip"  # type: ignore[attr-defined]
        assert admin_client.post(address, {"file": file}).status_code < 500  # Django takes it out of the name
    for address in addresses():
        response = admin_client.post(address, "any=%00", content_type=kind)
        assert response.status_code < 500, address  # some look at no form at all, or refuse every POST: those answer as ever


def test_a_refused_form_changes_nothing_and_an_upload_is_not_read_for_it(admin_client: Client) -> None:
    read = []

    class Body:
        def read(self, size: int = -1) -> bytes:
            read.append(size)
            return b""

        readline = read

    answer = admin_client.generic("GET", "/healthz", **{"wsgi.input": Body(), "CONTENT_LENGTH": "1000"})
    assert answer.status_code == 200
    assert not read


def test_headers_and_cookies_are_looked_at(client: Client) -> None:
    for address in ("/", "/try/", "/admin/", "/api/models"):
        for name in ("User-Agent", "X-Forwarded-For", "Authorization", "Idempotency-Key", "Referer"):
            is_a_sentence(client.get(address, headers={name: "a\0b"}), f"{address} {name}")
        for name in ("sessionid", "csrftoken", "messages"):
            is_a_sentence(client.get(address, headers={"Cookie": rf'{name}="a\000b"'}), f"{address} {name}")


CHARSETS = ("rot13", "base64", "undefined", "idna", "utf-7", "utf-16", "unicode_escape", "no-such", "\0", "x" * 5000)


def asked_as(kind: str, address: str, query: str = "", body: bytes = b"") -> int:
    """The status, from the application as a server calls it; the test client makes requests of Django's own class."""
    environ: dict[str, Any] = {"PATH_INFO": address, "QUERY_STRING": query, "CONTENT_TYPE": kind, "HTTP_HOST": "testserver"}
    setup_testing_defaults(environ)
    environ |= {"CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body)} if body else {}
    environ["REQUEST_METHOD"] = "POST" if body else "GET"
    statuses = []
    request_started.disconnect(close_old_connections)  # it would close the test's transaction
    try:
        application(environ, lambda status, headers: statuses.append(int(status.split()[0])))
    finally:
        request_started.connect(close_old_connections)
    return statuses[0]


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("charset", CHARSETS)
def test_a_charset_that_is_named_decides_nothing_and_breaks_nothing(charset: str) -> None:
    for address in ("/", "/healthz", "/export/results.csv", "/api/results", "/try/login/"):
        assert asked_as(f"text/plain; charset={charset}", address, "arch=both") == 200, address
        for query in ("model=+AAA-", "model=\\u0000", "model=\xff", "model=%00"):  # NUL in some of these charsets
            status = asked_as(f"text/plain; charset={charset}", address, query)
            assert status in ((200,) if address in HEALTH else (200, 400, 404)), f"{address}?{query}: {status}"
    multipart = b'--B\r\nContent-Disposition: form-data; name="username"\r\n\r\n+AAA-\r\n--B--\r\n'
    for address in ("/try/login/", "/admin/login/", "/api/bundles"):
        for kind, body in (("multipart/form-data; boundary=B", multipart), ("application/x-www-form-urlencoded", b"username=x")):
            assert asked_as(f"{kind}; charset={charset}", address, body=body) == 400, f"{address} {kind}"


def test_a_kind_that_cannot_be_read_is_refused(client: Client) -> None:
    for kind in ("text/plain; x*=no-such''a", "text/plain; charset*=rot13''utf-8", "multipart/form-data; boundary*=no-such''B"):
        assert asked_as(kind, "/", "arch=both") in (200, 400), kind
        assert asked_as(kind, "/api/bundles", body=b"x") in (400, 401), kind
        assert asked_as(kind, "/healthz") == 200, kind
    for charset in ("utf-8", "UTF8", "us-ascii"):
        kind = f"application/x-www-form-urlencoded; charset={charset}"
        assert client.post("/try/login/", "username=a&password=b", content_type=kind).status_code == 200, charset


@pytest.mark.usefixtures("shown")
def test_a_number_out_of_range_is_never_our_fault(client: Client, admin_client: Client) -> None:
    names = ("page", "limit", "cursor", "k", "p", "kernel", "model", "models", "with", "columns", "history", "from")
    for address in addresses():
        if address.startswith("/admin/") or address in ("/readyz",):
            continue
        for number in NUMBERS:
            response = ask(client, f"{address}?{'&'.join(f'{name}={number}' for name in names)}")
            assert response.status_code < 500, f"{address}: {number[:30]}"
    for name in ("page", "with", "limit", "history"):
        for address in ("/models/lab-one/", "/architectures/", "/submissions/publicuid0/diff/", "/api/results"):
            for number in NUMBERS:
                assert ask(client, f"{address}?{name}={number}").status_code < 500, f"{address}?{name}={number[:30]}"


def lists() -> list[tuple[str, list[str]]]:
    return [
        (f"/admin/{model._meta.app_label}/{model._meta.model_name}/", sorted({*filters(model_admin), "q", "p", "o"}))
        for model, model_admin in admin.site._registry.items()
    ]


def test_a_list_that_cannot_be_filtered_like_that_says_so(admin_client: Client) -> None:
    for address, names in lists():
        for name in names:
            for value in NUMBERS[1:3] if name.startswith(("id", "p")) else ("nonsense",):
                response = ask(admin_client, f"{address}?{name}={value}")
                assert response.status_code in (200, 400), f"{address}?{name}={value[:30]}: {response.status_code}"
        nonsense = ask(admin_client, f"{address}?{names[0]}__nope=1&e=1")
        assert nonsense.status_code == 400, address
        assert "configuration" not in nonsense.content.decode(), "it is not the database's fault"


ODD_LOOKUPS = {
    "range": ("", "1", "1,2", "x,y", "1,2,3"),
    "regex": ("[1", "(", "*"),
    "iregex": ("[1",),
    **dict.fromkeys(("year", "exact__year", "year__gte", "month", "day", "week", "hour"), ("0", "-1", "-0", "99999", "x", "")),
    "date": ("x", "2026-13-40"),
    "contains": ("x",),
    "in": ("", ",", "x"),
    "isnull": ("x", "2"),
}


def test_no_lookup_of_a_lists_address_ends_in_an_error(admin_client: Client) -> None:
    for address, names in lists():
        for name in {name.partition("__")[0] for name in names}:
            for lookup, values in ODD_LOOKUPS.items():
                for value in values:
                    response = ask(admin_client, f"{address}?{name}__{lookup}={value}")
                    assert response.status_code in (200, 400), f"{address}?{name}__{lookup}={value}: {response.status_code}"
    assert ask(admin_client, "/admin/leaderboard/submission/?created_at__year=2026&created_at__month=1").status_code == 200


@pytest.mark.parametrize("chosen", ["x", "1.5", "²", "", "9" * 5000, "1,2", "None"])
def test_an_action_for_what_can_be_no_row_is_refused(chosen: str, admin_client: Client) -> None:
    for address, _ in lists():
        for action in ("delete_selected", "regrade", "nothing"):
            with transaction.atomic():
                response = admin_client.post(address, {"action": action, "_selected_action": ["1", chosen]})
            assert response.status_code in (400, 403), f"{address} {action}: {response.status_code}"


def test_an_id_beyond_all_ids_is_of_nothing(client: Client, admin_client: Client) -> None:
    for route in sorted(set(routes(get_resolver()))):
        if not re.search("<int:pk>|<path:object_id>|<id>|<uid>|<slug:uid>", route):
            continue
        for number in (str(2**63), "9" * 30, "9" * 5000):
            address = f"/{re.sub('<(int:pk|path:object_id|id|uid|slug:uid)>', number, route)}"
            for pattern, value in VALUES:
                address = address.replace(pattern, value)
            for asking in (client, admin_client):
                status = ask(asking, re.sub("<slug:arch>", "amd64", address)).status_code
                assert status in (302, 401, 403, 404), f"{route}: {number[:30]}: {status}"


@pytest.mark.usefixtures("shown")
def test_text_of_any_language_is_let_through(client: Client) -> None:
    factories.make_result(
        factories.make_submission(factories.make_kernel("axpy"), factories.make_model("模型/é😀", slug="wide"), uid="wide")
    )
    assert client.get(f"/?model={quote('模型/é😀')}").status_code == 200
    assert client.get("/?kernel=dot_f32&x=100%&y=%zz&z=%u0000").status_code == 200  # browsers send such
    assert client.get(f"/nowhere/{quote_from_bytes(bytes([255]))}").status_code == 404
    assert client.get("/", headers={"Cookie": "theme=\xff\xfe; other=%00", "User-Agent": "é"}).status_code == 200


def test_a_page_for_people_and_json_for_programs(client: Client) -> None:
    page = client.get("/?model=%00")
    assert "<h1>That request cannot be answered</h1>" in page.content.decode()
    assert "The query string contains a character that is not text" in page.content.decode()
    assert "Content-Security-Policy" in page
    assert client.get("/api/nowhere?x=%00").json()["detail"].startswith("The query string")


def test_the_databases_own_refusal_is_the_requests_fault(rf: Any) -> None:
    said = RefuseUnfit(lambda request: None).process_exception  # type: ignore[arg-type,return-value]
    assert said(rf.get("/"), OverflowError("Python int too large to convert to SQLite INTEGER")).status_code == 400  # type: ignore[union-attr]
    assert said(rf.get("/"), OverflowError("cannot convert float infinity to integer")) is None
    assert said(rf.get("/"), ValueError("a bug")) is None

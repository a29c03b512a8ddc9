"""Every role at every address, by every method that the address knows, with things of one's own and of others.

The addresses are the resolver's, the actions the admin's: one that is new fails here until tests/data/roles.txt says who may do
what there. `WRITE_ROLES=1 pytest tests/site/test_roles_matrix.py` writes what is so now: read every line of the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import django
import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from leaderboard.figures import images
from leaderboard.models import ApiToken, BulkAction, Bundle, Evaluation, LanguageModel, Result, Submission
from leaderboard.services import bulk_actions, tokens
from leaderboard.views import figures
from tests.conftest import ROOT
from tests.site.bundles import lines, row
from tests.site.roles import KINDS, ROLES, Thing, make_person, make_things

pytestmark = pytest.mark.django_db
TABLE = ROOT / "data" / "roles.txt"
HEAD = """\
# Who gets what: {roles}
# + it is there, or done; F refused, 403; N does not exist, 404; L to the login; U a token is wanted, 401; B makes no sense, 400;
# 0 done to no row, since none of the chosen ones is theirs; - not by this method, 405
"""
UNSAID = {"healthz", "readyz", "cite.bib", "admin/login/", "try/login/"}  # GET alone says it all
ARGUMENTS = {
    "<slug:name>": "dot_f32",
    "<slug:arch>": "amd64",
    "<slug:table>": "results",
    "<slug:form>": "json",
    "<app_label>": "leaderboard",
    "(throughput|memory)": "memory",
    r"(?P<name>[\w/-]+)\.(?P<form>svg|pdf|png)": "speedup.svg",
    "(?P<url>.*)": "nothing",
    "<path:content_type_id>/<path:object_id>": "1/1",
    "<uidb64>/<token>": "MQ/abc-def",
}


def routes(resolver: URLResolver | URLPattern, above: str = "") -> Iterator[str]:
    for pattern in getattr(resolver, "url_patterns", ()):
        # the admin names its applications in the order of their registration
        address = above + re.sub(r"\^\(\?P<app_label>[^)]*\)/\$", "<app_label>/", str(pattern.pattern))
        yield from routes(pattern, address) if isinstance(pattern, URLResolver) else [address]


ROUTES = sorted(set(routes(get_resolver())))
ACTIONS = sorted(
    (str(site.opts.model_name), action if isinstance(action, str) else action.__name__)
    for site in admin.site._registry.values()
    for action in site.actions or ()
)


def address_of(route: str, thing: Thing) -> str:
    table = re.match(r"admin/\w+/(\w+)/", route)
    pk = str(thing.pks[table[1]]) if table and table[1] in thing.pks else ""
    uid = thing.trial if route.startswith("try/") else thing.bundle.uid if route.startswith("api/") else thing.uid
    for pattern, value in ARGUMENTS.items():
        route = route.replace(pattern, value)
    for pattern in ("<path:object_id>", "<int:pk>", "<id>"):
        route = route.replace(pattern, pk)
    for pattern in ("<slug:uid>", "<uid>"):
        route = route.replace(pattern, uid)
    return "/" + route.replace("<slug:slug>", thing.slug).replace("^", "").replace("$", "").replace("\\", "")


def has_owner(route: str) -> bool:
    return bool(re.search(r"<(path:object_id|int:pk|id|slug:uid|uid|slug:slug)>", route)) and "content_type" not in route


def letter(response: Any) -> str:
    where = response.headers.get("Location", "")
    if response.status_code == 302 and re.match(r"/(admin|try)/login/\?next=", where):
        return "L"
    if response.status_code == 302 and where == "/admin/":  # the admin's way to say that there is no such row
        return "N"
    return {403: "F", 404: "N", 401: "U", 400: "B", 405: "-"}.get(response.status_code, "+")


def state() -> list[Any]:
    """What nobody without a right may have changed."""
    tables = {
        Bundle: ("pk", "state", "public"),
        Submission: ("pk", "public", "shown"),
        Result: ("pk", "state", "invalidated", "flagged", "priority", "flag_note", "invalid_reason"),
        LanguageModel: ("pk", "name", "display_name"),
        ApiToken: ("pk", "revoked_at"),
        BulkAction: ("pk", "state"),
        Evaluation: ("pk", "state"),
    }
    return [list(table._default_manager.order_by("pk").values_list(*names)) for table, names in tables.items()]


def undone(client: Client, ask: Any, *, changes: bool = True) -> str:
    """What comes of it; then all is as before."""
    before, cookies = state() if changes else [], client.cookies.copy()
    with transaction.atomic():
        found: str = ask()
        if changes and found in "FNLU-":
            assert state() == before, "it was refused, and yet something changed"
        transaction.set_rollback(True)
    client.cookies = cookies
    return found


def seen(role: str) -> dict[str, str]:
    """{"GET admin/leaderboard/bundle/ own": "+"}: this role at every address, with every action."""
    person = make_person(role)
    things = make_things(person)
    client, program = Client(), Client()
    if person:
        client.force_login(person)
        program = Client(headers={"Authorization": f"Bearer {tokens.make(person, 'a script')[1]}"})
    found = {}
    for route in ROUTES:
        for kind in KINDS if has_owner(route) else ("",):
            address = address_of(route, things[kind or "own"])
            who = program if route.startswith("api/") else client
            for method in ("get",) if route in UNSAID else ("get", "post"):
                found[f"{method.upper()} {route} {kind}".strip()] = undone(
                    who,
                    lambda: letter(asked(who, method, address)),  # noqa: B023
                    changes=method == "post",
                )
    for table, action in ACTIONS:
        for kind in KINDS:
            found[f"ACT {table} {action} {kind}"] = undone(client, lambda: acted(client, table, action, things[kind]))  # noqa: B023
    return found


def asked(client: Client, method: str, address: str) -> Any:
    if method == "post" and address == "/api/bundles":
        return client.post(address, lines(row()), content_type="application/octet-stream")
    return getattr(client, method)(address)


def acted(client: Client, table: str, action: str, thing: Thing) -> str:
    app = "axes" if table == "accessattempt" else "leaderboard"
    data = {"action": action, "_selected_action": [thing.pks[table]]}
    response = client.post(reverse(f"admin:{app}_{table}_changelist"), data)
    if letter(response) != "+":
        return letter(response)
    begun = BulkAction.objects.exclude(title="Hushed").order_by("pk").last()
    return "0" if begun and not begun.total else "+"


@pytest.fixture(autouse=True)
def quiet(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EVALUATION_ENDPOINTS = ["here=http://127.0.0.1:9/v1"]
    settings.API_READS_PER_MINUTE = settings.API_UPLOADS_PER_HOUR = 0
    settings.CACHES = {
        name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name} for name in settings.CACHES
    }
    monkeypatch.setattr(figures, "drawn", lambda figure, form: b"<svg/>")
    monkeypatch.setattr(images, "images", lambda found, form: [b"" for _ in found])


def table() -> dict[str, str]:
    """{what is asked: a letter per role}"""
    rows = (line.rsplit(maxsplit=1) for line in TABLE.read_text().splitlines() if line and not line.startswith("#"))
    return dict(rows)  # type: ignore[arg-type]


def differs(asked: str, known: dict[str, str], letter: str) -> bool:
    """Whether they differ for a known reason: to a POST for an object that is hidden, Django 5.2 says 403 and 6.1 says 404."""
    refused = asked.startswith("POST admin/") and {known.get(asked), letter} == {"F", "N"} and django.VERSION >= (6, 1)
    return known.get(asked) != letter and not refused


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_do_what_the_table_says_and_nothing_else(role: str) -> None:
    at = ROLES.index(role)
    found = seen(role)
    if os.environ.get("WRITE_ROLES"):
        known = table() if at else {}
        rows = {asked: known.get(asked, "?" * at) + letters for asked, letters in found.items()}
        width = max(map(len, rows))
        TABLE.write_text(HEAD.format(roles=", ".join(ROLES)) + "".join(f"{key:{width}} {rows[key]}\n" for key in sorted(rows)))
    known = {asked: letters[at] for asked, letters in table().items()}
    wrong = {asked: f"{known.get(asked)}, but {letters}" for asked, letters in found.items() if differs(asked, known, letters)}
    assert not wrong
    assert known.keys() == found.keys(), "an address or an action that is gone"


def by_role(asked: str) -> dict[str, str]:
    return dict(zip_longest(ROLES, table()[asked]))


def test_to_look_changes_nothing() -> None:
    """A person with every right to view gets no further with an action or a form than somebody without any."""
    own = {"try", "account", "api", "admin/logout/", "admin/password_change/"}
    for asked in table():
        method, address, *_ = [*asked.split(), ""]
        if method == "GET" or any(address.startswith(prefix) for prefix in own):
            continue
        if method == "ACT":
            assert by_role(asked)["viewer"] == "F", asked


def test_the_documented_uploader_is_one_of_the_group() -> None:
    assert not [asked for asked in table() if by_role(asked)["documented"] != by_role(asked)["uploader"]]


def test_staff_without_rights_see_nothing_private() -> None:
    for asked in table():
        if asked.endswith(" other") and asked.startswith("GET"):
            assert by_role(asked)["staff"] in "FN-+U", asked
            if not re.search(r"GET admin/\w+/\w+/<path:object_id>/ ", asked):  # this one only leads to the next
                assert by_role(asked)["staff"] != "+", asked


def test_every_action_states_its_right() -> None:
    for site in admin.site._registry.values():
        for name in [action for action in site.actions or () if isinstance(action, str)]:
            action = getattr(site, name)
            right = getattr(action, "operation", "") and bulk_actions.OPERATIONS[action.operation].right
            assert right or set(getattr(action, "allowed_permissions", ["view"])) - {"view"}, f"{site}: {name}"
            assert not right.startswith("view_"), f"{site}: {name}"

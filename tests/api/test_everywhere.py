"""Every address of the site, asked by everybody, for what is private. An address that is new fails here until it is named."""

from __future__ import annotations

import itertools
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from leaderboard.models import Bundle, Kernel, LanguageModel, Submission, Trial
from leaderboard.services import tokens
from leaderboard.views import figures
from tests.api.conftest import make_user
from tests.pages import factories

pytestmark = pytest.mark.django_db
HIDDEN, TRIAL, OPEN = "husheduid0", "hushedtry0", "publicuid0"
WORDS = ("hushed", "HUSHED")  # in every text, name and id of what is private
PARAMETERS = "arch=both&kernel=dot_f32"

# {address in the resolver: what to ask of it}. Everybody may have these; they say the same whether anything is private or not.
PUBLIC: dict[str, tuple[str, ...]] = {
    "": ("/", f"/?{PARAMETERS}", "/?sort=score&scale=log"),
    "kernels/": ("/kernels/",),
    "kernels/<slug:name>/": ("/kernels/dot_f32/", "/kernels/dot_f32/?arch=arm64"),
    "models/<slug:slug>/": ("/models/lab-one/",),
    "submissions/<slug:uid>/": (f"/submissions/{OPEN}/",),
    "submissions/<slug:uid>/answer.c": (f"/submissions/{OPEN}/answer.c",),
    "submissions/<slug:uid>/record.json": (f"/submissions/{OPEN}/record.json",),
    "submissions/<slug:uid>/diff/": (f"/submissions/{OPEN}/diff/",),
    "submissions/<slug:uid>/reproduce.zip": (f"/submissions/{OPEN}/reproduce.zip",),
    "architectures/": ("/architectures/",),
    "compare/": ("/compare/", "/compare/?models=lab-one,lab-two"),
    "changes/": ("/changes/",),
    "queue/": ("/queue/",),
    "machines/": ("/machines/",),
    "cite.bib": ("/cite.bib",),
    "methodology/": ("/methodology/",),
    "figures/speedup.json": ("/figures/speedup.json?arch=both",),
    "figures/memory.json": ("/figures/memory.json?arch=both",),
    r"^figures/architectures-(throughput|memory)\.json$": ("/figures/architectures-memory.json",),
    "figures/compare.json": ("/figures/compare.json?models=lab-one,lab-two",),
    "figures/kernels/<slug:name>/answers-<slug:arch>.json": ("/figures/kernels/dot_f32/answers-amd64.json",),
    "figures/kernels/<slug:name>/memory.json": ("/figures/kernels/dot_f32/memory.json",),
    "figures/models/<slug:slug>.json": ("/figures/models/lab-one.json",),
    "figures/models/<slug:slug>/scores.json": ("/figures/models/lab-one/scores.json",),
    "figures/models/<slug:slug>/bundles.json": ("/figures/models/lab-one/bundles.json",),
    "figures/submissions/<slug:uid>/<slug:arch>.json": (f"/figures/submissions/{OPEN}/amd64.json",),
    "export/<slug:table>.meta.json": ("/export/results.meta.json", "/export/leaderboard.meta.json"),
    "export/leaderboard.csv": ("/export/leaderboard.csv", f"/export/leaderboard.csv?{PARAMETERS}"),
    "export/results.csv": ("/export/results.csv", "/export/results.csv?history=1"),
    "export/<slug:table>.<slug:form>": (
        *(f"/export/leaderboard.{form}" for form in ("json", "md", "tex")),
        *(f"/export/results.{form}" for form in ("json", "parquet")),
    ),
    "api/queue": ("/api/queue",),
    "healthz": ("/healthz",),
    "readyz": ("/readyz",),
    "try/login/": ("/try/login/",),
    "account/reset/": ("/account/reset/",),
    "account/reset/sent/": ("/account/reset/sent/",),
    "account/reset/done/": ("/account/reset/done/",),
    "account/reset/<uidb64>/<token>/": ("/account/reset/MQ/none-such/",),
    "api/openapi.json": ("/api/openapi.json",),
    "api/kernels": ("/api/kernels",),
    "api/models": ("/api/models",),
    "api/leaderboard": ("/api/leaderboard", f"/api/leaderboard?{PARAMETERS}"),
    "api/results": ("/api/results?limit=1000",),
}
# What names something private: to others it does not exist (404), or they are asked who they are (401, 302 to a login).
GUARDED: dict[str, tuple[str, ...]] = {
    "": ("/?model=hushed-model", "/?model=hushed/model"),
    "kernels/<slug:name>/": ("/kernels/dot_f32/?model=hushed-model",),
    "models/<slug:slug>/": ("/models/hushed-model/", "/models/hushed-trial/"),
    "submissions/<slug:uid>/": (f"/submissions/{HIDDEN}/", f"/submissions/{TRIAL}/"),
    "submissions/<slug:uid>/answer.c": (f"/submissions/{HIDDEN}/answer.c", f"/submissions/{TRIAL}/answer.c"),
    "submissions/<slug:uid>/record.json": (f"/submissions/{HIDDEN}/record.json", f"/submissions/{TRIAL}/record.json"),
    "submissions/<slug:uid>/diff/": (f"/submissions/{HIDDEN}/diff/", f"/submissions/{OPEN}/diff/?with={HIDDEN}"),
    "submissions/<slug:uid>/reproduce.zip": (f"/submissions/{HIDDEN}/reproduce.zip", f"/submissions/{TRIAL}/reproduce.zip"),
    "compare/": ("/compare/?models=lab-one,hushed-model",),
    "figures/speedup.json": ("/figures/speedup.json?model=hushed-model",),
    "figures/models/<slug:slug>/scores.json": ("/figures/models/hushed-model/scores.json",),
    "figures/models/<slug:slug>/bundles.json": ("/figures/models/hushed-model/bundles.json",),
    "figures/models/<slug:slug>.json": ("/figures/models/hushed-model.json",),
    "figures/submissions/<slug:uid>/<slug:arch>.json": (
        f"/figures/submissions/{HIDDEN}/amd64.json",
        f"/figures/submissions/{TRIAL}/amd64.json",
    ),
    r"^figures/(?P<name>[\w/-]+)\.(?P<form>svg|pdf|png)$": (
        "/figures/models/hushed-model.svg",
        f"/figures/submissions/{HIDDEN}/amd64.png",
        "/figures/memory.pdf?model=hushed-model",
    ),
    "export/results.csv": ("/export/results.csv?model=hushed-model", "/export/results.csv?history=1&model=hushed/model"),
    "export/leaderboard.csv": ("/export/leaderboard.csv?model=hushed-model",),
    "export/<slug:table>.<slug:form>": ("/export/results.json?model=hushed-model", "/export/results.parquet?model=hushed-model"),
    "export/<slug:table>.meta.json": ("/export/results.meta.json?model=hushed-model",),
    "try/<slug:uid>/": (f"/try/{TRIAL}/", f"/try/{HIDDEN}/"),
    "try/<slug:uid>/state.json": (f"/try/{TRIAL}/state.json",),
    "api/results": ("/api/results?model=hushed-model", f"/api/results?cursor={HIDDEN}.amd64"),
    "api/leaderboard": ("/api/leaderboard?model=hushed/model",),
    "api/bundles/<uid>": ("/api/bundles/hushedbundle", "/api/bundles/1"),
}
# One's own, or nothing that is anybody's.
OWN = {"try/", "try/logout/", "account/password/", "account/password/done/", "api/bundles", "api/", "^api/"}
REFUSED = {302, 400, 401, 403, 404}
MEDIA = ("/media/", "/media/{file}", "/var/media/{file}", "/static/{file}", "/static/../media/{file}")


def routes(resolver: URLResolver | URLPattern, above: str = "") -> Iterator[str]:
    for pattern in getattr(resolver, "url_patterns", ()):
        address = above + str(pattern.pattern)
        yield from routes(pattern, address) if isinstance(pattern, URLResolver) else [address]


ROUTES = sorted(set(routes(get_resolver())))


@pytest.fixture(autouse=True)
def own_cache(settings: Any) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {name: {"BACKEND": backend, "LOCATION": uuid4().hex} for name in ("default", "figures", "limits")}
    settings.API_READS_PER_MINUTE = 0


@pytest.fixture
def shown(db: None) -> None:
    make_shown()


def make_shown() -> None:
    """What everybody may see."""
    kernel = factories.make_kernel("dot_f32")
    machines = {arch: factories.make_machine(arch, cpu_model="Open CPU") for arch in ("amd64", "arm64")}
    for number, name in enumerate(("lab/one", "lab/two")):
        answer = factories.make_submission(kernel, factories.make_model(name), uid=OPEN if number == 0 else "publicuid1")
        bundle = factories.make_bundle(f"open-{number}.zip", submissions=(answer,))
        for arch in ("amd64", "arm64"):
            samples = {"answer_ns": [1.0, 2.0], "reference_ns": [4.0, 4.0]}
            factories.make_result(answer, arch, machine=machines[arch], samples=samples)
        assert bundle.public


def hide(owner: User) -> None:
    """A private bundle of somebody's, with a model, a machine and answers of its own; and a trial of theirs."""
    kernel, samples = Kernel.objects.get(), {"answer_ns": [1.0, 2.0], "reference_ns": [4.0, 4.0]}
    text = "/* HUSHED SOURCE */ float dot_f32(const float *a, const float *b, size_t n) { return 0; }"
    hidden = factories.make_model("hushed/model", slug="hushed-model", display_name="Hushed Model", provider="Hushed Lab")
    more = {"public": False, "source": text, "reply": text}
    answer = factories.make_submission(kernel, hidden, uid=HIDDEN, **more)
    shared = factories.make_submission(kernel, LanguageModel.objects.get(name="lab/one"), 7, uid="husheduid1", **more)
    bundle = factories.make_bundle("hushed-bundle.zip", public=False, submissions=(answer, shared))
    bundle.file.save("hushed-file.zip", ContentFile(b"HUSHED"), save=False)
    bundle.uid, bundle.uploader = "hushedbundle", owner
    bundle.save()
    trials = factories.make_model("trial", slug="hushed-trial", kind="trial")
    tried = factories.make_submission(kernel, trials, uid=TRIAL, **more)
    Trial.objects.create(submission=tried, user=owner)
    for number, row in enumerate((answer, shared, tried)):
        machine = factories.make_machine(cpu_model=f"Hushed CPU {number}")
        details = {"detail": "HUSHED DETAIL", "log": {"compile": "HUSHED LOG", "run": ""}, "samples": samples}
        factories.make_result(row, speedup=99.0, machine=machine, **details)
        factories.make_queued(row, "arm64", failure="hushed failure")


@pytest.fixture
def owner(shown: None) -> User:
    user = make_user("hushedowner")
    hide(user)
    return user


def everybody_else() -> dict[str, Client]:
    """Nobody in particular; somebody with an account; programs of theirs, with a token, with a revoked and with a made-up one."""
    other = make_user("other")
    session = Client()
    session.force_login(other)
    _, token = tokens.make(other, "a script")
    row, revoked = tokens.make(other, "an old script")
    tokens.revoke(row)
    people = {"anonymous": Client(), "other's session": session}
    for name, word in (("other's token", token), ("revoked token", revoked), ("made-up token", "ak_nothing")):
        people[name] = Client(headers={"Authorization": f"Bearer {word}"})
    return people


def body(response: Any) -> bytes:
    whole = b"".join(response.streaming_content) if response.streaming else response.content
    if whole.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(BytesIO(whole)) as archive:
            return b"\n".join(name.encode() + archive.read(name) for name in archive.namelist())
    return bytes(whole)


def told(response: Any, address: str) -> str:
    """All that an answer says, but for the repetition of what was asked."""
    headers = {name: value for name, value in response.headers.items() if name != "Expires"}
    text = f"{headers} {body(response).decode(errors='replace')}"
    for asked in {address, address.partition("?")[2], *re.findall(r"[\w./-]*hushed[\w./-]*", address)}:
        text = text.replace(asked, "") if asked else text
    return text


def test_every_address_is_named_here() -> None:
    known = set(PUBLIC) | set(GUARDED) | OWN
    unknown = [route for route in ROUTES if route not in known and not route.startswith("admin/")]
    assert not unknown, "say in this file who may see what is there"
    assert set(GUARDED) | set(PUBLIC) | OWN <= set(ROUTES), "an address that is gone"
    with_arguments = {route for route in ROUTES if "<" in route and not route.startswith("admin/")}
    by_kernel = {
        route for route in with_arguments if re.search("kernels/<slug:name>|<token>", route)
    }  # kernels are never private
    assert with_arguments - by_kernel <= set(GUARDED)


def test_what_is_private_does_not_exist_for_anybody_else(owner: User) -> None:
    for person, client in everybody_else().items():
        for address in itertools.chain.from_iterable(GUARDED.values()):
            response = client.get(address)
            assert response.status_code in REFUSED, f"{person}: {address}: {response.status_code}"
            if response.status_code == 302:
                assert response.headers["Location"].startswith("/try/login/?next="), address
            assert not any(word in told(response, address) for word in WORDS), f"{person}: {address}"


def test_public_addresses_say_nothing_of_it(owner: User) -> None:
    for person, client in everybody_else().items():
        for address in itertools.chain.from_iterable(PUBLIC.values()):
            response = client.get(address)
            assert response.status_code in (200, 302), f"{person}: {address}: {response.status_code}"
            assert not any(word.lower() in told(response, address).lower() for word in WORDS), f"{person}: {address}"


def test_public_addresses_say_the_same_as_if_there_were_nothing(shown: None, settings: Any) -> None:
    def everything() -> dict[str, str]:
        backend = "django.core.cache.backends.locmem.LocMemCache"
        settings.CACHES = {name: {"BACKEND": backend, "LOCATION": uuid4().hex} for name in ("default", "figures", "limits")}
        found = {}
        for address in itertools.chain.from_iterable(PUBLIC.values()):
            text = body(Client().get(address)).decode(errors="replace")
            text = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', r"\1", text)
            found[address] = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?", "", text)
        return found

    before = everything()
    hide(make_user("hushedowner"))
    after = everything()
    changed = [address for address in before if before[address] != after[address] and not address.endswith(".parquet")]
    assert not changed


def test_an_unknown_thing_and_a_private_one_are_answered_alike(owner: User) -> None:
    pairs = {
        "/models/hushed-model/": "/models/nobodys-model/",
        f"/submissions/{HIDDEN}/": "/submissions/nobodysuid/",
        f"/submissions/{HIDDEN}/record.json": "/submissions/nobodysuid/record.json",
        f"/submissions/{OPEN}/diff/?with={HIDDEN}": f"/submissions/{OPEN}/diff/?with=nobodysuid",
        "/?model=hushed-model": "/?model=nobodys-model",
        "/export/results.csv?model=hushed-model": "/export/results.csv?model=nobodys-model",
        "/api/results?model=hushed-model": "/api/results?model=nobodys-model",
        f"/api/results?cursor={HIDDEN}.amd64": "/api/results?cursor=nobodysuid.amd64",
        "/api/bundles/hushedbundle": "/api/bundles/nobodysbundl",
        f"/try/{TRIAL}/": "/try/nobodysuid/",
    }
    for person, client in everybody_else().items():
        for private, unknown in pairs.items():
            there, nowhere = client.get(private), client.get(unknown)
            assert there.status_code == nowhere.status_code, f"{person}: {private}"
            assert told(there, private) == told(nowhere, private).replace(unknown, "").replace("nobodysuid", ""), private


def test_the_admin_is_for_staff(owner: User) -> None:
    bundle, answer = Bundle.objects.get(uid="hushedbundle"), Submission.objects.get(uid=HIDDEN)
    numbers = {"<int:pk>": str(bundle.pk), "<path:object_id>": str(bundle.pk), "<id>": str(owner.pk)}
    numbers |= {
        "<path:content_type_id>": "1",
        "(?P<url>.*)$": "hushed",
    }
    for person, client in everybody_else().items():
        for route in ROUTES:
            if not route.startswith("admin/") or route in ("admin/login/", "admin/logout/", "admin/password_change/"):
                continue
            address = route.replace("submission/<path:object_id>", f"submission/{answer.pk}")
            address = re.sub(r"\^\(\?P<app_label>[^)]*\)/\$", "leaderboard/", address)
            for pattern, value in numbers.items():
                address = address.replace(pattern, value)
            response = client.get(f"/{address}")
            assert response.status_code == 302, f"{person}: {address}: {response.status_code}"
            assert response.headers["Location"].startswith("/admin/login/?next="), address
            assert "HUSHED" not in told(response, f"/{address}")


def test_files_are_nowhere_to_be_had(owner: User) -> None:
    stored = Bundle.objects.get(uid="hushedbundle").file.name
    for client in everybody_else().values():
        for pattern in MEDIA:
            assert client.get(pattern.format(file=stored)).status_code == 404, pattern


def test_the_owner_and_a_reviewer_have_it_and_no_cache_keeps_it(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "drawn", lambda figure, form: b"<svg/>")
    of_owner = Client()
    of_owner.force_login(owner)
    program = Client(headers={"Authorization": f"Bearer {tokens.make(owner, 'mine')[1]}"})
    reviewer, staff = Client(), Client()
    person = make_user("reviewer")
    person.user_permissions.add(*Permission.objects.filter(codename__in=["view_submission", "view_trial"]))
    reviewer.force_login(person)
    staff.force_login(make_user("staff", is_staff=True))
    seen = [of_owner.get(f"/try/{TRIAL}/"), of_owner.get(f"/try/{TRIAL}/state.json"), program.get("/api/bundles/hushedbundle")]
    pages = ("", "answer.c", "record.json", "diff/", "reproduce.zip")
    for client in (of_owner, reviewer):
        seen += [client.get(f"/submissions/{HIDDEN}/{page}") for page in pages]
        seen += [client.get(f"/figures/submissions/{HIDDEN}/amd64.{form}") for form in ("json", "svg")]
        seen += [client.get(page) for page in ("/models/hushed-model/", "/figures/models/hushed-model.json")]
    for response in seen:
        assert response.status_code == 200
        assert {"private", "no-store"} <= set(re.split(r", *", response.headers["Cache-Control"])), response.request["PATH_INFO"]
    assert {staff.get(f"/submissions/{HIDDEN}/{page}").status_code for page in pages} == {404}
    assert staff.get("/models/hushed-model/").status_code == 404


def test_ids_are_random_and_tell_no_order() -> None:
    kernel, model = factories.make_kernel("dot_f32"), factories.make_model("lab/one")
    uids = [factories.make_submission(kernel, model, number).uid for number in range(50)]
    assert len(set(uids)) == 50
    assert all(re.fullmatch("[0-9a-z]{10}", uid) for uid in uids)
    assert uids != sorted(uids)
    shared = max(sum(a == b for a, b in zip(one, next_one, strict=True)) for one, next_one in itertools.pairwise(uids))
    assert shared < 6

"""The groups of the roles, what their people see of the site's pages, and how a refusal says what is missing."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse

from leaderboard.models import ApiToken, Bundle, LanguageModel, Submission, access
from leaderboard.services import bundle_models, importing, tokens
from leaderboard.services.bulk_actions import OPERATIONS
from leaderboard.web import rights
from tests.conftest import ROOT
from tests.pages import factories
from tests.site.admin_pages import act, answer, text_of, upload
from tests.site.bundles import lines, row
from tests.site.roles import make_groups, make_person, make_things

pytestmark = pytest.mark.django_db
GUIDE = ROOT.parent / "docs" / "operations.md"


def codenames(group: str) -> set[str]:
    return set(
        Group.objects.get(name=group).permissions.filter(content_type__app_label="leaderboard").values_list("codename", flat=True)
    )


def signed_in(role: str) -> tuple[User, Client]:
    person, client = make_person(role), Client()
    assert person is not None
    client.force_login(person)
    return person, client


KERNELS_ARE_CODE = {"add_kernel", "change_kernel", "delete_kernel"}
FAILED_LOGINS = {"axes.view_accessattempt", "axes.delete_accessattempt"}


def test_the_groups_hold_what_the_rules_say() -> None:
    make_groups()
    for role, held in access.ROLES.items():
        assert codenames(role) == set(held)
    everything = set(Permission.objects.filter(content_type__app_label="leaderboard").values_list("codename", flat=True))
    assert codenames("operator") == everything - KERNELS_ARE_CODE
    others = Group.objects.get(name="operator").permissions.exclude(content_type__app_label="leaderboard")
    assert {f"{right.content_type.app_label}.{right.codename}" for right in others} == FAILED_LOGINS


def test_what_an_operator_made_of_a_group_stays() -> None:
    make_groups()
    Group.objects.get(name="reviewer").permissions.clear()
    make_groups()
    assert codenames("reviewer") == set()
    assert len(codenames("uploader")) == 2


def test_who_could_regrade_by_changing_results_still_can() -> None:
    migration = import_module("leaderboard.migrations.0017_roles")
    user = User.objects.create_user("judge")
    user.user_permissions.add(Permission.objects.get(codename="change_result"))
    looker = User.objects.create_user("looker")
    looker.user_permissions.add(Permission.objects.get(codename="view_submission"))
    migration.keep_rights(apps, SimpleNamespace(connection=connection))
    assert User.objects.get(pk=user.pk).has_perm("leaderboard.regrade_result")
    assert not User.objects.get(pk=looker.pk).has_perm("leaderboard.regrade_result")


def test_every_right_of_an_operation_is_one() -> None:
    known = set(Permission.objects.filter(content_type__app_label="leaderboard").values_list("codename", flat=True))
    assert {operation.right for operation in OPERATIONS.values()} <= known
    assert {access.full(right).partition(".")[2] for right in access.ADDRESSES.values()} - {"change_user"} <= known


@pytest.mark.parametrize("role", ["uploader", "documented"])
def test_an_uploader_goes_all_the_way_with_a_bundle_of_their_own(role: str, kernels: object) -> None:
    person, client = signed_in(role)
    page = upload(client, lines(row()), public="")
    assert page.status_code == 200
    assert "Import and grade 1 new answer" in page.content.decode()
    bundle = Bundle.objects.get()
    assert not bundle.public
    address = reverse("admin:leaderboard_bundle_change", args=[bundle.pk])
    client.post(reverse("admin:leaderboard_bundle_confirm", args=[bundle.pk]), {"public": ""})
    importing.import_bundle(Bundle.objects.get())
    text = client.get(address).content.decode()
    answered = Submission.objects.get()
    for link in ("admin:leaderboard_submission_changelist", "admin:leaderboard_result_changelist"):
        found = client.get(reverse(link), {"bundle": bundle.uid})
        assert found.status_code == 200
        assert "stub/one" in found.content.decode()
    assert reverse("model", args=["stub-one"]) in text
    for name in ("submission", "submission_source", "submission_record", "diff", "reproduce"):
        assert client.get(reverse(name, args=[answered.uid])).status_code == 200, name
    assert "Private." in text_of(client.get(reverse("model", args=["stub-one"])))
    program = Client(headers={"Authorization": f"Bearer {tokens.make(person, 'x')[1]}"})
    assert program.get(f"/api/bundles/{bundle.uid}").status_code == 200
    assert b"".join(client.get(reverse("admin:leaderboard_bundle_file", args=[bundle.pk])).streaming_content) == lines(row())
    page = client.get(reverse("admin:leaderboard_bundle_delete", args=[bundle.pk]), follow=True)
    answer(client, page)
    assert not Submission.objects.exists()


@pytest.mark.parametrize("role", ["uploader", "documented"])
def test_an_uploader_lists_and_revokes_own_tokens(role: str) -> None:
    person, client = signed_in(role)
    mine, _ = tokens.make(person, "my script")
    theirs, _ = tokens.make(User.objects.create_user("else"), "their script")
    listed = client.get(reverse("admin:leaderboard_apitoken_changelist")).content.decode()
    assert "my script" in listed
    assert "their script" not in listed
    answer(client, act(client, "apitoken", "revoke", [mine]))
    act(client, "apitoken", "revoke", [theirs])
    assert ApiToken.objects.filter(revoked_at=None).get() == theirs


def test_strangers_see_nothing_of_a_private_bundle_and_its_uploader_all(client: Client) -> None:
    person, own = signed_in("account")
    person.user_permissions.add(Permission.objects.get(codename="add_bundle"))
    things = make_things(person)
    mine = things["own"]
    pages = [f"/submissions/{mine.uid}/{page}" for page in ("", "answer.c", "record.json", "diff/", "reproduce.zip")]
    pages += [f"/models/{mine.slug}/", f"/figures/models/{mine.slug}.json", f"/figures/submissions/{mine.uid}/amd64.json"]
    other = Client()
    other.force_login(User.objects.create_user("other"))
    for page in pages:
        found = own.get(page)
        assert found.status_code == 200, page
        assert "no-store" in found.headers["Cache-Control"], page
        assert client.get(page).status_code == other.get(page).status_code == 404, page
    assert "hushed-own.zip" in own.get(pages[0]).content.decode()
    theirs = things["other"]
    assert own.get(f"/submissions/{mine.uid}/diff/?with={theirs.uid}").status_code == 404
    assert own.get(f"/models/{theirs.slug}/").status_code == 404


def test_a_bundle_without_an_uploader_is_not_everybodys(client: Client) -> None:
    kernel = factories.make_kernel("dot_f32")
    hidden = factories.make_submission(kernel, factories.make_model("hushed/one"), public=False, uid="hushedone0")
    factories.make_bundle("line.zip", public=False, submissions=(hidden,))
    for who in (client, signed_in("account")[1]):
        assert who.get("/submissions/hushedone0/").status_code == 404
        assert who.get("/models/hushed-one/").status_code == 404


def test_an_uploader_learns_and_changes_nothing_of_a_model_that_is_private_to_others(kernels: object) -> None:
    upload_by = make_person("superuser")
    boss = Client()
    boss.force_login(upload_by)
    upload(boss, lines(row(model="hushed/model", answer="one")), "theirs.jsonl", public="")
    importing.import_bundle(Bundle.objects.get())
    LanguageModel.objects.filter(name="hushed/model").update(provider="Hushed Lab")
    _, client = signed_in("uploader")
    page = upload(client, lines(row(model="hushed/model", answer="two")), "mine.jsonl", public="").content.decode()
    assert "Hushed Lab" not in page
    assert "new here" in page
    bundle = Bundle.objects.get(name="mine.jsonl")
    bundle.models.update(provider="Mine")
    importing.import_bundle(bundle)
    assert LanguageModel.objects.get(name="hushed/model").provider == "Hushed Lab"


def test_a_model_of_ones_own_is_told_once() -> None:
    person = make_person("uploader")
    things = make_things(person)
    mine = LanguageModel.objects.get(slug=things["own"].slug)
    assert not bundle_models.may_tell(person, mine)
    LanguageModel.objects.filter(pk=mine.pk).update(display_name="")
    mine.refresh_from_db()
    assert bundle_models.may_tell(person, mine)
    theirs = LanguageModel.objects.get(slug=things["other"].slug)
    theirs.display_name = ""
    assert not bundle_models.may_tell(person, theirs)


def test_somebody_who_may_only_view_cannot_regrade(kernels: object) -> None:
    person, client = signed_in("staff")
    things = make_things_with(kernels)
    person.user_permissions.add(Permission.objects.get(codename="view_submission"))
    page = act(client, "submission", "regrade", [things])
    assert page.status_code == 403
    assert "You need the permission “regrade results” (group operator or reviewer). Ask an operator." in text_of(page)
    assert not things.results.exists()


def make_things_with(kernels: object) -> Submission:
    return factories.make_submission(kernels["dot_f32"], factories.make_model("lab/one"))  # type: ignore[index]


def test_a_right_that_was_taken_away_is_gone_before_the_question_is_answered(kernels: object) -> None:
    person, client = signed_in("reviewer")
    result = factories.make_result(make_things_with(kernels))
    page = act(client, "result", "invalidate", [result])
    person.groups.clear()
    assert client.post(page.redirect_chain[-1][0], {"reason": "x"}).status_code == 403
    result.refresh_from_db()
    assert not result.invalidated


def test_a_reviewer_flags_a_result_and_clears_the_flag(kernels: object) -> None:
    _, client = signed_in("reviewer")
    result = factories.make_result(make_things_with(kernels))
    answer(client, act(client, "result", "flag", [result]), reason="reads the clock")
    result.refresh_from_db()
    assert (result.flagged, result.flag_note) == (True, "reads the clock")
    answer(client, act(client, "result", "clear_flag", [result]), reason="it does not")
    result.refresh_from_db()
    assert not result.flagged


# What a refusal says


def test_a_refusal_names_the_right_in_the_admin_on_the_site_and_to_programs() -> None:
    person, client = signed_in("staff")
    page = client.get(reverse("admin:leaderboard_bundle_add"))
    assert page.status_code == 403
    assert "You need the permission “add bundle” (group operator or uploader). Ask an operator." in text_of(page)
    page = client.get(reverse("admin:leaderboard_machine_changelist"))
    assert "“view machine” (group operator or reviewer)" in text_of(page)
    assert "“change user”. Ask an administrator." in text_of(client.post(f"/admin/auth/user/{person.pk}/change/"))
    said = client.post(reverse("admin:leaderboard_bundle_add"), headers={"accept": "application/json"})
    assert said.json()["detail"].startswith("You need the permission “add bundle”")
    program = Client(headers={"Authorization": f"Bearer {tokens.make(person, 'x')[1]}"})
    told = program.post("/api/bundles", b"x", content_type="application/octet-stream")
    assert (told.status_code, told.json()) == (403, {"detail": rights.sentence("add_bundle")})


# The guide


def test_the_guide_tells_the_rights_of_each_role() -> None:
    make_groups()
    assert rights.table() in GUIDE.read_text(), "docs/operations.md: put what leaderboard.web.rights.table() says"

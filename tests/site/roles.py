"""People of each role, and things of theirs and of others, for the matrix of roles and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from axes.models import AccessAttempt
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.core.files.base import ContentFile
from django.db import connection
from django.utils import timezone

from leaderboard import migrations
from leaderboard.models import BulkAction, Bundle, Calibration, Evaluation, Kernel, Machine, Trial, Worker
from leaderboard.services import tokens
from leaderboard.web import rights
from tests.pages import factories

GROUPS = rights.ROLES
ROLES = ("anonymous", "account", "staff", "viewer", GROUPS[0], "documented", *GROUPS[1:], "superuser")
KINDS = ("own", "other")
MIGRATIONS = Path(migrations.__file__).parent
TEXT = "/* HUSHED */ float dot_f32(const float *a, const float *b, size_t n) { return 0; }"


def make_groups() -> None:
    """Make the groups as the migrations do: a test that empties all tables takes them along."""
    for path in sorted(MIGRATIONS.glob("0*.py")):
        migration = import_module(f"leaderboard.migrations.{path.stem}")
        if make := getattr(migration, "make_groups", None):
            make(apps, SimpleNamespace(connection=connection))


def make_person(role: str) -> User | None:
    if role == "anonymous":
        return None
    make_groups()
    user = User.objects.create_user(f"a-{role}", is_staff=role != "account", is_superuser=role == "superuser")
    if role == "viewer":
        user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    if role == "documented":
        user.user_permissions.set(Permission.objects.filter(codename__in=["add_bundle", "add_apitoken"]))
    if role in GROUPS:
        user.groups.add(Group.objects.get(name=role))
    return user


@dataclass
class Thing:
    """What a bundle brought, by the table it stands in."""

    bundle: Bundle
    pks: dict[str, int]
    uid: str
    trial: str
    slug: str


def make_things(person: User | None) -> dict[str, Thing]:
    """A private bundle of this person's and one of somebody else's, each with a model, an answer, results and a trial."""
    kernel = factories.make_kernel("dot_f32")
    open_answer = factories.make_submission(kernel, factories.make_model("lab/open"), uid="openanswer")
    factories.make_result(open_answer, machine=factories.make_machine())
    factories.make_bundle("open.zip", submissions=(open_answer,))
    factories.make_model("trial", slug="trial", kind="trial")
    stranger = User.objects.create_user("stranger")
    return {kind: _thing(kind, kernel, owner) for kind, owner in (("own", person or stranger), ("other", stranger))}


def _thing(kind: str, kernel: Kernel, owner: User) -> Thing:
    model = factories.make_model(f"hushed/{kind}", slug=f"hushed-{kind}", display_name=f"Hushed {kind}")
    hidden = {"public": False, "source": TEXT, "reply": TEXT}
    answer = factories.make_submission(kernel, model, uid=f"hushed{kind}", **hidden)
    bundle = factories.make_bundle(f"hushed-{kind}.zip", public=False, submissions=(answer,))
    bundle.file.save("hushed.zip", ContentFile(b"HUSHED"), save=False)
    bundle.uid, bundle.uploader = f"bundle{kind}", owner
    bundle.save()
    samples = {"answer_ns": [1.0, 2.0], "reference_ns": [4.0, 4.0]}
    machine = factories.make_machine(cpu_model=f"Hushed CPU {kind}")
    result = factories.make_result(answer, machine=machine, samples=samples, detail="HUSHED")
    tried = factories.make_submission(kernel, factories.LanguageModel.objects.get(kind="trial"), uid=f"tried{kind}", **hidden)
    Trial.objects.create(submission=tried, user=owner)
    action = BulkAction.objects.create(user=owner, action="move_first", title="Hushed", state="done")
    rows: dict[str, Any] = {
        "bundle": bundle,
        "submission": answer,
        "result": result,
        "languagemodel": model,
        "kernel": kernel,
        "machine": machine,
        "bulkaction": action,
        "apitoken": tokens.make(owner, f"hushed {kind}")[0],
        "calibration": Calibration.objects.create(machine=Machine.objects.first(), place=kind),
        "worker": Worker.objects.create(name=kind, cluster="amd64", beat_at=timezone.now()),
        "evaluation": Evaluation.objects.create(endpoint="here", model=f"hushed/{kind}", user=owner, state="stopped"),
        "user": owner,
        "group": Group.objects.get_or_create(name="some")[0],
        "accessattempt": AccessAttempt.objects.create(
            username=kind, ip_address="192.0.2.1", get_data="", post_data="", failures_since_start=1, attempt_time=timezone.now()
        ),
    }
    return Thing(bundle, {name: row.pk for name, row in rows.items()}, answer.uid, tried.uid, model.slug)

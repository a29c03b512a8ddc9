"""Rights of their own for what changes results, and the groups of the documented roles.

What an operator has made of a group is left alone: one that is there already, under one of these names, is not touched.
"""

from typing import Any

from django.contrib.auth.management import create_permissions
from django.db import migrations

VIEWED = ("bulkaction", "bundle", "calibration", "evaluation", "kernel", "languagemodel", "machine", "result", "submission")
UPLOADER = ("add_bundle", "add_apitoken")
REVIEWER = (
    *(f"view_{name}" for name in (*VIEWED, "trial", "worker")),
    *("change_bundle", "publish_bundle", "delete_bundle", "publish_submission"),
    *("change_result", "regrade_result", "invalidate_result", "flag_result"),
)
NOT_THE_OPERATORS = ("add_kernel", "change_kernel", "delete_kernel")
LOGINS = ("view_accessattempt", "delete_accessattempt")
# Until now a right to change rows was one to regrade, publish and invalidate them, too: whoever has it keeps these.
JUDGING = ("regrade_result", "invalidate_result", "publish_submission")
KEPT = {
    "change_bundle": ("publish_bundle", "queue_result", *JUDGING),
    "change_submission": JUDGING,
    "change_result": ("flag_result", "queue_result", *JUDGING),
    "change_languagemodel": JUDGING,
}


def make_permissions(apps: Any, alias: str) -> None:
    """Django makes them after the last migration: of an empty database they are not there yet."""
    for name in ("leaderboard", "axes"):
        config = apps.get_app_config(name)
        config.models_module = getattr(config, "models_module", None) or True  # what stands for it in migrations has none
        create_permissions(config, verbosity=0, using=alias, apps=apps)


def make_groups(apps: Any, schema_editor: Any) -> None:
    alias = schema_editor.connection.alias
    make_permissions(apps, alias)
    permissions = apps.get_model("auth", "Permission").objects.using(alias)
    groups = apps.get_model("auth", "Group").objects.using(alias)
    ours = permissions.filter(content_type__app_label="leaderboard")
    logins = permissions.filter(content_type__app_label="axes", codename__in=LOGINS)
    roles = {
        "uploader": [*ours.filter(codename__in=UPLOADER)],
        "reviewer": [*ours.filter(codename__in=REVIEWER)],
        "operator": [*ours.exclude(codename__in=NOT_THE_OPERATORS), *logins],
    }
    for name, held in roles.items():
        group, is_new = groups.get_or_create(name=name)
        if is_new:
            group.permissions.set(held)


def keep_rights(apps: Any, schema_editor: Any) -> None:
    permissions = apps.get_model("auth", "Permission").objects.using(schema_editor.connection.alias)
    for codename, more in KEPT.items():
        old = permissions.get(content_type__app_label="leaderboard", codename=codename)
        added = list(permissions.filter(content_type__app_label="leaderboard", codename__in=more))
        for user in old.user_set.all():
            user.user_permissions.add(*added)
        for group in old.group_set.exclude(name__in=("uploader", "reviewer", "operator")):
            group.permissions.add(*added)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0016_answer_identity"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("axes", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="apitoken",
            options={
                "ordering": ["-id"],
                "permissions": [("revoke_apitoken", "Can see and revoke other people's API tokens")],
                "verbose_name": "API token",
            },
        ),
        migrations.AlterModelOptions(
            name="bundle",
            options={"ordering": ["-id"], "permissions": [("publish_bundle", "Can publish and hide bundles")]},
        ),
        migrations.AlterModelOptions(
            name="result",
            options={
                "ordering": ["id"],
                "permissions": [
                    ("regrade_result", "Can regrade results"),
                    ("invalidate_result", "Can invalidate results"),
                    ("flag_result", "Can flag results"),
                    ("queue_result", "Can move and cancel gradings"),
                ],
            },
        ),
        migrations.AlterModelOptions(
            name="submission",
            options={"ordering": ["id"], "permissions": [("publish_submission", "Can publish and hide answers")]},
        ),
        migrations.RunPython(make_groups, migrations.RunPython.noop),
        migrations.RunPython(keep_rights, migrations.RunPython.noop),
    ]

"""Answers without a trace id are known by what they are: model, kernel, rollout where the row names it, and text.

Rows that are there get the same key, worked out from what they hold. Whether a row named its rollout is known of formats that never do.
"""

import hashlib

from django.db import migrations, models

CHUNK = 50  # replies may have megabytes
MAY_NAME_ROLLOUTS = ("plain lines", "C files")  # in Bundle.format


def text_key(model, kernel, reply):
    """As services/matching.py has it; a migration must not change when that does."""
    text = hashlib.sha256(reply.encode()).hexdigest()
    return hashlib.sha256(f"{model}\0{kernel}\0{text}".encode()).hexdigest()[:32]


def note_keys(apps, schema_editor):
    submissions = apps.get_model("leaderboard", "Submission").objects.using(schema_editor.connection.alias)
    entries = apps.get_model("leaderboard", "BundleEntry").objects.using(schema_editor.connection.alias)
    names = spelled(apps, schema_editor)
    may_name = {pk: any(name in kind for name in MAY_NAME_ROLLOUTS) for pk, kind in formats(apps, schema_editor)}
    last = 0
    brought_by_a_bundle = models.Exists(entries.filter(submission=models.OuterRef("pk")))
    known = submissions.filter(brought_by_a_bundle).select_related("kernel", "model").defer("source").order_by("pk")
    while rows := list(known.filter(pk__gt=last)[:CHUNK]):
        last = rows[-1].pk
        brought = {}
        for submission, bundle in entries.filter(submission__in=rows).order_by("pk").values_list("submission", "bundle"):
            brought.setdefault(submission, []).append(bundle)
        for row in rows:
            bundles = brought[row.pk]
            run_name = names.get((bundles[0], row.model_id), row.model.name)
            row.text_key = text_key(run_name, row.kernel.name, row.reply)
            row.rollout_named = None if any(may_name[bundle] for bundle in bundles) else False
        submissions.bulk_update(rows, ["text_key", "rollout_named"])


def formats(apps, schema_editor):
    return apps.get_model("leaderboard", "Bundle").objects.using(schema_editor.connection.alias).values_list("pk", "format")


def spelled(apps, schema_editor):
    """How a bundle's run spells a model that was merged into another since, where it has but one spelling of it."""
    asked = apps.get_model("leaderboard", "BundleModel").objects.using(schema_editor.connection.alias).exclude(model=None)
    names = {}
    for bundle, model, name in asked.values_list("bundle", "model", "name"):
        names.setdefault((bundle, model), set()).add(name)
    return {key: spellings.pop() for key, spellings in names.items() if len(spellings) == 1}


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0015_machine_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="answer_from",
            field=models.CharField(blank=True, default="", max_length=16),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="submission",
            name="rollout_named",
            field=models.BooleanField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="submission",
            name="text_key",
            field=models.CharField(blank=True, db_index=True, default="", editable=False, max_length=32),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="bundle",
            name="overlap",
            field=models.CharField(
                blank=True, choices=[("same", "the same run"), ("another", "another run")], default="", max_length=8
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="bundle",
            name="overlaps",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.RunPython(note_keys, migrations.RunPython.noop, elidable=True),
    ]

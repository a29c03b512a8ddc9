"""Answers that were imported before 0016 are known again when their files come back."""

from __future__ import annotations

import hashlib
import io

import pytest
from django.core.files import File
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models import Bundle, Submission
from leaderboard.services import bundle_files, bundle_reading, catalog, importing
from tests.site.bundles import ANSWER, lines, row

BEFORE, AFTER = [("leaderboard", "0015_machine_index")], [("leaderboard", "0016_answer_identity")]


def migrated(to):
    executor = MigrationExecutor(connection)
    executor.migrate(to)
    return MigrationExecutor(connection).loader.project_state(to).apps


@pytest.fixture
def old_apps(transactional_db):
    yield migrated(BEFORE)
    call_command("migrate", verbosity=0)


def old_bundle(apps, name: str, kind: str, rows, model: str = "stub/one", asked: str = ""):
    """A bundle as the import wrote it then: a row's identity is that of its place in the file."""
    of = apps.get_model
    bundle = of("leaderboard", "Bundle").objects.create(
        name=name, sha256=name, file_key=name, format=kind, state="imported", uid=name
    )
    found, _ = of("leaderboard", "LanguageModel").objects.get_or_create(name=model, defaults={"slug": model.replace("/", "-")})
    kernel, _ = of("leaderboard", "Kernel").objects.get_or_create(
        name="dot_f32", defaults={"position": 1, "memory_limit_mb": 1, "version": "1.1+x", "measurement": "1.1"}
    )
    of("leaderboard", "BundleModel").objects.create(bundle=bundle, name=asked or model, model=found)
    for number, (reply, rollout) in enumerate(rows):
        identity = f"row:{hashlib.sha256(f'{name}{number}'.encode()).hexdigest()}"
        submission = of("leaderboard", "Submission").objects.create(
            uid=f"{name}{number}", identity=identity, kernel=kernel, model=found, rollout=rollout, reply=reply
        )
        of("leaderboard", "BundleEntry").objects.create(bundle=bundle, submission=submission, line=number + 1)
    return bundle


def bring(data: bytes) -> Bundle:
    return importing.import_bundle(bundle_reading.read(bundle_files.keep_file(File(io.BytesIO(data)), name="again.jsonl")))


def test_rows_that_are_there_match_the_same_file_under_another_name(old_apps):
    old_bundle(old_apps, "lines", "plain lines", [(ANSWER, 0), (ANSWER, 1), ("none", 2)])
    old_bundle(old_apps, "named", "plain lines", [("x", 4), ("y", 7)])
    old_bundle(old_apps, "traces", "verifiers 0.4 episodes", [("e", 0), ("e", 1)])
    old_bundle(old_apps, "merged", "plain lines", [("m", 0)], model="lab/kept", asked="lab/gone")
    migrated(AFTER)
    call_command("migrate", verbosity=0)  # the rest: the code of today asks for its columns
    catalog.sync_kernels()
    before = Submission.objects.filter(entries__isnull=False).count()
    grown = bring(lines(row(answer="none"), row(), row(), row(answer="new")))
    assert (grown.error, grown.answers, grown.added) == ("", 4, 1)
    assert bring(lines(row(answer="y", rollout=7), row(answer="x", rollout=4))).added == 0
    assert bring(lines(row(answer="e"), row(answer="e"), row(answer="e"))).added == 1
    assert bring(lines(row(answer="m", model="lab/gone"), row(answer="n", model="lab/gone"))).added == 1
    assert Submission.objects.filter(entries__isnull=False).distinct().count() == before + 3


def test_of_formats_that_count_rollouts_that_is_noted(old_apps):
    old_bundle(old_apps, "traces", "verifiers v0 results", [("e", 0)])
    old_bundle(old_apps, "lines", "plain lines", [("f", 0)])
    migrated(AFTER)
    assert dict(Submission.objects.values_list("reply", "rollout_named")) == {"e": False, "f": None}
    assert all(Submission.objects.values_list("text_key", flat=True))

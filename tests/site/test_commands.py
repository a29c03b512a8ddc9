from __future__ import annotations

import csv
import io
import json
import os
import time
from contextlib import redirect_stdout

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from grading.isolation import ALLOW, HOW_TO_ISOLATE
from grading.sandbox import local
from grading.sandbox.local import host_arch
from kernels.catalog import load_catalog
from leaderboard import tasks
from leaderboard.management.commands import supervise
from leaderboard.models import Bundle, Kernel, Result, Standing, Submission
from leaderboard.services import accounts
from tests.conftest import RUNS
from tests.site.bundles import lines, row

pytestmark = pytest.mark.django_db


def run(*args: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        call_command(*args, stdout=out)
    return out.getvalue()


def test_a_run_folder_is_imported_and_its_skipped_rows_are_named(kernels):
    out = run("import_bundle", str(RUNS / "arch-kernels-v1--stub--portable-70b--null--14e0c972"))
    assert "26 rows (verifiers 0.4 episodes), 20 answers, 20 new, 6 not graded" in out
    assert "traces.jsonl:" in out
    assert "provider error" in out
    assert Submission.objects.public().count() == 20


def test_importing_the_same_path_twice_adds_nothing_and_says_so(kernels, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(row()))
    run("import_bundle", str(path))
    assert "here already" in run("import_bundle", str(path))
    assert Submission.objects.count() == 1


def test_a_private_import_names_the_model_of_rows_that_do_not(kernels, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines({"kernel": "dot_f32", "answer": "x"}))
    run("import_bundle", str(path), "--model", "given", "--private")
    assert Submission.objects.get().model.name == "given"
    assert not Submission.objects.public().exists()


def test_an_import_of_nothing_fails(tmp_path):
    with pytest.raises(CommandError, match="does not exist"):
        run("import_bundle", str(tmp_path / "nothing"))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    with pytest.raises(CommandError, match="It contains no answer"):
        run("import_bundle", str(tmp_path / "empty.jsonl"))


def test_waiting_ends_when_all_is_graded_and_does_not_wait_for_a_parked_architecture(kernels, tmp_path, monkeypatch, settings):
    settings.SANDBOXES = {"amd64": "local", "arm64": ""}
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(row(), row()))
    monkeypatch.setattr("time.sleep", lambda s: Result.objects.for_archs(["amd64"]).update(state="done", verdict="passed"))
    assert "2 graded, 0 failed on our side, 2 waiting" in run("import_bundle", str(path), "--wait")


def test_syncing_says_what_it_did():
    kernels = len(load_catalog())
    assert f"{kernels} kernels, 0 retired, {2 * 2 * kernels} gradings" in run("sync_kernels")


def test_regrading_is_narrowed_by_kernel_model_and_architecture(grade):
    grade(model="stub/one", kernel="dot_f32")
    grade(model="stub/two", kernel="sort_u32")
    assert "1 gradings queued" in run("regrade", "--kernel", "sort_u32", "--arch", "amd64")
    assert Result.objects.queued().get().model.name == "stub/two"
    assert "2 gradings queued" in run("regrade", "--model", "stub-one")


@pytest.mark.parametrize("option", ["--kernel", "--model"])
def test_a_name_that_does_not_exist_is_an_error(kernels, option):
    with pytest.raises(CommandError, match="nope"):
        run("regrade", option, "nope")


def test_standings_are_rebuilt(grade):
    grade()
    Standing.objects.all().delete()
    assert "1 summaries" in run("rebuild_standings")


@pytest.mark.django_db(transaction=True)
def test_the_queue_is_shown_as_text_and_as_json(queue):
    queue()
    tasks.tick("amd64")
    queue()
    assert "amd64: 1 graded, 1 queued" in run("queue")
    assert json.loads(run("queue", "--json"))["archs"][0]["queued"] == 1


def test_exports_are_what_the_site_serves(grade, client):
    grade(model="stub/one")
    grade(model="stub/two", arch="arm64")
    text = run("export", "results")
    assert text == b"".join(client.get("/export/results.csv")).decode()
    assert [line["model"] for line in csv.DictReader(io.StringIO(run("export", "results", "--arch", "arm64")))] == ["stub/two"]
    table = list(csv.DictReader(io.StringIO(run("export", "leaderboard", "--arch", "amd64"))))
    assert [line["model"] for line in table] == ["stub/one"]
    with pytest.raises(CommandError):
        run("export", "results", "--kernel", "nope")


def test_the_first_login_is_made_once():
    password = accounts.first_login()
    assert authenticate(username="admin", password=password).is_superuser
    assert accounts.first_login() is None


def test_a_lost_password_is_reset():
    accounts.first_login()
    password = run("demo_login").split()[-1]
    assert authenticate(username="admin", password=password).is_superuser


def test_a_retired_kernel_is_not_graded_again(grade):
    grade()
    Kernel.objects.update(retired=True)
    assert "0 gradings queued" in run("regrade")


def test_a_bundle_waiting_in_preview_is_imported_by_the_command(kernels, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(row()))
    run("import_bundle", str(path))
    Bundle.objects.update(state="preview")
    Submission.objects.all().delete()
    run("import_bundle", str(path))
    assert Submission.objects.count() == 1


def test_a_demo_emulates_arm64_where_nobody_has_chosen_otherwise(settings, monkeypatch):
    settings.SANDBOXES = {"amd64": "local", "arm64": ""}
    monkeypatch.setattr(supervise, "why_unavailable", lambda name, arch: None)
    monkeypatch.setenv(supervise.EMULATED_UNTIL, "")  # put back afterwards
    monkeypatch.setenv("SANDBOX_ARM64", "")
    assert supervise.emulate_arm64() == ""
    assert settings.SANDBOXES["arm64"] == ""
    monkeypatch.delenv("SANDBOX_ARM64")
    assert "by emulation" in supervise.emulate_arm64()
    assert settings.SANDBOXES["arm64"] == "emulated"
    assert float(os.environ[supervise.EMULATED_UNTIL]) > time.time() + 600


def test_a_demo_grades_without_isolation_only_where_there_is_none_and_says_so(settings, monkeypatch):
    settings.SANDBOXES = {host_arch(): "local"}
    monkeypatch.setenv(ALLOW, "")  # put back afterwards
    monkeypatch.setattr(local, "file_isolation_missing", lambda: None)
    assert supervise.allow_unisolated() == ""
    assert os.environ[ALLOW] == ""
    monkeypatch.setattr(local, "file_isolation_missing", lambda: f"nothing keeps files away (no: bwrap): {HOW_TO_ISOLATE}")
    said = supervise.allow_unisolated()
    assert said == f"The demo sets {ALLOW}=1, and every record says so: nothing keeps files away (no: bwrap)"
    assert os.environ[ALLOW] == "1"
    assert supervise.allow_unisolated() == ""


def test_a_demo_whose_sandbox_is_elsewhere_needs_no_isolation_here(settings, monkeypatch):
    settings.SANDBOXES = {host_arch(): "docker"}
    monkeypatch.setenv(ALLOW, "")
    monkeypatch.setattr(local, "file_isolation_missing", lambda: "nothing keeps files away")
    assert supervise.allow_unisolated() == ""
    assert os.environ[ALLOW] == ""


def test_a_demo_without_an_emulator_says_what_is_missing(settings, monkeypatch):
    settings.SANDBOXES = {"amd64": "local", "arm64": ""}
    monkeypatch.setattr(supervise, "why_unavailable", lambda name, arch: "qemu-user is not installed")
    monkeypatch.delenv("SANDBOX_ARM64", raising=False)
    assert supervise.emulate_arm64() == "arm64 is not graded: qemu-user is not installed"
    assert settings.SANDBOXES["arm64"] == ""

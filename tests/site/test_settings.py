from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest
from django.db import connection

from leaderboard.models import Result
from leaderboard.web.uploads import CappedUpload
from tests.conftest import ROOT

SHOW = "from django.conf import settings as s; print({expression})"


def evaluate(expression: str, data_dir, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key not in ("SECRET_KEY", "DATABASE_URL", "DEBUG", "DEMO")}
    env |= {"DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "leaderboard.settings"} | environment
    command = [sys.executable, "-c", SHOW.format(expression=expression)]
    return subprocess.run(command, env=env, cwd=ROOT.parent, capture_output=True, text=True, check=False)


def test_a_secret_key_is_made_once_and_only_its_owner_may_read_it(tmp_path):
    first = evaluate("s.SECRET_KEY", tmp_path).stdout
    assert len(first.strip()) > 50
    assert evaluate("s.SECRET_KEY", tmp_path).stdout == first
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_with_a_database_server_the_secret_key_must_be_given(tmp_path):
    url = {"DATABASE_URL": "postgres://u:p@localhost/x"}
    assert "Set SECRET_KEY" in evaluate("s.SECRET_KEY", tmp_path, **url).stderr
    assert evaluate("s.SECRET_KEY", tmp_path, SECRET_KEY="given", **url).stdout.strip() == "given"


def test_postgresql_gets_lasting_connections_and_no_pool(tmp_path):
    shown = evaluate("s.DATABASES['default']", tmp_path, DATABASE_URL="postgres://u:p@localhost/x", SECRET_KEY="k").stdout
    assert "postgresql" in shown
    assert "'CONN_MAX_AGE': 60" in shown
    assert "pool" not in shown


def test_further_clusters_of_an_architecture_are_told_apart_by_number(tmp_path):
    shown = evaluate("s.CLUSTERS", tmp_path, WORKERS_AMD64="3", DATABASE_URL="").stdout
    assert shown.strip() == "('amd64', 'arm64', 'amd64-2', 'amd64-3', 'housekeeping')"


def test_a_message_is_never_repeated_while_its_task_may_still_run(settings):
    plain = settings.Q_CLUSTER
    assert set(plain["ALT_CLUSTERS"]) == {"amd64", "arm64", "housekeeping"}
    for overrides in plain["ALT_CLUSTERS"].values():
        conf = plain | overrides
        assert conf["retry"] > (conf["queue_limit"] + 2) * conf["timeout"]
        assert conf["workers"] == 1


def test_django_finds_nothing_wrong_for_deployment(tmp_path):
    env = os.environ | {
        "DATA_DIR": str(tmp_path),
        "HTTPS": "1",
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "SECRET_KEY": "x" * 60 + "yz1234",
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "ERROR"]
    assert subprocess.run(command, env=env, cwd=ROOT.parent, capture_output=True, check=False).returncode == 0


def test_the_migration_is_what_the_models_say(db):
    from django.core.management import call_command

    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_an_upload_is_cut_off_when_it_turns_out_longer_than_announced(settings):
    settings.UPLOAD_MAX_MB = 1
    handler = CappedUpload()
    handler.receive_data_chunk(bytes(2**20), 0)
    with pytest.raises(Exception) as stopped:
        handler.receive_data_chunk(b"x", 2**20)
    assert type(stopped.value).__name__ == "StopUpload"


def test_a_board_of_one_architecture_reads_an_index(db):
    plan = Result.objects.filter(model=1, kernel=1, arch="amd64", is_current=True).explain()
    assert "board" in plan
    queue = Result.objects.due("amd64").values("pk")[:1].explain()
    assert "next_in_queue" in queue or connection.vendor != "sqlite"  # PostgreSQL sorts the nothing that is there

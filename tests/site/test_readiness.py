from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from leaderboard.models import Worker
from tests.site.disks import small_disk


def readyz(status: int) -> list[str]:
    response = Client().get("/readyz")
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"].startswith("text/plain")
    return response.content.decode().splitlines()


def beat(cluster: str, ago_s: float) -> None:
    Worker.objects.create(name=f"host:boot:{cluster}", cluster=cluster, beat_at=timezone.now() - timedelta(seconds=ago_s))


@pytest.mark.django_db
def test_silent_clusters_are_named_and_keep_nobody_from_reading(settings: Any) -> None:
    settings.SANDBOXES, settings.BEAT_S = {"amd64": "local", "arm64": ""}, 5.0
    assert readyz(200) == [
        "ok",
        "database: ok",
        "disk: ok",
        "data: ok",
        "cluster amd64: silent: no worker has reported in the last hour",
        "cluster housekeeping: silent: no worker has reported in the last hour",
    ]
    beat("amd64", 1), beat("housekeeping", 500), beat("arm64", 2)  # another host grades for arm64
    assert readyz(200)[4:] == ["cluster amd64: ok", "cluster arm64: ok", "cluster housekeeping: silent for 500 s"]


@pytest.mark.django_db
def test_a_disk_with_little_room_is_not_ready(settings: Any) -> None:
    settings.LOW_DISK_MB = 10**9
    first, _, disk, *_ = readyz(503)
    assert "are free in" in first
    assert disk.endswith("; LOW_DISK_MB is 1000000000")
    settings.LOW_DISK_MB = 0
    assert readyz(200)[2] == "disk: ok"


@pytest.mark.django_db
@pytest.mark.parametrize("which", ["DATA_DIR", "MEDIA_ROOT"])
def test_each_disk_is_looked_at(tmp_path: Path, settings: Any, which: str) -> None:
    disk = small_disk(tmp_path / "small", 8)
    try:
        setattr(settings, which, disk.path)
        assert "small" in readyz(503)[0]
    finally:
        disk.close()


@pytest.mark.django_db
@pytest.mark.parametrize("which", ["DATA_DIR", "FILE_UPLOAD_TEMP_DIR"])
def test_data_that_cannot_be_written_to_is_not_ready(tmp_path: Path, settings: Any, which: str) -> None:
    disk = small_disk(tmp_path / "small", 8)
    settings.LOW_DISK_MB = 1
    try:
        setattr(settings, which, str(disk.path))
        assert readyz(200)[3] == "data: ok"
        disk.read_only()
        assert readyz(503)[0] == "small cannot be written to: Read-only file system"
        disk.read_only(False)
        assert not list(disk.path.iterdir())
    finally:
        disk.close()


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("leaderboard.web.readiness.MigrationExecutor", away)
    assert readyz(503)[:2] == ["the database does not answer", "database: the database does not answer"]
    assert Client().get("/healthz").content == b"ok"

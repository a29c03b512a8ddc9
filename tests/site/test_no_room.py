"""Uploads and imports on a disk that is really full: refused with the reason, or waited for, and nothing left behind."""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard import tasks
from leaderboard.models import Bundle, BundleEntry, Submission
from leaderboard.services import bundle_decisions, bundle_files, bundle_lease, bundle_reading, tokens
from leaderboard.storage import room
from tests.api.conftest import make_user
from tests.pages import factories
from tests.site.admin_pages import text_of
from tests.site.bundles import lines, row, zip_of
from tests.site.disks import SmallDisk, small_disk

pytestmark = pytest.mark.django_db
BODY = zip_of({"run/answers.jsonl": lines(*(row(answer=f"<answer>int x{number};</answer>") for number in range(300)))})
LARGE = b"x" * (6 << 20)


@pytest.fixture
def disk(tmp_path: Path, settings: Any) -> Iterator[SmallDisk]:
    """Where uploads go; the database has room."""
    disk = small_disk(tmp_path / "disk", 16)
    settings.MEDIA_ROOT, settings.FILE_UPLOAD_TEMP_DIR = disk.path / "media", str(disk.path / "media" / "incoming")
    settings.BACKOFF_S = 0.0
    Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(parents=True)
    factories.make_kernel("dot_f32")
    try:
        yield disk
    finally:
        disk.close()


@pytest.fixture
def in_mid_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room that there was has gone meanwhile: somebody else was faster."""
    monkeypatch.setattr(room, "check", lambda size_bytes: None)


def files_in(disk: SmallDisk) -> list[Path]:
    return [path for path in (disk.path / "media").rglob("*") if path.is_file()]


def send(client: Client, data: bytes, **headers: str) -> Any:
    form = {"file": SimpleUploadedFile("run.zip", data), "public": "1", "model": ""}
    return client.post("/admin/leaderboard/bundle/add/", form, headers=headers)


def by_program(data: bytes, *, form: bool = False) -> Any:
    client = Client(headers={"Authorization": f"Bearer {tokens.make(make_user('program'), 'a script')[1]}"})
    if form:
        return client.post("/api/bundles", {"file": SimpleUploadedFile("run.zip", data)})
    return client.post("/api/bundles?name=run.zip", data, content_type="application/octet-stream")


def test_the_form_says_what_is_free_and_what_is_needed(disk: SmallDisk, admin_client: Client) -> None:
    disk.leave(2 << 20)
    response = send(admin_client, LARGE)
    assert response.status_code == 507
    assert "Our disk is full (2.0 MB are free, 7.0 MB are needed): nothing was stored; send it again later." in text_of(response)
    assert 'enctype="multipart/form-data"' in response.content.decode()
    script = send(admin_client, LARGE, Accept="application/json")
    assert script.status_code == 507
    assert "2.0 MB are free" in script.json()["errors"]["file"][0]
    assert files_in(disk) == []


def test_the_form_says_so_when_the_disk_fills_up_in_mid_stream(
    disk: SmallDisk, admin_client: Client, in_mid_stream: None
) -> None:
    disk.leave(2 << 20)
    response = send(admin_client, LARGE)
    assert response.status_code == 507
    assert "Our disk is full" in text_of(response)
    assert files_in(disk) == []
    assert not Bundle.objects.exists()


@pytest.mark.parametrize("form", [False, True], ids=["body", "form"])
@pytest.mark.parametrize("free", [0, 1000, 8 << 10, 300 << 10, 2 << 20])
def test_a_program_hears_507_and_why(disk: SmallDisk, free: int, form: bool) -> None:
    disk.leave(free)
    response = by_program(LARGE, form=form)
    assert response.status_code == 507, response.content
    assert "are free, 7.0 MB are needed" in response.json()["detail"]
    assert files_in(disk) == []


@pytest.mark.parametrize("form", [False, True], ids=["body", "form"])
@pytest.mark.parametrize("free", [0, 1000, 8 << 10, 300 << 10, 2 << 20])
def test_a_program_hears_507_when_the_disk_fills_up_in_mid_stream(
    disk: SmallDisk, free: int, form: bool, in_mid_stream: None
) -> None:
    disk.leave(free)
    response = by_program(LARGE, form=form)
    assert response.status_code == 507, response.content
    assert "are needed" in response.json()["detail"]
    assert files_in(disk) == []
    assert not Bundle.objects.exists()


def test_a_length_is_refused_before_anything_is_sent(disk: SmallDisk, program_of: Any) -> None:
    disk.leave(2 << 20)
    asked = program_of.post(
        "/api/bundles", b"", content_type="application/octet-stream", headers={"Upload-Length": str(64 << 20)}
    )
    assert asked.status_code == 507
    assert "65.0 MB are needed" in asked.json()["detail"]


@pytest.fixture
def program_of(db: None) -> Client:
    return Client(headers={"Authorization": f"Bearer {tokens.make(make_user('asker'), 'a script')[1]}"})


def test_what_the_database_has_no_room_for_leaves_no_file(
    disk: SmallDisk, program_of: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for step in ("leaderboard.services.bundle_decisions.confirm_when_read", "leaderboard.models.Bundle.save"):
        with monkeypatch.context() as patched:
            patched.setattr(step, full)
            response = program_of.post("/api/bundles?name=run.zip", BODY, content_type="application/octet-stream")
        assert response.status_code == 507, response.content
        assert not Bundle.objects.exists()
        assert files_in(disk) == []
    assert program_of.post("/api/bundles?name=run.zip", BODY, content_type="application/octet-stream").status_code == 201


@pytest.mark.parametrize("free", [0, 8 << 10, 60 << 10, 500 << 10])
def test_an_import_waits_for_room_and_then_brings_everything_once(
    disk: SmallDisk, free: int, admin_client: Client, in_mid_stream: None
) -> None:
    large = zip_of({"a.jsonl": lines(*(row(answer=f"<answer>int x{n};{'y' * 3000}</answer>") for n in range(400)))})
    bundle = bundle_files.keep_file(SimpleUploadedFile("run.zip", large), name="run.zip")
    bundle_decisions.confirm_when_read(bundle)
    disk.leave(free)
    for _ in range(bundle_lease.ATTEMPTS + 2):
        tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.attempt) == ("importing", 0)
    assert bundle.error.startswith("Our disk is full")
    assert bundle.error.endswith("the import will be tried again.")
    assert "the import will be tried again" in text_of(admin_client.get(f"/admin/leaderboard/bundle/{bundle.pk}/change/"))
    assert not [path for path in files_in(disk) if "unpacked" in str(path)]
    disk.empty()
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.error, bundle.answers, bundle.added) == ("imported", "", 400, 400)
    assert (Submission.objects.count(), BundleEntry.objects.count()) == (400, 400)


def test_an_import_is_not_begun_where_there_is_no_room_for_it(disk: SmallDisk) -> None:
    bundle = bundle_files.keep_file(SimpleUploadedFile("run.zip", BODY), name="run.zip")
    disk.leave(100 << 10)
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert bundle.state == "reading"
    assert "0.1 MB are free, 1.0 MB are needed): the reading will be tried again." in bundle.error


def test_a_pause_lies_between_two_tries(disk: SmallDisk, settings: Any) -> None:
    settings.BACKOFF_S = 10
    bundle = bundle_files.keep_file(SimpleUploadedFile("run.zip", BODY), name="run.zip")
    disk.leave(0)
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert 50 < (bundle.not_before - timezone.now()).total_seconds() <= 60
    assert not bundle_lease.BUNDLES.free().exists()


def test_a_damaged_archive_is_still_the_archives_fault(disk: SmallDisk) -> None:
    for number, data in enumerate((BODY[:-40], b"PK\x03\x04" + bytes(400), b"\x1f\x8b\x08" + BODY[:300])):
        bundle = bundle_reading.read(bundle_files.keep_file(SimpleUploadedFile("run.zip", data), name=f"{number}.zip"))
        assert bundle.state == "failed", number
        assert "again" not in bundle.error


def test_a_file_that_was_deleted_is_a_404_that_names_the_bundle(disk: SmallDisk, admin_client: Client) -> None:
    bundle = bundle_files.keep_file(SimpleUploadedFile("run.zip", BODY), name="run.zip")
    Path(bundle.file.path).unlink()
    response = admin_client.get(f"/admin/leaderboard/bundle/{bundle.pk}/file/")
    assert response.status_code == 404
    assert f"The file of bundle {bundle.uid} (run.zip) is no longer" in text_of(response)
    assert admin_client.get(f"/admin/leaderboard/bundle/{bundle.pk}/change/").status_code == 200
    bundle_reading.read(bundle)
    assert (bundle.state, bundle.error) == ("failed", "Its file is no longer in the site's media folder: upload it again.")
    again = bundle_files.keep_file(SimpleUploadedFile("run.zip", BODY), name="run.zip")
    assert bundle_reading.read(again).state == "preview"


def test_a_folder_for_uploads_that_was_removed_is_made_again(disk: SmallDisk, program_of: Client) -> None:
    (disk.path / "media" / "incoming").rmdir()
    assert program_of.post("/api/bundles", io.BytesIO(BODY).read(), content_type="application/octet-stream").status_code == 201


def test_a_user_without_the_right_hears_nothing_of_the_disk(disk: SmallDisk, db: None) -> None:
    disk.leave(0)
    client = Client()
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert send(client, BODY).status_code == 403

"""Uploading through the API: once is enough, and nobody sees what is somebody else's."""

import hashlib
import threading
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.models import Bundle, Submission
from leaderboard.queue import bundle_progress
from leaderboard.services import importing, tokens
from tests.api.conftest import Program, make_user
from tests.pages import factories
from tests.site import bundles

pytestmark = pytest.mark.django_db
BODY = bundles.lines(bundles.row(), bundles.row(kernel="no_such_kernel"))


def test_a_bundle_is_uploaded_imported_and_reported(program: Program) -> None:
    factories.make_kernel("dot_f32")
    sent = program.send(BODY, "name=run.jsonl&public=false")
    assert (sent["state"], sent["name"], sent["public"]) == ("importing", "run.jsonl", False)
    importing.import_bundle(Bundle.objects.get())
    found = program.get(f"bundles/{sent['uid']}")
    assert (found["state"], found["answers"], found["added"], found["skipped"]) == ("imported", 1, 1, 1)
    assert found["report"][0]["line"] == 2
    assert {(row["arch"], row["waiting"]) for row in found["progress"]} == {("amd64", 1), ("arm64", 1)}
    assert not Submission.objects.get().public


def test_a_very_large_bundle_is_counted_every_few_seconds_only(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.make_kernel("dot_f32")
    uid = program.send(BODY)["uid"]
    importing.import_bundle(Bundle.objects.get())
    monkeypatch.setattr(bundle_progress, "LARGE", 1)
    times: list[int] = []
    real = bundle_progress.counted
    monkeypatch.setattr(bundle_progress, "counted", lambda bundle: times.append(1) or real(bundle))
    assert program.get(f"bundles/{uid}")["progress"] == program.get(f"bundles/{uid}")["progress"]
    assert len(times) == 1


def test_a_form_is_as_good_as_a_raw_body(program: Program) -> None:
    file = SimpleUploadedFile("run.jsonl", BODY)
    response = program.client.post("/api/bundles", {"file": file})
    assert response.status_code == 201
    assert response.headers["Location"] == f"/api/bundles/{response.json()['uid']}"
    assert program.send(BODY, status=200)["uid"] == response.json()["uid"]
    assert program.client.post("/api/bundles", {"other": "1"}).status_code == 400


def test_the_same_file_or_key_is_answered_with_the_first_bundle(program: Program) -> None:
    headers = {"Idempotency-Key": "night run"}
    first = program.send(BODY, **headers)
    assert program.send(BODY, status=200)["uid"] == first["uid"]
    assert program.send(b"cut off on the w", status=200, **headers)["uid"] == first["uid"]
    assert Bundle.objects.count() == 1


def test_a_key_is_its_users_alone(program: Program, stranger: Program) -> None:
    headers = {"Idempotency-Key": "1"}
    first = program.send(BODY, **headers)
    assert stranger.send(BODY + b"\n", **headers)["uid"] != first["uid"]


def test_a_key_of_a_bundle_that_failed_stands_for_the_next_one(program: Program) -> None:
    headers = {"Idempotency-Key": "second try"}
    first = program.send(b"PK\x03\x04 no zip", **headers)
    Bundle.objects.filter(uid=first["uid"]).update(state=Bundle.State.FAILED)
    second = program.send(BODY, **headers)
    assert second["uid"] != first["uid"]
    assert program.send(b"", status=200, **headers)["uid"] == second["uid"]


def test_two_files_of_one_key_at_once_are_one_bundle(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {"Idempotency-Key": "twice"}
    first = program.send(BODY, **headers)
    monkeypatch.setattr("leaderboard.api.bundles.first_of", lambda *_: None)  # asked before the first one was there
    assert program.send(BODY + b"\n", status=200, **headers)["uid"] == first["uid"]
    assert Bundle.objects.count() == 1


def test_an_upload_that_broke_off_is_no_bundle(program: Program) -> None:
    cut: Any = {"wsgi.input": BytesIO(BODY[:-9]), "CONTENT_LENGTH": str(len(BODY))}
    response = program.client.generic("POST", "/api/bundles", content_type="application/octet-stream", **cut)
    assert response.status_code == 400
    assert "broke off" in response.json()["detail"]
    assert not Bundle.objects.exists()


def test_a_body_of_unknown_length_is_read_to_its_end(program: Program) -> None:
    chunked: Any = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": "", "wsgi.input_terminated": True}
    chunked["wsgi.input"] = BytesIO(BODY)
    response = program.client.generic("POST", "/api/bundles", content_type="application/octet-stream", **chunked)
    assert response.status_code == 201, response.content
    assert response.json()["size_bytes"] == len(BODY)


def test_what_was_damaged_on_the_way_is_refused(program: Program) -> None:
    digest = hashlib.sha256(BODY).hexdigest()
    assert "damaged" in program.send(BODY[:-3], f"sha256={digest}", status=409)["detail"]
    program.send(BODY, f"sha256={digest}")


def test_without_a_token_or_the_right_to_upload_nothing_is_kept(anybody: Program) -> None:
    anybody.send(BODY, status=401)
    Program("ak_made_up").send(BODY, status=401)
    reader = Program(tokens.make(make_user("reader", may_upload=False), "reads")[1])
    reader.send(BODY, status=403)
    assert not Bundle.objects.exists()


def test_bundles_of_others_do_not_exist(program: Program, stranger: Program, staff: Program, anybody: Program) -> None:
    uid = program.send(BODY, "public=false")["uid"]
    anybody.get(f"bundles/{uid}", status=401)
    stranger.get(f"bundles/{uid}", status=404)
    assert stranger.get(f"bundles/{uid}", status=404) == stranger.get("bundles/nothere", status=404)
    assert staff.get(f"bundles/{uid}")["uid"] == uid


def test_the_file_of_a_private_bundle_is_as_new_to_others_as_any(program: Program, stranger: Program) -> None:
    factories.make_kernel("dot_f32")
    first = program.send(BODY, "public=false")
    importing.import_bundle(Bundle.objects.get())
    own = stranger.send(BODY, "public=false")
    assert own["uid"] != first["uid"]
    importing.import_bundle(Bundle.objects.get(uid=own["uid"]))
    found = stranger.get(f"bundles/{own['uid']}")
    assert (found["answers"], found["added"], found["counts"]["reasons"]) == (1, 1, {"unknown kernel 'no_such_kernel'": 1})
    assert stranger.send(BODY, status=200)["uid"] == own["uid"]
    assert program.send(BODY, status=200)["uid"] == first["uid"]
    assert Submission.objects.count() == 2  # without a trace id: graded as if nobody had it, or the time it takes would tell


def test_the_file_of_a_public_bundle_is_refused(program: Program, stranger: Program) -> None:
    factories.make_kernel("dot_f32")
    program.send(BODY)
    importing.import_bundle(Bundle.objects.get())
    assert "public bundle of somebody else" in stranger.send(BODY, status=409)["detail"]


def test_nobody_publishes_the_failed_bundle_of_somebody_else(program: Program, stranger: Program) -> None:
    first = program.send(BODY, "public=false")["uid"]
    Bundle.objects.update(state=Bundle.State.FAILED)
    stranger.send(BODY, "public=true")
    assert not Bundle.objects.get(uid=first).public
    assert program.send(BODY, "public=false")["uid"] == first


def test_the_limit_holds_for_both_ways_of_sending(program: Program, settings: Any) -> None:
    settings.UPLOAD_MAX_MB = 1
    body = b"x" * (1 << 20) + b"yz"
    assert "UPLOAD_MAX_MB" in program.send(body, status=413)["detail"]
    response = program.client.post("/api/bundles", {"file": SimpleUploadedFile("run.jsonl", body)})
    assert response.status_code == 413
    assert not list(Path(django_settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*"))


def test_whether_so_much_may_be_sent_is_asked_without_a_body(program: Program, anybody: Program, settings: Any) -> None:
    settings.UPLOAD_MAX_MB = 1
    assert "UPLOAD_MAX_MB" in program.send(b"", status=413, **{"Upload-Length": str(2 << 20)})["detail"]
    assert "empty" in program.send(b"", status=400, **{"Upload-Length": str(1 << 20)})["detail"]
    program.send(b"", status=422, **{"Upload-Length": "many"})
    anybody.send(b"", status=401, **{"Upload-Length": "1"})
    headers = {parameter["name"] for parameter in program.get("openapi.json")["paths"]["/api/bundles"]["post"]["parameters"]}
    assert {"Upload-Length", "Idempotency-Key"} <= headers


def test_an_empty_body_and_nonsense_are_refused_in_one_sentence(program: Program) -> None:
    assert "empty" in program.send(b"", status=400)["detail"]
    assert isinstance(program.send(BODY, "sha256=zz", status=422)["detail"], str)
    program.send(BODY, "name=a%00b", status=400)
    program.get("bundles/%00", status=400)


@pytest.mark.django_db(transaction=True)
def test_ten_at_once_make_one_bundle(transactional_db: None) -> None:
    from django.db import connection

    token = tokens.make(make_user("uploader"), "a script")[1]
    statuses: list[int] = []

    def send() -> None:
        response = Program(token).client.post("/api/bundles", BODY, content_type="application/octet-stream")
        statuses.append(response.status_code)
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 9 + [201]
    assert Bundle.objects.count() == 1

"""Which answers are the same: by trace id, else by what a whole file holds. Through all doors."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files import File
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from leaderboard.models import Bundle, BundleEntry, Submission
from leaderboard.services import bundle_files, bundle_lease, bundle_reading, deletion, importing, language_models, tokens
from leaderboard.services.matching import Undecided
from tests.conftest import RUNS
from tests.site.bundles import ANSWER, lines, row, zip_of

GROWN = Path(__file__).parents[1] / "data" / "bundles"
FIRST, GREW = ((GROWN / f"grown_{number}.jsonl").read_bytes() for number in (1, 2))

pytestmark = pytest.mark.usefixtures("kernels")


def bring(data: bytes, name: str = "answers.jsonl", **options) -> Bundle:
    return importing.import_bundle(bundle_reading.read(bundle_files.keep_file(File(io.BytesIO(data)), name=name, **options)))


def say(text: str, **more):
    return row(answer=f"<answer>{text}</answer>", **more)


def counted(*texts: str, **more) -> bytes:
    """Rows that do not name their rollouts."""
    return lines(*(say(text, **more) for text in texts))


def texts_of(bundle: Bundle) -> list[str]:
    return sorted(reply[8:-9] for reply in Submission.objects.filter(entries__bundle=bundle).values_list("reply", flat=True))


def user(name: str, **more) -> User:
    found = User.objects.create_user(name, **more)
    found.user_permissions.add(Permission.objects.get(codename="add_bundle"))
    return found


# What a file holds


def test_equal_texts_in_two_rollouts_of_one_file_are_two_answers():
    assert bring(FIRST).added == 5
    assert bring(counted("a", "a", "a")).added == 3


def test_a_file_that_has_grown_adds_only_the_rest():
    bring(FIRST)
    grown = bring(GREW)
    assert (grown.state, grown.answers, grown.added) == ("imported", 6, 1)
    assert Submission.objects.count() == 6
    assert [(told["shared"], told["of"], told["added"]) for told in grown.overlaps] == [(5, 5, 1)]
    assert sum("another bundle" in remark["reason"] for remark in grown.report) == 5


def test_it_may_grow_again_and_again_at_any_place():
    for number, texts in enumerate(("b", "ab", "cab", "acabb"), 1):
        bundle = bring(counted(*texts), f"{number}.jsonl")
        assert bundle.error == ""
    assert bundle.added == 2
    assert texts_of(bundle) == ["a", "a", "b", "b", "c"]
    assert Submission.objects.count() == 5


def test_reordered_rows_and_a_renamed_file_are_the_same_answers():
    texts = list("aabcdd")
    bring(counted(*texts))
    random.Random(1).shuffle(texts)
    again = bring(zip_of({"elsewhere/renamed.jsonl": counted(*texts)}), "other.zip")
    assert (again.answers, again.added) == (6, 0)
    assert Submission.objects.count() == 6


def test_a_rollout_that_the_row_names_is_part_of_the_answer():
    bring(lines(say("a", rollout=0), say("b", rollout=1)))
    with pytest.raises(Undecided):
        raise_for(bring(lines(say("a", rollout=0), say("b", rollout=2))))
    assert bring(lines(say("a", rollout=5))).added == 1


def raise_for(bundle: Bundle) -> None:
    if bundle.state == "failed" and "same run" in bundle.error:
        raise Undecided(bundle.error)


def test_c_files_that_name_no_rollout_are_known_in_any_order():
    files = {"m/dot_f32.c": b"int a;", "m/sort_u32/0.c": b"int b;", "m/sort_u32/1.c": b"int b;"}
    assert bring(zip_of(files), "1.zip").added == 3
    assert (
        bring(zip_of({f"run/{name}": files[name] for name in reversed(files)} | {"run/n/dot_f32.c": b"int a;"}), "2.zip").added
        == 1
    )


def test_other_texts_models_and_kernels_are_other_answers():
    bring(counted("a"))
    for changed in ({"model": "stub/One"}, {"kernel": "sort_u32"}):
        assert bring(counted("a", **changed)).added == 1
    assert bring(counted("a ")).added == 1


def test_a_part_of_an_earlier_bundle_is_a_question():
    first = bring(counted("a", "b", "c"), "monday.jsonl")
    asked = bring(counted("c", "d"), "tuesday.jsonl")
    assert asked.state == "failed"
    assert all(name in asked.error for name in ("monday.jsonl", first.uid, "tuesday.jsonl", "1 of its 3", "overlap=same"))
    assert Submission.objects.count() == 3


@pytest.mark.parametrize(("said", "added"), [("same", 1), ("another", 2)])
def test_the_answer_to_it_decides(said, added):
    bring(counted("a", "b", "c"))
    second = bring(counted("c", "d"), overlap=said)
    assert (second.answers, second.added) == (2, added)
    assert texts_of(second) == ["c", "d"]
    assert bring(counted("e", "d", "c")).added == 1  # from now on the second one can grow


def test_of_another_run_that_grew_each_keeps_its_own():
    bring(counted("a", "b"))
    second = bring(counted("a", "c"), overlap="another")
    third = bring(counted("a", "a", "b", "c", "d"))  # both of them in one file
    assert third.added == 1
    assert set(second.entries.values_list("submission", flat=True)) < set(third.entries.values_list("submission", flat=True))


def test_a_smaller_part_after_it_has_grown_is_a_question_too():
    bring(GREW)
    assert "5 of its 6" in bring(FIRST).error


def test_trace_ids_decide_where_there_are_some():
    bring(lines(say("a", trace_id="1"), say("b", trace_id="2")))
    second = bring(lines(say("b", trace_id="2"), say("a", trace_id="3")))
    assert (second.state, second.added) == ("imported", 1)


def test_the_same_run_in_an_older_format_without_trace_ids_is_the_same():
    assert bring(lines(say("a", trace_id="1"), say("b", trace_id="2"))).added == 2
    assert bring(counted("b", "a")).added == 0


def test_an_import_that_was_killed_goes_on_with_its_own(monkeypatch):
    bring(counted("a", "b", "x"))
    bundle = bundle_reading.read(bundle_files.keep_file(File(io.BytesIO(counted("a", "b", "c"))), name="n", overlap="another"))
    monkeypatch.setattr(bundle_reading, "CHUNK", 1)
    monkeypatch.setattr(bundle_lease, "ATTEMPTS", 99)
    real, done = importing._bring, []

    def killed(*args):
        done.append(1)
        if len(done) == 3:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(importing, "_bring", killed)
    with pytest.raises(KeyboardInterrupt):
        importing.import_bundle(bundle)
    bundle.refresh_from_db()
    again = importing.import_bundle(bundle)
    assert (again.state, again.added, again.entries.count()) == ("imported", 3, 3)
    assert Submission.objects.count() == 6


def test_equal_files_that_are_imported_in_the_same_moment_are_one(monkeypatch):
    one = bundle_reading.read(bundle_files.keep_file(File(io.BytesIO(counted("a", "b"))), name="1"))
    two = bundle_reading.read(bundle_files.keep_file(File(io.BytesIO(counted("b", "a"))), name="2"))
    real = bundle_reading.look_through

    def overtaken(bundle, *args, **more):
        found = real(bundle, *args, **more)
        if bundle.pk == one.pk:
            importing.import_bundle(two)
        return found

    monkeypatch.setattr(bundle_reading, "look_through", overtaken)
    importing.import_bundle(one)
    assert Submission.objects.count() == 2


def test_after_the_first_is_deleted_the_grown_file_keeps_what_it_shares():
    first = bring(FIRST)
    bring(GREW)
    deletion.delete_bundle(first)
    assert Submission.objects.count() == 6
    assert bring(FIRST, "again.jsonl", overlap="same").added == 0


def test_a_model_that_was_merged_is_still_known_by_its_old_name():
    bring(counted("a", model="lab/old"))
    language_models.merge([language_models.find_model("lab/old")], language_models.find_model("lab/new"))
    assert bring(counted("a", "b", model="lab/old")).added == 1


def test_others_private_answers_count_as_not_here():
    bring(counted("a", "b", "c"), uploader=user("ann"), public=False)
    theirs = bring(counted("a", "d"), uploader=user("bob"))
    assert (theirs.state, theirs.added, theirs.overlaps) == ("imported", 2, [])
    assert not theirs.report
    assert Submission.objects.count() == 5
    assert not BundleEntry.objects.filter(bundle=theirs, submission__entries__bundle__uploader__username="ann").exists()
    assert bring(counted("d", "a", "e"), uploader=User.objects.get(username="bob")).added == 1


def test_others_public_answers_are_asked_about():
    bring(counted("a", "b"), uploader=user("ann"))
    assert "same run" in bring(counted("a", "c"), uploader=user("bob")).error


# Through the doors


def test_the_command_line_names_both_and_takes_a_flag(tmp_path, capsys):
    for name, texts in (("1.jsonl", "abc"), ("2.jsonl", "cd"), ("3.jsonl", "bd")):
        (tmp_path / name).write_bytes(counted(*texts))
    call_command("import_bundle", tmp_path / "1.jsonl")
    with pytest.raises(
        CommandError, match=r"2\.jsonl contains some of .*1\.jsonl.*--same-run.*--another-run.*Nothing was imported"
    ):
        call_command("import_bundle", tmp_path / "2.jsonl")
    assert Bundle.objects.count() == 1
    call_command("import_bundle", tmp_path / "2.jsonl", "--same-run")
    call_command("import_bundle", tmp_path / "3.jsonl", "--another-run")
    assert list(Bundle.objects.order_by("pk").values_list("added", flat=True)) == [3, 1, 2]


def test_a_file_that_has_grown_on_the_command_line(capsys):
    call_command("import_bundle", GROWN / "grown_1.jsonl")
    call_command("import_bundle", GROWN / "grown_2.jsonl")
    out = capsys.readouterr().out
    assert "6 answers, 1 new" in out
    assert f"It holds the 5 answers of bundle {Bundle.objects.last().uid} (grown_1.jsonl) and 1 more." in out


def test_a_bundle_without_an_answer_is_refused_on_the_command_line(tmp_path, capsys):
    (tmp_path / "none.jsonl").write_bytes(lines(row(kernel="nope"), row(kernel="nope"), {"kernel": "dot_f32", "error": "429"}))
    with pytest.raises(CommandError, match=r"no answer to any of our kernels.*2 x unknown kernel 'nope'; 1 x provider error"):
        call_command("import_bundle", tmp_path / "none.jsonl")
    assert "none.jsonl:1: unknown kernel 'nope'" in capsys.readouterr().out
    bundle = Bundle.objects.get()
    assert (bundle.state, bundle.rows, bundle.skipped, len(bundle.report)) == ("failed", 3, 3, 3)


@pytest.fixture
def program(db) -> Client:
    return Client(headers={"Authorization": f"Bearer {tokens.make(user('ann'), 'script')[1]}"})


def send(program: Client, data: bytes, query: str = ""):
    response = program.post(f"/api/bundles?name=sent.jsonl&{query}", data, content_type="application/octet-stream")
    for bundle in Bundle.objects.filter(state__in=["reading", "importing"]):
        importing.carry_on(bundle)
    return response


def test_the_api_answers_409_and_takes_a_parameter(program):
    first = send(program, counted("a", "b", "c")).json()
    refused = send(program, counted("c", "d"))
    assert refused.status_code == 409
    assert first["uid"] in refused.json()["detail"]
    assert "sent.jsonl" in refused.json()["detail"]
    assert Bundle.objects.count() == 1
    assert send(program, counted("c", "d"), "overlap=perhaps").status_code == 422
    uid = send(program, counted("c", "d"), "overlap=another").json()["uid"]
    found = program.get(f"/api/bundles/{uid}").json()
    assert (found["added"], found["overlap"]) == (2, "another")
    assert [(one["uid"], one["shared"], one["of"]) for one in found["overlaps"]] == [(first["uid"], 1, 3)]


def test_a_file_that_has_grown_through_the_api(program):
    send(program, FIRST)
    grown = program.get(f"/api/bundles/{send(program, GREW).json()['uid']}").json()
    assert (grown["answers"], grown["added"], grown["overlaps"][0]["shared"]) == (6, 1, 5)


def test_what_is_too_large_to_be_read_at_once_fails_with_the_same_words(program, settings):
    settings.BUNDLE_READ_NOW_MB = 0
    send(program, counted("a", "b", "c"))
    sent = send(program, counted("c", "d"))
    assert sent.status_code == 201
    assert "overlap=same" in program.get(f"/api/bundles/{sent.json()['uid']}").json()["error"]
    assert send(program, counted("c", "d"), "overlap=same").json()["uid"] == sent.json()["uid"]
    assert program.get(f"/api/bundles/{sent.json()['uid']}").json()["added"] == 1


def test_a_bundle_without_an_answer_fails_through_the_api_with_its_rows(program):
    sent = send(program, lines(row(kernel="nope"))).json()
    found = program.get(f"/api/bundles/{sent['uid']}").json()
    assert found["state"] == "failed"
    assert "unknown kernel 'nope'" in found["error"]
    assert found["report"][0]["reason"] == "unknown kernel 'nope'"


def upload(client, data: bytes, name: str) -> Bundle:
    client.post(reverse("admin:leaderboard_bundle_add"), {"file": io.BytesIO(data), "public": "1"} | {"file": named(data, name)})
    return Bundle.objects.order_by("pk").last()


def named(data: bytes, name: str) -> io.BytesIO:
    file = io.BytesIO(data)
    file.name = name
    return file


def confirm(client, bundle: Bundle, **said: str):
    address = reverse("admin:leaderboard_bundle_confirm", args=[bundle.pk])
    return client.post(address, {"public": "1", **said})


def test_the_preview_asks_and_does_not_go_on_without_an_answer(admin_client):
    first = bring(counted("a", "b", "c"), "monday.jsonl")
    bundle = upload(admin_client, counted("c", "d"), "tuesday.jsonl")
    page = admin_client.get(reverse("admin:leaderboard_bundle_change", args=[bundle.pk])).content.decode()
    assert "Is it the same run?" in page
    assert f'<a href="{reverse("admin:leaderboard_bundle_change", args=[first.pk])}">monday.jsonl</a>' in page
    refused = confirm(admin_client, bundle)
    assert "Say whether it is the same run" in refused.content.decode()
    bundle.refresh_from_db()
    assert bundle.state == "preview"
    confirm(admin_client, bundle, overlap="same")
    bundle.refresh_from_db()
    importing.carry_on(bundle)
    bundle.refresh_from_db()
    assert (bundle.state, bundle.added) == ("imported", 1)


def test_a_file_that_has_grown_in_the_admin(admin_client):
    upload(admin_client, FIRST, "grown_1.jsonl")
    confirm(admin_client, Bundle.objects.get())
    importing.carry_on(Bundle.objects.get())
    grown = upload(admin_client, GREW, "grown_2.jsonl")
    page = admin_client.get(reverse("admin:leaderboard_bundle_change", args=[grown.pk])).content.decode()
    assert "and 1 more: it is that run, continued" in page
    assert "Is it the same run?" not in page
    confirm(admin_client, grown)
    grown.refresh_from_db()
    importing.carry_on(grown)
    grown.refresh_from_db()
    assert (grown.answers, grown.added) == (6, 1)


def test_the_same_answers_in_another_file_are_said_to_be_nothing_new(admin_client):
    first = bring(counted("a", "b"), "first.jsonl")
    bundle = upload(admin_client, counted("b", "a"), "second.jsonl")
    page = admin_client.get(reverse("admin:leaderboard_bundle_change", args=[bundle.pk])).content.decode()
    assert "nothing in it is new" in page
    assert f'<a href="{reverse("admin:leaderboard_bundle_change", args=[first.pk])}">first.jsonl</a>' in page


def test_real_runs_are_known_however_they_are_packed():
    for run in sorted(RUNS.iterdir()):
        assert importing.import_bundle(bundle_reading.read(bundle_files.keep_path(run))).state == "imported", run
    assert Submission.objects.filter(text_key="").count() == 0
    assert ANSWER


def test_a_model_is_the_string_that_was_asked_for_and_the_served_one_is_kept_beside_it():
    bundle = bring(
        lines(say("a", model="Lab/Big", served_model="big-2026-11"), say("b", model="lab/big", served_model="lab/big"))
    )
    assert {row.name: row.sampling for row in bundle.models.all()} == {"Lab/Big": {"served_model": "big-2026-11"}, "lab/big": {}}
    assert Submission.objects.values("model").distinct().count() == 2

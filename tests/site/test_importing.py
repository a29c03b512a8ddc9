from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from django.core.files import File
from django.db import connection
from django_q.models import OrmQ

from leaderboard import tasks
from leaderboard.bundles.types import BundleError
from leaderboard.models import Bundle, BundleEntry, LanguageModel, Result, Standing, Submission
from leaderboard.services import bundle_files, bundle_lease, bundle_reading, deletion, importing, recording, visibility
from tests.conftest import OLDER_RUNS, RUNS
from tests.site import fake_grader
from tests.site.bundles import ANSWER, folder_files, lines, row, tgz_of, zip_of
from tests.site.conftest import claim

PLAIN, PORTABLE, SIMD, BROKEN = (
    RUNS / f"arch-kernels-v1--stub--{name}"
    for name in (
        "plain-7b--null--8cb61393",
        "portable-70b--null--8f39c5ba",
        "simd-x--null--d50891c8",
        "portable-70b--null--14e0c972",
    )
)

pytestmark = pytest.mark.usefixtures("kernels")


def keep(data: bytes, name: str = "answers.jsonl", **options) -> Bundle:
    return bundle_files.keep_file(File(io.BytesIO(data)), name=name, **options)


def bring(source: bytes | Path, **options) -> Bundle:
    bundle = bundle_files.keep_path(source, **options) if isinstance(source, Path) else keep(source, **options)
    return importing.import_bundle(bundle_reading.read(bundle))


def test_a_bundle_is_first_looked_at_and_nothing_is_graded():
    bundle = bundle_reading.read(keep(lines(row(), row(kernel="nope"), row(model="stub/two"))))
    assert (bundle.state, bundle.rows, bundle.answers, bundle.added, bundle.skipped) == ("preview", 3, 2, 2, 1)
    assert bundle.counts["models"] == {"stub/one": 1, "stub/two": 1}
    assert bundle.counts["kernels"] == {"dot_f32": 2}
    assert bundle.report == [{"file": "answers.jsonl", "line": 2, "reason": "unknown kernel 'nope'"}]
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()


def test_a_confirmed_bundle_is_imported_and_queued_on_both_architectures():
    bundle = bring(lines(row(), row(answer="no tags")))
    assert (bundle.state, bundle.answers, bundle.added) == ("imported", 2, 2)
    assert Result.objects.queued().count() == 4
    one, none = Submission.objects.order_by("id")
    assert (one.source, one.reply, one.source_sha256 != "") == (ANSWER[8:-9], ANSWER, True)
    assert (none.source, none.source_sha256) == (None, "")
    assert OrmQ.objects.filter(key="amd64").exists()


@pytest.mark.parametrize(
    ("run", "answers", "skipped"),
    [
        (PLAIN, 39, 0),
        (PORTABLE, 26, 0),
        (SIMD, 26, 0),
        (BROKEN, 20, 6),
        (OLDER_RUNS / "v0-0.1.14", 26, 0),
        (OLDER_RUNS / "v1-0.2.0", 26, 0),
        (OLDER_RUNS / "format-samples" / "arch-kernels-v1--stub--model--null--45acd02d", 0, 6),  # of kernels that we do not have
        (OLDER_RUNS / "format-samples" / "v0-0.1.14", 0, 10),
        (OLDER_RUNS / "format-samples" / "v1-0.2.0", 0, 6),
        (OLDER_RUNS / "format-samples" / "variety", 0, 22),
    ],
)
def test_real_run_folders_import_as_folder_zip_or_tar(run, answers, skipped, tmp_path):
    bundle = bring(run)
    assert (bundle.answers, bundle.added, bundle.skipped) == (answers, answers, skipped)
    for number, pack in enumerate((zip_of, tgz_of)):
        (tmp_path / f"{number}.zip").write_bytes(pack(folder_files(run, f"{run.name}/")))
        again = bring(tmp_path / f"{number}.zip")
        assert (again.answers, again.added) == (answers, 0)
        assert sum("another bundle" in item["reason"] for item in again.report) == answers
    assert Submission.objects.count() == answers
    assert Result.objects.count() == 2 * answers


def test_the_same_file_twice_is_refused_and_leads_to_the_first():
    first = keep(lines(row()))
    with pytest.raises(bundle_files.AlreadyThere) as known:
        keep(lines(row()), "other-name.jsonl")
    assert known.value.bundle == first


def test_the_same_folder_twice_is_the_same_bundle():
    first = bundle_files.keep_path(SIMD)
    with pytest.raises(bundle_files.AlreadyThere) as known:
        bundle_files.keep_path(SIMD)
    assert known.value.bundle == first


@pytest.mark.django_db(transaction=True)
def test_the_same_file_uploaded_four_times_at_once_is_one_bundle():
    outcomes: list[str] = []

    def upload() -> None:
        try:
            outcomes.append(keep(lines(row())).uid)
        except bundle_files.AlreadyThere as known:
            outcomes.append(known.bundle.uid)
        connection.close()

    threads = [threading.Thread(target=upload) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 4
    assert len(set(outcomes)) == 1
    bundle = Bundle.objects.get()
    assert [path.name for path in Path(bundle.file.path).parent.iterdir() if bundle.uid in path.name] == [
        Path(bundle.file.name).name
    ]


@pytest.mark.django_db(transaction=True)
def test_two_archives_of_the_same_answers_imported_at_once_add_them_once(tmp_path):
    bundles = []
    for number, pack in enumerate((zip_of, tgz_of)):
        (tmp_path / str(number)).write_bytes(pack(folder_files(SIMD)))
        bundles.append(bundle_reading.read(bundle_files.keep_path(tmp_path / str(number))))

    def work(bundle: Bundle) -> None:
        importing.import_bundle(bundle)
        connection.close()

    threads = [threading.Thread(target=work, args=[bundle]) for bundle in bundles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(bundle.added for bundle in Bundle.objects.all()) == Submission.objects.count() == 26
    assert Result.objects.count() == 52
    assert BundleEntry.objects.filter(first=True).count() == 26


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_import_killed_midway_begins_again_and_ends_the_same(monkeypatch, at):
    monkeypatch.setattr(bundle_reading, "CHUNK", 10)
    bundle = bundle_reading.read(bundle_files.keep_path(PLAIN))
    calls = []

    def killed(rows: int) -> None:
        calls.append(rows)
        if len(calls) == at:
            raise SystemExit

    with pytest.raises(SystemExit):
        importing.import_bundle(bundle, killed)
    bundle.refresh_from_db()
    assert bundle.state == "importing"
    assert 0 < Submission.objects.count() < 40
    tasks.sweep()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.answers, bundle.added, bundle.report) == ("imported", 39, 39, [])
    assert Result.objects.count() == 78


def test_a_bundle_that_somebody_imports_right_now_is_left_to_them():
    bundle = bundle_reading.read(keep(lines(row())))

    def meanwhile(rows: int) -> None:
        with pytest.raises(bundle_lease.Taken):
            importing.import_bundle(Bundle.objects.get())

    importing.import_bundle(bundle, meanwhile)
    assert Bundle.objects.get().state == "imported"


def test_an_unreadable_bundle_says_why_and_may_be_uploaded_again(settings):
    settings.BUNDLE_MAX_ROWS = 1
    bundle = bundle_reading.read(keep(lines(row(), row())))
    assert bundle.state == "failed"
    assert "BUNDLE_MAX_ROWS" in bundle.error
    settings.BUNDLE_MAX_ROWS = 2
    again = bundle_reading.read(keep(lines(row(), row())))
    assert (again.pk, again.state, again.answers) == (bundle.pk, "preview", 2)


def test_a_file_without_rows_is_no_bundle():
    assert "It contains no answer" in bundle_reading.read(keep(b"")).error
    assert "It contains no answer" in bundle_reading.read(keep(zip_of({"readme.txt": b"x"}))).error


def test_an_empty_folder_is_no_bundle(tmp_path):
    with pytest.raises(BundleError):
        bundle_files.keep_path(tmp_path)


def test_a_failure_of_ours_is_tried_again_and_then_shown(monkeypatch):
    bundle = keep(lines(row()))

    def broken(*args, **options):
        raise RuntimeError("a bug")

    monkeypatch.setattr(bundle_reading.archives, "unpack", broken)
    for _ in range(bundle_lease.ATTEMPTS - 1):
        with pytest.raises(RuntimeError):
            bundle_reading.read(bundle)
        bundle.refresh_from_db()
        assert bundle.state == "reading"
    bundle_reading.read(bundle)
    assert bundle.state == "failed"
    assert bundle.error.startswith("RuntimeError: a bug. It is not retried.")


def test_a_made_up_trace_id_publishes_nobody_elses_answer():
    bring(lines(row(trace_id="secret", answer="<answer>int mine;</answer>")), public=False)
    bundle = bring(lines(row(trace_id="secret", answer="<answer>int guess;</answer>")))
    assert (bundle.answers, bundle.added, bundle.skipped) == (0, 0, 1)
    assert "belongs to another answer" in bundle.report[0]["reason"]
    assert not Submission.objects.get().public


def test_nul_and_lone_surrogates_are_made_fit():
    bring(lines(b'{"model": "a\\u0000b", "kernel": "dot_f32", "answer": "x\\ud800y\\u0000"}'))
    assert Submission.objects.get().reply == "x\ufffdy\ufffd"
    assert LanguageModel.objects.get().name == "a\ufffdb"


def test_the_report_is_bounded_and_the_counts_are_not(settings):
    settings.BUNDLE_REPORT_ROWS = 3
    bundle = bundle_reading.read(keep(lines(*[row(kernel="nope")] * 10)))
    assert (len(bundle.report), bundle.skipped, bundle.counts["reasons"]) == (3, 10, {"unknown kernel 'nope'": 10})


def test_reasons_that_are_all_different_are_counted_together_in_the_end(settings):
    settings.BUNDLE_REPORT_ROWS = 3
    bundle = bundle_reading.read(keep(lines(*(row(kernel=f"nope-{number}") for number in range(1100)))))
    assert sum(bundle.counts["reasons"].values()) == bundle.skipped == 1100
    assert len(bundle.counts["reasons"]) <= 51


def test_models_keep_their_case_and_their_exact_name():
    bring(lines(row(model="Lab/Model-A"), row(model="lab/model-a")))
    assert sorted(LanguageModel.objects.values_list("name", "slug")) == [
        ("Lab/Model-A", "lab-model-a"),
        ("lab/model-a", "lab-model-a-2"),
    ]


# Private and public


def grade_everything() -> None:
    for result in Result.objects.queued():
        recording.record_result(claim(result), fake_grader.record(result.kernel.name, result.arch))


def test_what_a_private_bundle_brings_is_private_until_it_is_published():
    bundle = bring(lines(row()), public=False)
    grade_everything()
    assert not Submission.objects.public().exists()
    assert not Result.objects.public().exists()
    assert not Standing.objects.exists()
    assert not LanguageModel.objects.public().exists()
    assert visibility.set_public(bundle, True) == 1
    assert Result.objects.rankable().count() == 2
    assert Standing.objects.count() == 2
    visibility.set_public(bundle, False)
    assert not Standing.objects.exists()
    assert not Result.objects.public().exists()


def test_an_answer_in_a_public_and_a_private_bundle_is_public():
    private = bring(lines(row(trace_id="a"), row(trace_id="b")), public=False)
    grade_everything()
    public = bring(lines(row(trace_id="a")))
    assert Submission.objects.public().count() == 1
    assert Standing.objects.get(arch="amd64").answers == 1
    visibility.set_public(private, False)
    assert Submission.objects.public().count() == 1
    visibility.set_public(public, False)
    assert not Submission.objects.public().exists()


# Deletion


def test_a_bundle_takes_along_what_only_it_brought():
    shared = bring(lines(row(trace_id="a"), row(trace_id="b", model="stub/two")))
    other = bring(lines(row(trace_id="a"), row(trace_id="c")))
    grade_everything()
    loss = deletion.loss(shared)
    assert (loss.submissions, loss.results, loss.models, loss.kept) == (1, 2, ["stub/two"], 1)
    deletion.delete_bundle(shared)
    assert sorted(Submission.objects.values_list("identity", flat=True)) == ["trace:a", "trace:c"]
    assert list(LanguageModel.objects.values_list("name", flat=True)) == ["stub/one"]
    assert Standing.objects.get(arch="amd64").answers == 2
    deletion.delete_bundle(other)
    assert not Submission.objects.exists()
    assert not Result.objects.exists()
    assert not Standing.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_deleted_bundle_leaves_no_file():
    bundle = bring(lines(row()))
    path = Path(bundle.file.path)
    assert path.exists()
    deletion.delete_bundle(bundle)
    assert not path.exists()


def test_deleting_the_public_bundle_makes_shared_answers_private_again():
    public = bring(lines(row(trace_id="a")))
    bring(lines(row(trace_id="a"), row(trace_id="b")), public=False)
    deletion.delete_bundle(public)
    assert Submission.objects.count() == 2
    assert not Submission.objects.public().exists()


def test_deleting_a_bundle_while_it_is_imported_ends_the_import(monkeypatch):
    monkeypatch.setattr(bundle_reading, "CHUNK", 10)
    bundle = bundle_reading.read(bundle_files.keep_path(PLAIN))
    with pytest.raises(bundle_lease.Taken):
        importing.import_bundle(
            bundle, lambda rows: deletion.delete_bundle(Bundle.objects.get()) if Bundle.objects.exists() else None
        )
    assert not Submission.objects.exists()
    assert not Bundle.objects.exists()


def test_deleting_a_bundle_while_an_answer_is_graded_drops_that_grading():
    bundle = bring(lines(row()))
    token = claim(Result.objects.get(arch="amd64"))
    deletion.delete_bundle(bundle)
    assert recording.record_result(token, fake_grader.record("dot_f32", "amd64")) is None

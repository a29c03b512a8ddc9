"""A second suite: boards, scores, exports and addresses are of one suite, and of the first where none is named."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.board.rows import board_rows
from leaderboard.board.selection import Selection
from leaderboard.board.summaries import Summaries
from leaderboard.exports import contents
from leaderboard.models import Kernel, LanguageModel, Submission
from tests.pages import factories
from tests.pages.conftest import Reader

FIRST, SECOND = "arch-kernels-v1", "arch-kernels-v2"
FILTERED = ("/", "/kernels/", "/architectures/", "/compare/", "/changes/", "/queue/", "/machines/", "/models/lab-two-large/")
FIGURES = (
    "/figures/speedup.json",
    "/figures/memory.json",
    "/figures/architectures-memory.json",
    "/figures/models/lab-two-large.json",
    "/figures/models/lab-two-large/scores.json",
    "/figures/models/lab-two-large/bundles.json",
    "/figures/kernels/sort_u32/memory.json",
)
EXPORTS = tuple(f"/export/{table}.csv" for table in contents.TABLES)


def add_second_suite() -> None:
    """Two kernels: large passes one answer of two to the first; a model that answered nothing else passes all; medium is slow."""
    kernels = [factories.make_kernel(name, suite=SECOND, position=50 + i) for i, name in enumerate(("scan_f64", "merge_u32"))]
    large, medium = (LanguageModel.objects.get(name=name) for name in ("lab-two/large", "lab-two/medium-2026-09"))
    newcomer = factories.make_model("lab/newcomer")
    for arch in ("amd64", "arm64"):
        for model, verdicts, speedup in (
            (large, ("passed", "wrong_answer"), 8.0),
            (newcomer, ("passed", "passed"), 8.0),
            (medium, ("passed", "passed"), 1.0),
        ):
            for rollout, verdict in enumerate(verdicts):
                for kernel in kernels:
                    submission, _ = find_or_make(kernel, model, rollout)
                    factories.make_result(submission, arch, verdict, speedup=speedup)


def find_or_make(kernel: Kernel, model: LanguageModel, rollout: int) -> tuple[Any, bool]:
    known = kernel.submissions.filter(model=model, rollout=rollout).first()
    return (known, False) if known else (factories.make_submission(kernel, model, rollout), True)


@pytest.fixture
def two_suites(site: None) -> None:
    add_second_suite()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def by_model(reader: Reader, query: str) -> dict[str, dict[str, str]]:
    return {row["model"]: row for row in rows_of(reader.download(f"/export/leaderboard.csv?arch=amd64{query}"))}


def test_a_second_suite_changes_no_byte_of_the_exports_of_the_first(site: None, reader: Reader) -> None:
    addresses = [*EXPORTS, "/export/compare.csv?model=lab-two-large,lab-two-medium-2026-09", "/export/results.csv?history=1"]
    before = {address: reader.download(address) for address in addresses}
    add_second_suite()
    assert {address: reader.download(address) for address in addresses} == before


@pytest.mark.parametrize("address", [*FIGURES, "/api/leaderboard", "/api/results?limit=1000", "/api/kernels"])
def test_nor_a_figure_or_an_answer_to_a_program(site: None, reader: Reader, address: str) -> None:
    before = reader.json(address)
    add_second_suite()
    after = reader.json(address)
    assert after.get("items", after) == before.get("items", before)


def test_scores_and_ranks_are_of_the_suites_own_kernels(two_suites: None, reader: Reader) -> None:
    rows = by_model(reader, f"&suite={SECOND}")
    assert set(rows) == {"lab-two/large", "lab-two/medium-2026-09", "lab/newcomer"}
    assert {name: float(row["score"]) for name, row in rows.items()} == {
        "lab-two/large": 0.5,
        "lab-two/medium-2026-09": 0.5,
        "lab/newcomer": 1.0,
    }
    assert rows["lab/newcomer"]["rank_low"] == "1"
    assert rows["lab/newcomer"]["answers"] == "4"
    first = by_model(reader, "")
    assert "lab/newcomer" not in first
    assert float(first["lab-two/large"]["score"]) != 0.5
    assert first == by_model(reader, f"&suite={FIRST}")


def test_results_kernels_and_machines_of_an_export_are_the_suites(two_suites: None, reader: Reader) -> None:
    for table in ("results", "kernels"):
        both = [{row["kernel"] for row in rows_of(reader.download(f"/export/{table}.csv?suite={s}"))} for s in (FIRST, SECOND)]
        assert both == [{name for name, *_ in factories.KERNELS}, {"scan_f64", "merge_u32"}]
    assert rows_of(reader.download(f"/export/machines.csv?suite={SECOND}")) == []  # measured on none that is known
    assert rows_of(reader.download("/export/machines.csv"))


def test_the_sidecar_names_another_suite_and_has_its_kernels(two_suites: None, reader: Reader) -> None:
    assert "suite" not in reader.json("/export/leaderboard.meta.json")["filters"]
    meta = reader.json(f"/export/leaderboard.meta.json?suite={SECOND}")
    assert meta["filters"]["suite"] == SECOND
    assert set(meta["kernels"]) == {"scan_f64", "merge_u32"}


def test_ratios_and_comparisons_are_of_one_suite(two_suites: None, reader: Reader) -> None:
    ratios = rows_of(reader.download(f"/export/architectures.csv?suite={SECOND}"))
    assert {row["kernel"] for row in ratios} == {"all", "scan_f64", "merge_u32"}
    text = reader.page(f"/compare/?models=lab-two-large,lab-two-medium-2026-09&suite={SECOND}")
    assert "scan_f64" in text
    assert "sort_u32" not in text
    assert "lab/newcomer" in text
    assert "lab/newcomer" not in reader.page("/compare/")


@pytest.mark.parametrize("address", [*FILTERED, *FIGURES, *EXPORTS, "/export/leaderboard.meta.json"])
def test_an_unknown_suite_is_answered_with_400_and_those_there_are(two_suites: None, reader: Reader, address: str) -> None:
    text = reader.page(f"{address}?suite=arch-kernels-v9", status=400)
    assert f"There is no suite of that name. There are: {FIRST}, {SECOND}." in text
    assert "more than once" in reader.page(f"{address}?suite={FIRST}&suite={SECOND}", status=400)


@pytest.mark.parametrize("address", ["/api/leaderboard", "/api/results", "/api/kernels"])
def test_so_does_the_api_with_404(two_suites: None, reader: Reader, address: str) -> None:
    said = json.loads(reader.page(f"{address}?suite=arch-kernels-v9", status=404))["detail"]
    assert said == f"There is no suite of that name. There are: {FIRST}, {SECOND}."


def test_the_api_reads_another_suite(two_suites: None, reader: Reader) -> None:
    assert [item["name"] for item in reader.json(f"/api/kernels?suite={SECOND}")["items"]] == ["scan_f64", "merge_u32"]
    assert {item["kernel"] for item in reader.json(f"/api/results?suite={SECOND}")["items"]} == {"scan_f64", "merge_u32"}
    assert len(reader.json(f"/api/leaderboard?suite={SECOND}")["items"]) == 3 * 2


@pytest.mark.parametrize("query", ["kernel=scan_f64", f"kernel=scan_f64,sort_u32&suite={SECOND}", "kernel=sort_u32,scan_f64"])
def test_kernels_of_two_suites_are_not_chosen_together(two_suites: None, reader: Reader, query: str) -> None:
    text = reader.page(f"/?{query}", status=400)
    assert "is not in the suite" in text
    assert "add suite=" in text


@pytest.mark.parametrize("address", [*FILTERED, "/kernels/scan_f64/"])
def test_addresses_leave_the_first_suite_out_and_keep_another(two_suites: None, reader: Reader, address: str) -> None:
    assert f"suite={FIRST}" not in reader.page(address)
    assert f"suite={SECOND}" in reader.page(f"{address}?suite={SECOND}")


def test_where_there_is_one_suite_no_page_speaks_of_it(site: None, reader: Reader) -> None:
    for address in FILTERED:
        text = reader.page(address)
        assert "suite=" not in text
        assert "Suite" not in text


def test_where_there_are_two_a_reader_chooses(two_suites: None, reader: Reader) -> None:
    for address in ("/", "/kernels/", "/models/lab-two-large/"):
        assert f"suite={SECOND}" in reader.page(address)
        text = reader.page(f"{address}?suite={SECOND}")
        assert "scan_f64" in text
        assert "sort_u32" not in text


def test_a_kernels_page_is_of_its_suite_without_being_told(two_suites: None, reader: Reader) -> None:
    text = reader.page("/kernels/scan_f64/")
    assert "lab/newcomer" in text
    assert text == reader.page(f"/kernels/scan_f64/?suite={SECOND}")
    assert f"kernel=scan_f64&amp;suite={SECOND}" in text


def test_the_queue_is_of_all_suites(two_suites: None, reader: Reader) -> None:
    submission = factories.make_submission(Kernel.objects.get(name="scan_f64"), LanguageModel.objects.get(name="lab/newcomer"), 7)
    factories.make_queued(submission, state="running", started_at=factories.WHEN, attempt=1)
    assert "scan_f64" in reader.page("/queue/")
    assert "scan_f64" in reader.page(f"/queue/?suite={SECOND}")


def test_a_kernel_that_changes_its_suite_takes_its_answers_along(two_suites: None) -> None:
    def answers(suite: str) -> int:
        rows = board_rows(Selection(arch="amd64", suite=suite))
        return next(row.summary.answers for row in rows if row.model.name == "lab-two/large")

    before = answers(FIRST), answers(SECOND)
    Kernel.objects.filter(name="sort_u32").update(suite=SECOND)
    assert (answers(FIRST), answers(SECOND)) == (before[0] - 3, before[1] + 3)
    Kernel.objects.update(suite=FIRST)
    assert answers(FIRST) == sum(before)


def test_a_suite_without_kernels_is_not_one_of_all(two_suites: None, reader: Reader) -> None:
    Kernel.objects.exclude(suite=SECOND).update(suite="arch-kernels-v0")
    assert board_rows(Selection()) == []
    assert Summaries().of("amd64") == {}
    assert rows_of(reader.download("/export/results.csv")) == []
    assert reader.page("/")


def test_commands_take_a_suite(two_suites: None, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("export", "leaderboard", "--suite", SECOND, "--arch", "amd64")
    assert {row["model"] for row in rows_of(capsys.readouterr().out)} == {
        "lab-two/large",
        "lab-two/medium-2026-09",
        "lab/newcomer",
    }
    call_command("report", str(tmp_path / "report"), "--suite", SECOND)
    text = (tmp_path / "report" / "README.md").read_text()
    assert text.startswith("# Arch Kernels v2: results")
    assert "scan_f64" in text
    assert "sort_u32" not in text
    call_command("regrade", "--suite", SECOND, "--arch", "amd64")
    assert "12 gradings queued" in capsys.readouterr().out
    for command in (("export", "results"), ("report", str(tmp_path / "none")), ("regrade",), ("figures", str(tmp_path / "none"))):
        with pytest.raises(CommandError, match=r"no suite"):
            call_command(*command, "--suite", "arch-kernels-v9")
    assert not (tmp_path / "none").exists()


def test_the_report_of_the_first_suite_is_not_changed_by_a_second(site: None, tmp_path: Any) -> None:
    Submission.objects.update(completion_tokens=100, cut_short=True)
    factories.make_bundle("first.zip", submissions=(Submission.objects.filter(model__kind="llm").first(),))
    call_command("report", str(tmp_path / "before"))
    add_second_suite()
    second = Submission.objects.filter(kernel__suite=SECOND)
    second.update(completion_tokens=90_000, source=None)
    factories.make_bundle("second.zip", submissions=(second.first(),))
    machine = factories.make_machine(cpu_model="Second CPU", flags="-O1")
    for fields in ({"flagged": True}, {"emulated": True}, {"invalidated": True, "is_current": False}, {"measurement": "0.1"}):
        rollout = second.count()
        odd, _ = find_or_make(Kernel.objects.get(name="scan_f64"), LanguageModel.objects.get(name="lab-two/large"), rollout)
        factories.make_result(odd, machine=machine, graded_at=factories.WHEN + timedelta(days=9), **fields)
    call_command("report", str(tmp_path / "after"))
    before, after = (
        {path.name: path.read_text() for path in (tmp_path / name).rglob("*") if path.is_file()} for name in ("before", "after")
    )
    assert after == before
    call_command("report", str(tmp_path / "second"), "--suite", SECOND)
    text = (tmp_path / "second" / "README.md").read_text()
    assert [row.split(" | ")[2] for row in text.splitlines() if row.startswith("| lab/newcomer") and "90,000" in row] == [
        "90,000"
    ]
    assert "second.zip" in text
    assert "first.zip" not in text
    assert "Second CPU" in text
    assert "Left out here: declared invalid by a person: 1; too good" in text
    assert "EPYC" not in text


def test_versions_are_listed_by_suite(two_suites: None, reader: Reader) -> None:
    assert "scan_f64" not in reader.page("/changes/")
    text = reader.page(f"/changes/?suite={SECOND}")
    assert "scan_f64" in text
    assert "sort_u32" not in text


def test_a_model_is_not_provisional_for_what_waits_in_another_suite(two_suites: None, reader: Reader) -> None:
    model = factories.make_model("lab/half")
    factories.make_result(factories.make_submission(Kernel.objects.get(name="sort_u32"), model))
    waiting = factories.make_submission(Kernel.objects.get(name="scan_f64"), model)
    queued = factories.make_queued(waiting, state="queued")
    assert "rovisional" not in reader.page("/?arch=amd64")
    queued.submission.kernel.suite = FIRST
    queued.submission.kernel.save()
    assert "provisional" in reader.page("/?arch=amd64")


NO_SUITES = {
    "unknown": "nosuch",
    "other case": "ARCH-KERNELS-V1",
    "two": f"{FIRST},{SECOND}",
    "NUL": "%00",
    "half a surrogate pair": "%ED%A0%80",
    "no UTF-8": "%ff",
    "very long": "x" * 5000,
    "spaces": "%20%20",
    "SQL and markup": "'%20OR%201=1--%3Cscript%3E",
    "given twice": f"{FIRST}&suite={SECOND}",
    "a kernel of another": f"{SECOND}&kernel=dot_f32",
    "another's kernel in the default": "&kernel=scan_f64",
}


def test_what_is_no_suite_is_refused_on_every_page_in_every_export_figure_and_by_the_api(
    two_suites: None, reader: Reader
) -> None:
    exports = [f"/export/{table}.{form}" for table in contents.TABLES for form in contents.formats_of(table)]
    sidecars = [f"/export/{table}.meta.json" for table in contents.TABLES]
    more = ("/kernels/sort_u32/", "/figures/kernels/sort_u32/answers-amd64.json", "/figures/speedup.svg", "/figures/compare.json")
    api = ("/api/leaderboard", "/api/results", "/api/kernels")
    for value in NO_SUITES.values():
        for address in (*FILTERED, *FIGURES, *more, *exports, *sidecars, *api):
            response = reader.client.get(f"{address}?suite={value}")
            if address == "/api/kernels" and "kernel=" in value:
                continue  # it has no such parameter
            assert 400 <= response.status_code < 500, (address, value, response.status_code)
            said = response.content.decode()
            assert len(said) < 20_000
            assert "<script>" not in said, (address, value)


def test_an_empty_suite_is_the_first(two_suites: None, reader: Reader) -> None:
    for address in (*FILTERED, *FIGURES, *EXPORTS, "/api/leaderboard", "/api/results", "/api/kernels"):
        assert reader.client.get(f"{address}?suite=").status_code == 200, address


def test_commands_refuse_what_is_no_suite_with_a_sentence(two_suites: None, tmp_path: Any) -> None:
    for name in ("nosuch", "\x00", "x" * 5000, "\udc80", "'; --", " "):
        for command in (("export", "leaderboard"), ("figures", str(tmp_path)), ("report", str(tmp_path)), ("regrade",)):
            with pytest.raises(CommandError):
                call_command(*command, suite=name)

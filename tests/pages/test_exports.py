import csv
import io
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from leaderboard.exports.columns import LEADERBOARD_COLUMNS, RESULT_COLUMNS, SHOWN
from leaderboard.exports.formats import cell
from leaderboard.models import Kernel, LanguageModel
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db

LEADERBOARD_HEADER = (
    "model,kind,arch,answers,passed,pass_rate,pass_rate_low,pass_rate_high,score,score_low,score_high,"
    "speedup_geomean,speedup_low,speedup_high,extra_mb_geomean,extra_share_of_limit,rank_low,rank_high,"
    "kernels,speedup_failures_1x,speedup_failures_1x_low,speedup_failures_1x_high,extra_mb_low,extra_mb_high,extra_share_of_reference,"
    "throughput_geomean_m,fast_1,fast_2,fast_4,fast_8"
)
RESULTS_HEADER = (
    "submission,model,kind,kernel,kernel_version,arch,rollout,verdict,answer_parsed,compiled,correct,within_memory,passed,kernel_score,"
    "speedup,speedup_low,speedup_high,sol_ms,ref_ms,throughput_m,extra_mb,peak_mb,emulated,sandbox,machine,cpu_model,compiler,bundle,"
    "graded_at,source_sha256,flagged,invalidated,outdated,weights,temperature,max_tokens,answer_from"
)
SHA256 = "bde65fd0badf3bfbc6cbd2e9f8640b7db6c4c3fbd125fef8ad3b412f0f4cf309"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_columns_are_the_contracts() -> None:
    found = [column.name for column in LEADERBOARD_COLUMNS]
    assert ",".join(found).startswith(f"{LEADERBOARD_HEADER},")  # new ones are at the end
    assert set(SHOWN) <= set(found)
    assert ",".join(column.name for column in RESULT_COLUMNS).startswith(RESULTS_HEADER)


@pytest.mark.usefixtures("first_formula")
def test_results_have_exactly_these_bytes(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    passed = factories.make_submission(kernel, model, 0, uid="aaaaaaaaaa")
    silent = factories.make_submission(kernel, model, 1, uid="bbbbbbbbbb", source=None)
    machine = factories.make_machine(uid="mmmmmmmmmm", cpu_model='AMD "EPYC", 9R14')
    bundle = factories.make_bundle(submissions=(passed, silent))
    factories.make_result(
        passed, machine=machine, speedup=8.0, speedup_low=7.9, speedup_high=8.1, throughput_m=9586.75, extra_mb=1 / 3
    )
    factories.make_result(silent, verdict="no_answer", graded_at=datetime(2026, 11, 27, 14, 2, 9, 123456, tzinfo=UTC))
    assert reader.download(f"/export/results.csv?columns={RESULTS_HEADER}") == (
        f"{RESULTS_HEADER}\n"
        "aaaaaaaaaa,lab/one,llm,dot_f32,1.1+3f9c21ab,amd64,0,passed,1,1,1,1,1,1.0,8.0,7.9,8.1,1.75,14.0,9586.75,0.3333333333333333,"
        f'140.25,0,local,mmmmmmmmmm,"AMD ""EPYC"", 9R14",gcc 14.2.0,{bundle.uid},2026-11-27T14:02:09+00:00,'
        f"{SHA256},0,0,0,,,,text\n"
        "bbbbbbbbbb,lab/one,llm,dot_f32,1.1+3f9c21ab,amd64,1,no_answer,0,,,,0,0.0,,,,,,,,,0,local,,,,"
        f"{bundle.uid},2026-11-27T14:02:09.123456+00:00,,0,0,0,,,,\n"
    )


@pytest.mark.usefixtures("first_formula")
def test_the_leaderboard_has_exactly_these_bytes(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    naive = factories.make_model("naive", kind="baseline")
    factories.make_result(factories.make_submission(kernel, naive), speedup=1.0)
    factories.make_result(factories.make_submission(kernel, model, 0), speedup=8.0, extra_mb=0.5)
    factories.make_result(factories.make_submission(kernel, model, 1), verdict="wrong_answer")
    factories.make_result(factories.make_submission(kernel, model, 2), arch="arm64", verdict="wrong_answer")
    assert reader.download(f"/export/leaderboard.csv?columns={LEADERBOARD_HEADER}") == (
        f"{LEADERBOARD_HEADER}\n"
        "lab/one,llm,amd64,2,1,0.5,0.09453120573423074,0.9054687942657693,0.5,0.0,1.0,7.999999999999998,,,0.5,0.12500000000000003,"
        "1,1,1,2.82842712474619,5.177520874537574e-06,1545141.0421816024,,,127.99999999999997,9588.57142857143,0.5,0.5,0.5,0.0\n"
        "naive,baseline,amd64,1,1,1.0,0.20654931437723745,1.0,0.5,,,1.0,,,0.003906250000000001,0.0009765625,,,"
        "1,1.0,,,,,1.0,1198.5714285714282,1.0,0.0,0.0,0.0\n"
        "lab/one,llm,arm64,1,0,0.0,0.0,0.7934506856227626,0.0,,,,,,,,1,1,1,1.0,,,,,,,0.0,0.0,0.0,0.0\n"
    )


def test_numbers_keep_full_precision_and_values_their_kind() -> None:
    assert [cell(value) for value in (0.1 + 0.2, 1e-9, 1e300, True, False, None, 7)] == [
        "0.30000000000000004",
        "1e-09",
        "1e+300",
        "1",
        "0",
        "",
        "7",
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_text_that_a_spreadsheet_would_run_is_defused(start: str, kernel: Kernel, reader: Reader) -> None:
    name = f"{start}cmd|' /C calc'!A0"
    factories.make_result(factories.make_submission(kernel, factories.make_model(name, slug="formula")))
    for address in ("/export/results.csv", "/export/leaderboard.csv"):
        (row,) = rows_of(reader.download(address))
        assert row["model"] == f"'{name}"


def test_negative_numbers_are_left_alone() -> None:
    assert cell(-0.5) == "-0.5"


def test_filters_choose_rows(site: None, reader: Reader) -> None:
    rows = rows_of(reader.download("/export/results.csv?arch=arm64&kernel=sort_u32&model=lab-two-large"))
    assert {(row["arch"], row["kernel"], row["model"]) for row in rows} == {("arm64", "sort_u32", "lab-two/large")}
    assert [row["rollout"] for row in rows] == ["0", "1", "2"]
    assert len(rows_of(reader.download("/export/leaderboard.csv?model=lab-two/large,tuned"))) == 4


def test_a_table_for_a_paper_has_the_chosen_columns_in_the_tables_order(site: None, reader: Reader) -> None:
    text = reader.download("/export/leaderboard.md?arch=amd64&columns=score,model")
    assert "| model | score |" in text
    refused = reader.page("/export/leaderboard.md?columns=model,nonsense", status=400)
    assert "leaderboard has no column nonsense" in refused
    with pytest.raises(CommandError, match="no column nonsense"):
        call_command("export", "leaderboard", "--columns", "nonsense")


def test_without_filters_both_architectures_are_there(site: None, reader: Reader) -> None:
    rows = rows_of(reader.download("/export/results.csv"))
    assert len(rows) == 2 * len(factories.KERNELS) * (2 + 4 * 3)
    assert {row["arch"] for row in rows} == {"amd64", "arm64"}


def test_history_adds_what_newer_results_replaced(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, speedup=2.0, is_current=False, invalidated=True)
    factories.make_result(submission, speedup=4.0)
    factories.make_queued(submission)
    assert [row["speedup"] for row in rows_of(reader.download("/export/results.csv"))] == ["4.0"]
    assert [row["speedup"] for row in rows_of(reader.download("/export/results.csv?history=1"))] == ["2.0", "4.0"]
    assert [row["speedup"] for row in rows_of(reader.download("/export/results.csv?history=0"))] == ["4.0"]


def test_of_a_private_and_a_public_bundle_only_the_public_one_is_named(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_bundle("secret.zip", public=False, submissions=(submission,))
    bundle = factories.make_bundle("open.zip", submissions=(submission,))
    factories.make_result(submission)
    (row,) = rows_of(reader.download("/export/results.csv"))
    assert row["bundle"] == bundle.uid


def test_results_stream_in_chunks_and_hold_every_row(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    from leaderboard.models import Result

    submissions = [factories.make_submission(kernel, model, rollout) for rollout in range(30)]
    Result.objects.bulk_create([factories.build_result(s, is_current=False) for s in submissions for _ in range(80)])
    response = reader.client.get("/export/results.csv?history=1")
    chunks = list(response.streaming_content)  # type: ignore[attr-defined]
    assert [chunk.count(b"\n") for chunk in chunks] == [1001, 1000, 400]


def test_the_exports_take_a_bounded_number_of_queries(site: None, reader: Reader, django_assert_max_num_queries: object) -> None:
    for address in ("/export/results.csv", "/export/leaderboard.csv"):
        with django_assert_max_num_queries(8):  # type: ignore[operator]
            reader.download(address)

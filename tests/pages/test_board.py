import csv

import pytest
from django.test import Client

from leaderboard.board import summaries
from leaderboard.board.rows import METRICS, board_lines, board_rows
from leaderboard.board.selection import Selection
from leaderboard.figures.forest import forest
from leaderboard.models import Kernel, LanguageModel, Result
from leaderboard.services import standings
from tests.pages import factories

pytestmark = pytest.mark.django_db


def test_models_are_ordered_by_the_chosen_metric(kernel: Kernel) -> None:
    fast, lean = factories.make_model("fast"), factories.make_model("lean")
    factories.make_result(factories.make_submission(kernel, fast), speedup=8.0, extra_mb=2.0)
    factories.make_result(factories.make_submission(kernel, lean), speedup=2.0, extra_mb=0.5)
    for sort, order in (("score", ["fast", "lean"]), ("speedup", ["fast", "lean"]), ("memory", ["lean", "fast"])):
        assert [row.model.name for row in board_rows(Selection(arch="amd64", sort=sort))] == order


def test_a_model_without_a_value_sorts_last_and_has_no_rank(kernel: Kernel) -> None:
    for name, verdict in (("aaa", "wrong_answer"), ("zzz", "passed")):
        factories.make_result(factories.make_submission(kernel, factories.make_model(name)), verdict=verdict)
    rows = board_rows(Selection(arch="amd64", sort="speedup"))
    assert [(row.model.name, row.rank) for row in rows] == [("zzz", (1, 1)), ("aaa", None)]


def test_equal_models_share_a_rank_and_stand_by_name(kernel: Kernel) -> None:
    for name in ("b", "a", "c"):
        factories.make_result(factories.make_submission(kernel, factories.make_model(name)), speedup=4.0)
    rows = board_rows(Selection(arch="amd64"))
    assert [(row.model.name, row.rank) for row in rows] == [("a", (1, 3)), ("b", (1, 3)), ("c", (1, 3))]


def test_models_tie_where_the_interval_of_their_difference_holds_0(kernel: Kernel) -> None:
    speeds = {"fast": (7.9, 8.0, 8.1), "wide": (2.0, 3.0, 4.0), "alike": (2.1, 3.1, 4.1), "slow": (1.1, 1.1, 1.2)}
    for name, speedups in speeds.items():
        model = factories.make_model(name)
        for rollout, speedup in enumerate(speedups):
            factories.make_result(factories.make_submission(kernel, model, rollout), speedup=speedup)
    rows = {row.model.name: row.rank for row in board_rows(Selection(arch="amd64", sort="speedup"))}
    assert rows == {"fast": (1, 1), "wide": (2, 3), "alike": (2, 3), "slow": (4, 4)}


def test_a_copy_of_a_model_ties_with_it_and_changes_no_other_number(site: None) -> None:
    before = {row.model.name: row.summary for row in board_rows(Selection(arch="amd64"))}
    twin = factories.make_model("twin")
    for result in list(Result.objects.filter(model__slug="lab-two-large", arch="amd64").select_related("submission", "kernel")):
        submission = factories.make_submission(result.kernel, twin, result.submission.rollout)
        factories.build_result(submission, verdict=result.verdict, speedup=result.speedup or 4.0, extra_mb=result.extra_mb).save()
    standings.recompute(standings.cells_of(Result.objects.by(twin)))
    rows = {row.model.name: row for row in board_rows(Selection(arch="amd64"))}
    assert rows["twin"].rank == rows["lab-two/large"].rank
    assert {name: row.summary for name, row in rows.items() if name != "twin"} == before


def test_a_new_result_is_on_the_next_page(kernel: Kernel, model: LanguageModel) -> None:
    factories.make_result(factories.make_submission(kernel, model), speedup=2.0)
    assert board_rows(Selection(arch="amd64"))[0].summary.answers == 1
    factories.make_result(factories.make_submission(kernel, model, 1), speedup=2.0)
    assert board_rows(Selection(arch="amd64"))[0].summary.answers == 2


def test_what_housekeeping_has_warmed_is_not_computed_again(site: None, monkeypatch: pytest.MonkeyPatch) -> None:
    summaries.warm()
    monkeypatch.setattr(summaries.Summaries, "cells", None)  # whoever computes falls over it
    for sort in METRICS:
        assert board_rows(Selection(sort=sort))


def test_ranking_by_fast_p_takes_the_chosen_p(kernel: Kernel) -> None:
    for name, speedups in (("steady", (1.5, 1.5)), ("bold", (0.5, 30.0))):
        model = factories.make_model(name)
        for rollout, speedup in enumerate(speedups):
            factories.make_result(factories.make_submission(kernel, model, rollout), speedup=speedup)
    assert board_rows(Selection(arch="amd64", sort="fast", p=1.0))[0].model.name == "steady"
    assert board_rows(Selection(arch="amd64", sort="fast", p=8.0))[0].model.name == "bold"


def test_baselines_stand_in_the_order_but_take_no_rank(kernel: Kernel) -> None:
    for name, kind, speedup in (("tuned", "baseline", 8.0), ("one", "llm", 4.0), ("naive", "baseline", 1.0)):
        factories.make_result(factories.make_submission(kernel, factories.make_model(name, kind=kind)), speedup=speedup)
    rows = board_rows(Selection(arch="amd64"))
    assert [(row.model.name, row.rank) for row in rows] == [("tuned", None), ("one", (1, 1)), ("naive", None)]


@pytest.mark.parametrize("reason", ["emulated", "flagged", "outdated", "private", "invalidated", "not current"])
def test_what_does_not_count_is_not_on_the_board(reason: str, kernel: Kernel, model: LanguageModel) -> None:
    good = factories.make_submission(kernel, model, 0)
    other = factories.make_submission(kernel, model, 1, public=reason != "private")
    factories.make_result(good, speedup=2.0)
    more = {
        "emulated": {"emulated": True},
        "flagged": {"flagged": True},
        "outdated": {"measurement": "1.0"},
        "private": {},
        "invalidated": {"invalidated": True, "is_current": False},
        "not current": {"is_current": False},
    }[reason]
    factories.make_result(other, speedup=1000.0, **more)
    (row,) = board_rows(Selection(arch="amd64"))
    assert row.summary.answers == 1
    assert row.summary.speedup.value == pytest.approx(2.0)


def test_the_kernel_and_model_filters_narrow_the_board(site: None) -> None:
    chosen = Kernel.objects.get(name="sort_u32")
    wanted = LanguageModel.objects.get(slug="lab-two-large")
    (row,) = board_rows(Selection(arch="amd64", kernels=(chosen,), models=(wanted,)))
    assert row.model == wanted
    assert row.summary.kernels == 1


@pytest.mark.usefixtures("first_formula")
def test_side_by_side_a_model_without_results_on_one_architecture_shows_dashes(kernel: Kernel, model: LanguageModel) -> None:
    factories.make_result(factories.make_submission(kernel, model), arch="arm64")
    selection = Selection(arch="both")
    table = forest(board_lines(board_rows(selection), selection.archs), selection, 1)
    (row,) = table.rows
    assert row.ranks == (("amd64", "–"), ("arm64", "1"))
    assert [entry.text for entry in row.cells[0].entries] == ["–", "0.83"]
    assert row.note == "nothing graded on amd64"


def test_a_model_that_answered_some_kernels_only_says_so(kernel: Kernel, model: LanguageModel) -> None:
    factories.make_kernel("sort_u32")
    factories.make_result(factories.make_submission(kernel, model))
    selection = Selection(arch="amd64")
    table = forest(board_lines(board_rows(selection), selection.archs), selection, 2)
    assert table.rows[0].note == "1 of 2 kernels"


def test_a_model_is_provisional_while_its_answers_to_further_kernels_wait(
    client: Client, kernel: Kernel, model: LanguageModel
) -> None:
    further = factories.make_kernel("sort_u32")
    factories.make_result(factories.make_submission(kernel, model))
    waiting = factories.make_submission(further, model)
    job = {"submission": waiting, "kernel": further, "model": model, "state": "queued"}
    Result.objects.create(arch="arm64", public=True, **job)
    assert "provisional" not in client.get("/").content.decode()  # what waits for arm64 changes nothing here
    Result.objects.create(arch="amd64", public=False, **job)
    assert "rovisional" not in client.get("/").content.decode()  # nobody learns of a private one
    Result.objects.filter(arch="amd64", state="queued").update(public=True)
    page = client.get("/").content.decode()
    assert "provisional, 1 of 2 kernels" in page
    assert "<b>provisional</b> while further answers wait" in page


def test_marks_and_reference_lines_stay_inside_their_column(site: None) -> None:
    selection = Selection(arch="both")
    table = forest(board_lines(board_rows(selection), selection.archs), selection, len(factories.KERNELS))
    positions = [
        float(text.rstrip("%"))
        for row in table.rows
        for cell in row.cells
        for entry in cell.entries
        for text in (entry.x, entry.low, entry.high, *(x for _, x in cell.column.lines))
        if text
    ]
    assert len(positions) > 100
    assert all(0 <= position <= 100 for position in positions)
    assert {name for column in table.columns for name, _ in column.lines} == {"naive", "tuned"}


def test_the_board_equals_one_made_from_rebuilt_standings(site: None) -> None:
    before = board_rows(Selection())
    standings.rebuild()
    assert board_rows(Selection()) == before


def results_of(name: str, scores: dict[str, list[float]], arch: str = "amd64") -> LanguageModel:
    """A model with graded answers: the scores of each kernel."""
    model = factories.make_model(name)
    for kernel, own in scores.items():
        for score in own:
            submission = factories.make_submission(Kernel.objects.get(name=kernel), model)
            factories.make_result(submission, arch=arch, speedup=64 ** (score - 0.5))
    return model


def test_models_that_lack_a_kernel_stand_below_without_a_rank_and_move_nobodys(client: Client, db: None) -> None:
    for name in ("dot_f32", "sort_u32"):
        factories.make_kernel(name)
    for n, (low, high) in enumerate(((0.5, 0.55), (0.6, 0.7), (0.8, 0.82))):
        results_of(f"lab/complete-{n}", {"dot_f32": [low, high], "sort_u32": [low, high]})

    def complete() -> dict[str, tuple[object, ...]]:
        rows = board_rows(Selection(arch="amd64"))
        return {row.model.name: (row.rank, row.summary.score, row.summary.speedup) for row in rows if row.is_complete}

    before = complete()
    assert [rank for rank, *_ in before.values()] == [(1, 1), (2, 2), (3, 3)]
    for n in range(20):
        results_of(f"lab/part-{n}", {"dot_f32": [0.99, 1.0]})
    summaries.warm()
    assert complete() == before
    rows = board_rows(Selection(arch="amd64"))
    assert [row.is_complete for row in rows] == [True] * 3 + [False] * 20
    assert {row.rank for row in rows[3:]} == {None}
    page = client.get("/").content.decode()
    assert page.index("complete-0") < page.index('class=" incomplete"') < page.index("part-0")
    assert "Below the line" in page
    table = client.get("/export/leaderboard.csv?arch=amd64").getvalue().decode()
    (part,) = (row for row in csv.DictReader(table.splitlines()) if row["model"] == "lab/part-0")
    assert (part["rank_low"], part["rank_high"]) == ("", "")


def test_of_one_kernel_a_model_that_answered_only_that_is_complete(db: None) -> None:
    kernel = factories.make_kernel("dot_f32")
    factories.make_kernel("sort_u32")
    results_of("lab/part", {"dot_f32": [0.9, 0.95]})
    (row,) = board_rows(Selection(arch="amd64", kernels=(kernel,)))
    assert row.is_complete
    assert row.rank == (1, 1)

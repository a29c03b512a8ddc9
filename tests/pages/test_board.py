import pytest

from leaderboard.board import board_lines, board_rows
from leaderboard.forest import forest
from leaderboard.models import Kernel, LanguageModel
from leaderboard.selection import Selection
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


def test_marks_and_reference_lines_stay_inside_their_column(site: None) -> None:
    selection = Selection(arch="both")
    table = forest(board_lines(board_rows(selection), selection.archs), selection, 13)
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

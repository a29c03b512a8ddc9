"""Another formula of the score: nothing that is shown, exported or compared mixes it with the one before."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from math import log
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.html import escape

from grading import scoring
from leaderboard.board import worked_examples
from leaderboard.lib import formatting
from leaderboard.models import LanguageModel, Result, Standing
from leaderboard.models.querysets import ResultQuerySet
from leaderboard.services import standings
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db
Row = dict[str, str]


def another_formula(speedup: float) -> float:
    """In 0 to 1, growing, and like the present one nowhere."""
    return 0.1 + 0.3 * speedup / (1 + speedup)


@pytest.fixture
def changed(site: None, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site whose pages have been looked at, then the formula changed, and its scores rebuilt."""
    for address in ("/", "/architectures/", "/export/leaderboard.json", "/api/leaderboard", "/figures/speedup.json"):
        reader.client.get(address)
    monkeypatch.setattr(scoring, "speedup_score", another_formula)
    call_command("rebuild_standings")


def table(reader: Reader, address: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(reader.download(address))))


def expected(results: list[Row]) -> dict[tuple[str, str, str], list[float]]:
    """{(model, arch, kernel): the scores by hand}, from the speedups and verdicts that results.csv has."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in results:
        score = another_formula(float(row["speedup"])) if row["verdict"] == "passed" else 0.0
        found[row["model"], row["arch"], row["kernel"]].append(score)
    return dict(found)


def test_every_score_of_an_answer_is_of_the_new_formula(changed: None, reader: Reader) -> None:
    for row in table(reader, "/export/results.csv?history=1"):
        score = another_formula(float(row["speedup"])) if row["passed"] == "1" else 0.0
        assert float(row["kernel_score"]) == pytest.approx(score)
    page = reader.json("/api/results?limit=1000")["items"]
    assert page
    for row in page:
        assert row["kernel_score"] == pytest.approx(another_formula(row["speedup"]) if row["passed"] else 0.0)
    result = Result.objects.filter(passed=True).select_related("submission").first()
    assert result
    record = reader.json(f"/submissions/{result.submission.uid}/record.json")
    (own,) = [one for one in record["results"] if one["arch"] == result.arch]
    assert own["kernel_score"] == pytest.approx(another_formula(own["speedup"]))
    assert f"score {another_formula(result.speedup or 0):.3f}" in reader.page(f"/submissions/{result.submission.uid}/")


def test_every_mean_is_of_the_new_formula(changed: None, reader: Reader) -> None:
    by_cell = expected(table(reader, "/export/results.csv"))
    for row in table(reader, "/export/kernels.csv"):
        assert float(row["score"]) == pytest.approx(fmean(by_cell[row["model"], row["arch"], row["kernel"]]))
    kernels = defaultdict(list)
    for (model, arch, _), scores in by_cell.items():
        kernels[model, arch].append(scores)
    shown = reader.json("/api/leaderboard")["items"]
    board = table(reader, "/export/leaderboard.csv")
    assert len(board) == len(shown) == len(kernels)
    for row, api in zip(board, shown, strict=True):
        own = kernels[row["model"], row["arch"]]
        assert float(row["score"]) == pytest.approx(fmean(map(fmean, own)))
        assert api["score"] == pytest.approx(float(row["score"]))
        if row["score_low"]:
            assert float(row["score_low"]) <= float(row["score"]) <= float(row["score_high"])
        if row["best_of_2"]:
            best = [fmean(map(max, combinations(scores, 2))) for scores in own]
            assert float(row["best_of_2"]) == pytest.approx(fmean(best))
    board_page = reader.page("/?arch=both")
    for row in board:
        assert formatting.score(float(row["score"])) in board_page
    for model in LanguageModel.objects.filter(kind="llm"):
        page = reader.page(f"/models/{model.slug}/")
        for row in board:
            if row["model"] == model.name:
                assert re.search(rf"<dd>\s*{re.escape(formatting.score(float(row['score'])))}", page)


def test_figures_comparisons_and_ranks_are_of_the_new_formula(changed: None, reader: Reader) -> None:
    by_cell = expected(table(reader, "/export/results.csv"))
    first, second = LanguageModel.objects.filter(kind="llm").order_by("name")[:2]
    for row in table(reader, f"/export/compare.csv?models={first.slug},{second.slug}"):
        if row["kernel"] != "all" and row["score_a"]:
            cells = [by_cell[row[side], row["arch"], row["kernel"]] for side in ("model_a", "model_b")]
            assert [float(row["score_a"]), float(row["score_b"])] == pytest.approx(list(map(fmean, cells)))
    heat = reader.json(f"/figures/models/{first.slug}/scores.json")["data"][0]
    for kernel, line in zip(heat["y"], heat["z"], strict=True):
        for arch, value in zip(heat["x"], line, strict=True):
            assert value == pytest.approx(fmean(by_cell[first.name, re.sub(r"\W", "", arch), kernel]))


def test_a_start_of_the_site_follows_the_formula_by_itself(site: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert standings.follow_the_formula() == 0  # nothing to do: most starts
    before = list(Standing.objects.order_by("pk").values_list("score_mean", flat=True))
    monkeypatch.setattr(scoring, "speedup_score", another_formula)
    assert standings.follow_the_formula() == LanguageModel.objects.count()
    assert standings.follow_the_formula() == 0
    for standing in Standing.objects.all():
        assert standing.score_mean == pytest.approx(fmean(standing.per_answer["scores"]))
    after = dict(Standing.objects.values_list("pk", "score_mean"))
    assert sum(after.values()) < sum(before)


def test_a_result_recorded_by_another_formula_counts_by_this_one(kernel: object, model: LanguageModel) -> None:
    """A worker of an earlier version, which ends while the site has a new one."""
    submission = factories.make_submission(kernel, model)  # type: ignore[arg-type]
    factories.make_result(submission, speedup=2.0, kernel_score=0.123)
    assert Standing.objects.get().score_mean == pytest.approx(scoring.speedup_score(2.0))
    assert standings.follow_the_formula() == 1
    assert Result.objects.get().kernel_score == pytest.approx(scoring.speedup_score(2.0))


def test_a_summary_by_another_formula_is_found_where_no_result_has_another_score(
    kernel: object, model: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of an earlier version recorded a failure, which has 0 by both formulas, and summarised the cell by its own."""
    for k in range(2):
        factories.make_result(factories.make_submission(kernel, model, k), speedup=2.0 + k)  # type: ignore[arg-type]
    failed = factories.make_result(factories.make_submission(kernel, model, 2), verdict="wrong_answer")  # type: ignore[arg-type]
    right = Standing.objects.values("score_mean", "per_answer").get()
    with monkeypatch.context() as earlier:
        earlier.setattr(scoring, "speedup_score", another_formula)
        standings.recompute([standings.cell_of(failed)])
    assert Standing.objects.values("score_mean", "per_answer").get() != right
    assert standings.follow_the_formula() == 1
    assert Standing.objects.values("score_mean", "per_answer").get() == right
    assert standings.follow_the_formula() == 0


def test_what_is_killed_while_it_follows_the_formula_goes_on_at_the_next_start(
    site: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "speedup_score", another_formula)
    monkeypatch.setattr(standings, "AT_ONCE", 5)
    update, calls = ResultQuerySet.bulk_update, []

    def killed(*args: object, **more: object) -> int:
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return update(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ResultQuerySet, "bulk_update", killed)
    with pytest.raises(KeyboardInterrupt):
        standings.follow_the_formula()
    monkeypatch.undo()
    monkeypatch.setattr(scoring, "speedup_score", another_formula)
    assert standings.follow_the_formula() > 0
    assert not standings.models_of_another_formula()
    after = list(Standing.objects.order_by("model", "kernel", "arch").values("score_mean", "per_answer", "answers"))
    standings.rebuild()
    assert list(Standing.objects.order_by("model", "kernel", "arch").values("score_mean", "per_answer", "answers")) == after


@pytest.mark.parametrize("words", [lambda: scoring.SCORE_FORMULA, lambda: scoring.SCORE_WORDS])
def test_documents_say_the_formula_that_is_computed(words: Callable[[], str]) -> None:
    text = " ".join((Path(__file__).resolve().parents[2] / "docs/record.md").read_text().split())
    assert words() in text


def test_the_formula_in_words_is_the_one_that_is_computed() -> None:
    names = {"min": min, "max": max, "ln": log}
    code = re.sub(r"ln ([\w.]+)", r"ln(\1)", scoring.SCORE_FORMULA.replace("·", "*"))
    for speedup in (0.3, 1.0, 1.5, 2.0, 7.9, 8.0, 50.0):
        assert eval(code, names | {"speedup": speedup}) == pytest.approx(scoring.speedup_score(speedup))


def test_an_example_says_no_words_of_its_own_about_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "SCORE_WORDS", "linear up to 4.5 times the reference's speed")
    monkeypatch.setattr(scoring, "SCORE_FORMULA", "min(1, speedup / 4.5)")
    monkeypatch.setattr(scoring, "speedup_score", another_formula)
    (example,) = [one for one in worked_examples.examples() if one.key == "score"]
    assert example.source == scoring.SCORE_WORDS
    assert example.formula.startswith(scoring.SCORE_FORMULA)
    assert example.result.startswith(f"{another_formula(1.0):.3f}, ")
    assert "logarithmic" not in " ".join(map(str, vars(example).values()))


def test_pages_say_the_formula_that_is_computed(site: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    methodology = " ".join(client.get("/methodology/").content.decode().split())
    assert methodology.count(scoring.SCORE_FORMULA) == 2  # the text and the example
    for speedup in scoring.SCORE_SPEEDUPS:
        value = formatting.score(scoring.speedup_score(speedup))
        assert f"{value} at {formatting.times(speedup)}" in methodology
    assert escape(scoring.SCORE_WORDS) in client.get("/").content.decode()

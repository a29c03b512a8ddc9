"""Figures of a large site: computed in the background, never waited for, never passed off as newer than they are."""

import time
from typing import Any

import pytest
from django.core.cache import cache

from leaderboard.board import architecture_ratios, summaries
from leaderboard.board.rows import board_rows
from leaderboard.board.selection import Selection
from leaderboard.lib import stale_cache
from leaderboard.lib.stale_cache import StaleWhileRevalidate
from leaderboard.models import Kernel, LanguageModel
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, kernel: Kernel, model: LanguageModel) -> None:
    """A site on which no reader is made to wait: housekeeping was there, then a result came."""
    monkeypatch.setattr(summaries, "LARGE", 1)
    for rollout in range(2):
        factories.make_result(factories.make_submission(kernel, model, rollout), speedup=2.0)
    summaries.warm()
    architecture_ratios.warm()
    cache.delete("summaries-rested")
    factories.make_result(factories.make_submission(kernel, model, 2), speedup=2.0)


def test_a_reader_sees_the_last_figures_with_their_time_until_housekeeping_came(large: None, reader: Reader) -> None:
    text = reader.page("/")
    assert "Figures and ranks as of <time" in text
    assert board_rows(Selection(arch="amd64"))[0].summary.answers == 2
    summaries.warm()
    assert "Figures and ranks as of" not in reader.page("/")
    assert board_rows(Selection(arch="amd64"))[0].summary.answers == 3


def test_nothing_is_computed_while_a_reader_waits(large: None, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries.Summaries, "cells", None)  # whoever computes falls over it
    monkeypatch.setattr(architecture_ratios, "fresh_ratios", None)
    for address in ("/", "/?arch=both&sort=memory", "/models/lab-one/", "/architectures/", "/figures/speedup.json"):
        reader.page(address)


def test_what_a_reader_asked_for_is_computed_by_housekeeping(large: None, kernel: Kernel, model: LanguageModel) -> None:
    selection = Selection(arch="amd64", sort="fast", p=2.0, kernels=(kernel,))
    assert board_rows(selection)[0].summary.answers == 3  # nobody had asked yet: it is computed now
    factories.make_result(factories.make_submission(kernel, model, 3), speedup=2.0)
    assert board_rows(selection)[0].summary.answers == 3
    summaries.warm()
    assert board_rows(selection)[0].summary.answers == 4


def test_an_earlier_figure_is_not_shown_for_ever(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_cache, "STALE_S", 0)
    assert board_rows(Selection(arch="amd64"))[0].summary.answers == 3


def test_a_model_that_came_since_has_no_rank_yet(large: None, kernel: Kernel) -> None:
    factories.make_result(factories.make_submission(kernel, factories.make_model("lab/new")), speedup=9.0)
    cache.delete("summaries-rested")
    found = summaries.Summaries(fresh=True)
    assert len(found.of("amd64")) == 2
    stale = summaries.Summaries()
    models = list(LanguageModel.objects.order_by("pk"))
    assert list(stale.ranks("amd64", "score", models)) == [models[0].pk]


def test_housekeeping_computes_for_a_tenth_of_the_time_at_most(large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.time()
    summaries.warm()
    rested = cache.get("summaries-rested")
    assert rested > began
    calls: list[Any] = []
    monkeypatch.setattr(summaries, "Summaries", lambda *args, **more: calls.append(args))
    cache.set("summaries-rested", time.time() + 60)
    summaries.warm()
    assert calls == []


def test_a_kept_value_is_that_of_the_present_version_on_a_small_site() -> None:
    assert StaleWhileRevalidate(version=1).get("what", lambda: "one") == "one"
    assert StaleWhileRevalidate(version=1).get("what", lambda: "never") == "one"
    assert StaleWhileRevalidate(version=2).get("what", lambda: "two") == "two"
    assert StaleWhileRevalidate(version=2).get("what", lambda: "again", at_most_s=0) == "again"

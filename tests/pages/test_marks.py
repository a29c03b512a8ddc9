"""Marks: code, the database, summaries, pages and the report agree on each of them."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from leaderboard.board.marks import CONDITIONS, DOUBTFUL, MEANINGS, NOT_COUNTED, WORDS, explanations, marks, without
from leaderboard.models import Kernel, LanguageModel, Result, Standing
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db

# One result of each mark, and no other: a new mark has its line here.
MARKED: dict[str, dict[str, Any]] = {
    "invalid": {"invalidated": True, "is_current": False, "invalid_reason": "wrong machine"},
    "flagged": {"flagged": True},
    "emulated": {"emulated": True, "kernel_score": None},
    "outdated": {"measurement": "1.0"},
    "noisy": {"speedup_low": 3.7, "speedup_high": 4.2},
    "drifting": {"drifting": True},
    "first-call": {"first_call": True},
    "unresolved": {"unresolved": True},
    "unsteady": {"samples": {"answer_ns": [25.0] * 12, "reference_ns": [100.0 + k for k in range(12)]}},
}


def test_every_mark_has_a_result_here() -> None:
    assert list(MARKED) == list(WORDS)


@pytest.mark.parametrize("word", MARKED)
def test_a_mark_is_worded_once(word: str, kernel: Kernel, model: LanguageModel) -> None:
    (said,) = explanations(factories.make_result(factories.make_submission(kernel, model), **MARKED[word]))
    assert said[1:].startswith(WORDS[word][1:])
    assert said[0].isupper()
    assert said.endswith(".")
    assert ".." not in said
    assert MEANINGS[word] == (WORDS[word] if word in NOT_COUNTED else f"{WORDS[word]}; it counts")


@pytest.mark.parametrize("word", MARKED)
def test_a_mark_says_the_same_in_code_in_the_database_and_in_every_summary(
    word: str, kernel: Kernel, model: LanguageModel, reader: Reader, tmp_path: Path
) -> None:
    marked = factories.make_result(factories.make_submission(kernel, model), **MARKED[word])
    clean = factories.make_result(factories.make_submission(kernel, model, 1))
    counts = word not in NOT_COUNTED
    assert (marks(marked), marks(clean)) == ([word], [])
    for other, condition in CONDITIONS.items():
        assert list(Result.objects.filter(condition)) == ([marked] if other == word else [])
        assert set(Result.objects.filter(without([other]))) == ({clean} if other == word else {clean, marked})
    assert (marked in Result.objects.rankable()) is counts
    assert sum(row.answers for row in Standing.objects.comparable()) == (2 if counts else 1)
    before = list(Standing.objects.order_by("pk").values_list("answers", "measurement"))
    call_command("rebuild_standings", stdout=io.StringIO())
    assert list(Standing.objects.order_by("pk").values_list("answers", "measurement")) == before

    assert f'<span class="mark">{word}</span>' in reader.page("/methodology/")
    page = reader.page("/kernels/dot_f32/")
    assert (f'1 <span class="mark">{word}</span>' in page) is not counts
    if counts and word in CONDITIONS:
        assert page.partition("Best answers")[2].count(f'<span class="mark">{word}</span>') == 1
        assert f"hide={','.join(DOUBTFUL)}" in page
        fewer = reader.page(f"/kernels/dot_f32/?hide={word}")
        assert f'1 <span class="mark">{word}</span>' in fewer
    call_command("report", str(tmp_path), stdout=io.StringIO())
    text = (tmp_path / "README.md").read_text()
    assert (f"*{word}*: {WORDS[word]}" in text) is not counts
    left_out = not counts and word != "emulated"  # of which the report has its verdicts
    assert (f"Left out here: {WORDS[word]}: 1." in text) is left_out

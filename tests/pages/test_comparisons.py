import json
import math
import re

import pytest

from leaderboard.board.architecture_ratios import ratios_of
from leaderboard.board.head_to_head import compare
from leaderboard.board.selection import Selection
from leaderboard.models import Kernel, LanguageModel, Result
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db


def on_both(kernel: Kernel, model: LanguageModel, rollout: int, amd64: float, arm64: float, **more: object) -> Result:
    submission = factories.make_submission(kernel, model, rollout)
    factories.make_result(submission, "amd64", throughput_m=amd64)
    return factories.make_result(submission, "arm64", throughput_m=arm64, **more)


# amd64 against arm64


def test_ratios_are_paired_by_answer(kernel: Kernel, model: LanguageModel) -> None:
    on_both(kernel, model, 0, 100, 50)
    on_both(kernel, model, 1, 10, 20)
    factories.make_result(factories.make_submission(kernel, model, 2), "amd64", throughput_m=1e9)  # not on arm64: in no ratio
    (found,) = ratios_of(Selection()).models
    assert found.overall.pairs == 2
    assert found.overall.throughput.value == pytest.approx(1)
    assert found.kernels["dot_f32"].amd64 == pytest.approx(math.sqrt(1000))
    assert found.overall.throughput.low < 1 < found.overall.throughput.high  # type: ignore[operator]


def test_memory_has_its_own_ratio(kernel: Kernel, model: LanguageModel) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, "amd64", extra_mb=1.0)
    factories.make_result(submission, "arm64", extra_mb=2.0)
    (found,) = ratios_of(Selection()).models
    assert found.overall.memory.value == pytest.approx(2)
    assert found.overall.memory.low is None


def test_an_emulated_result_is_marked_and_in_no_ratio(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    on_both(kernel, model, 0, 100, 1, emulated=True)
    found = ratios_of(Selection())
    assert found.models[0].overall.pairs == 0
    assert found.emulated == {"arm64": 1}
    text = reader.page("/architectures/")
    assert "arm64 is emulated in 1 result." in text
    assert "No answer has been timed on both" in text


def test_an_answer_that_passes_on_one_only_is_listed_with_the_reason(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, "amd64")
    factories.make_result(submission, "arm64", "compile_error", detail="Line 1: immintrin.h: No such file.")
    (found,) = ratios_of(Selection()).one_sided
    assert (found.uid, found.passed_on, found.verdict) == (submission.uid, "amd64", "compile_error")
    text = reader.page("/architectures/")
    assert "immintrin.h: No such file." in text
    assert "1 passed on amd64 and got <code>compile_error</code> on the other" in text


def test_memory_that_emulation_does_not_measure_is_said_beside_a_pass(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, "amd64", "memory_limit", detail="Right, but used 55 MiB.")
    factories.make_result(submission, "arm64", emulated=True)
    assert "Right, but used 55 MiB. Memory is not measured on arm64, which is emulated." in reader.page("/architectures/")


def test_a_chosen_model_is_seen_against_the_baselines(kernel: Kernel, model: LanguageModel) -> None:
    naive, other = factories.make_model("naive", kind="baseline"), factories.make_model("lab/other")
    for k, who in enumerate((naive, model, other)):
        on_both(kernel, who, k, 100, 50)
    assert [ratios.model.name for ratios in ratios_of(Selection(models=(model,))).models] == ["naive", "lab/one"]


def test_flagged_private_and_outdated_results_are_in_no_ratio(kernel: Kernel, model: LanguageModel) -> None:
    on_both(kernel, model, 0, 100, 50, flagged=True)
    on_both(kernel, model, 1, 100, 50, measurement="1.0")
    on_both(kernel, model, 2, 100, 50, public=False)
    found = ratios_of(Selection())
    assert all(ratios.overall.pairs == 0 for ratios in found.models)
    assert found.one_sided == []


# Two models


@pytest.fixture
def two(db: None) -> tuple[LanguageModel, LanguageModel]:
    """One wins sort_u32, loses crc32_ieee and ties on dot_f32; matmul_f32 only the second has answered."""
    a, b = factories.make_model("lab/a"), factories.make_model("lab/b")
    speedups = {
        "dot_f32": ((2.0, 3.0, 4.0), (2.1, 2.9, 4.0)),
        "sort_u32": ((7.0, 7.1, 7.2), (1.0, 1.1, 1.2)),
        "crc32_ieee": ((1.0, 1.1, 1.2), (7.0, 7.1, 7.2)),
        "matmul_f32": ((), (2.0, 2.0)),
    }
    for name, by_model in speedups.items():
        kernel = factories.make_kernel(name)
        for model, values in zip((a, b), by_model, strict=True):
            for rollout, speedup in enumerate(values):
                factories.make_result(factories.make_submission(kernel, model, rollout), speedup=speedup)
    return a, b


def test_wins_ties_and_losses_are_counted_on_what_both_answered(two: tuple[LanguageModel, LanguageModel]) -> None:
    (found,) = compare(*two, Selection())
    assert found.arch == "amd64"
    assert {pair.kernel: pair.differences.outcome for pair in found.kernels} == {
        "dot_f32": "tie",
        "sort_u32": "win",
        "crc32_ieee": "loss",
    }
    assert found.counts == {"win": 1, "tie": 1, "loss": 1}
    assert found.one_only == ([], ["matmul_f32"])


def test_no_interval_of_a_difference_is_wider_than_scores_and_rates_can_differ(kernel: Kernel, model: LanguageModel) -> None:
    """One answer of two failed: a t interval with so few degrees of freedom is wider than the figure's range."""
    other = factories.make_model("lab/other")
    for rollout, (mine, theirs) in enumerate([("passed", "passed"), ("passed", "wrong_answer")]):
        factories.make_result(factories.make_submission(kernel, model, rollout), verdict=mine)
        factories.make_result(factories.make_submission(kernel, other, rollout), verdict=theirs)
    (found,), (back,) = compare(model, other, Selection()), compare(other, model, Selection())
    assert (found.overall.pass_rate.value, found.overall.pass_rate.high, back.overall.pass_rate.low) == (0.5, 1.0, -1.0)
    assert (found.overall.score.high, back.overall.score.low) == (1.0, -1.0)
    assert found.counts == {"win": 0, "tie": 1, "loss": 0}


def test_the_other_way_round_every_difference_changes_its_sign(two: tuple[LanguageModel, LanguageModel]) -> None:
    (ahead,), (back,) = compare(*two, Selection()), compare(two[1], two[0], Selection())
    assert ahead.overall.score.value == pytest.approx(-back.overall.score.value)  # type: ignore[operator]
    assert ahead.overall.score.low == pytest.approx(-back.overall.score.high)  # type: ignore[operator]
    assert ahead.overall.speedup.value == pytest.approx(1 / back.overall.speedup.value)  # type: ignore[operator]
    assert ahead.counts["win"] == back.counts["loss"]


def test_a_model_against_itself_ties_everywhere(two: tuple[LanguageModel, LanguageModel]) -> None:
    (found,) = compare(two[0], two[0], Selection())
    assert found.counts == {"win": 0, "tie": 3, "loss": 0}


def test_the_page_compares_what_its_address_names(two: tuple[LanguageModel, LanguageModel], reader: Reader) -> None:
    text = reader.page("/compare/?models=lab-a,lab-b")
    assert "lab/a against lab/b" in text
    assert "1 · 1 · 1" in text
    assert "Only lab/b answered matmul_f32" in text
    assert "lab/b against lab/a" in reader.page("/compare/?models=lab-b&models=lab-a")
    assert "Two different models" in reader.page("/compare/?models=lab-a")
    rows = json.loads(reader.download("/export/compare.json?models=lab-a,lab-b"))["rows"]
    assert [row["outcome"] for row in rows if row["kernel"] == "sort_u32"] == ["win"]


# What changed


def test_the_changes_page_counts_what_was_graded_with_which_version(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    factories.make_result(factories.make_submission(kernel, model), measurement="1.0", kernel_version="1.0+00000000")
    factories.make_result(factories.make_submission(kernel, model, 1))
    factories.make_result(factories.make_submission(kernel, model, 2, public=False))
    text = reader.page("/changes/")
    assert len(re.findall(r"<code>1\.1\+3f9c21ab</code>\s*</td>", text)) == 1
    assert '<code>1.0+00000000</code> <span class="mark">outdated</span>' in text

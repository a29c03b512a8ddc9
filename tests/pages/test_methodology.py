"""The worked examples of /methodology/, computed again by other means."""

import math
import re
from itertools import combinations
from statistics import fmean, median

import numpy as np
import pytest
import scipy  # scipy.stats is loaded by the test that needs it: it takes a second
from django.utils.html import escape

from leaderboard.board.worked_examples import ANSWERS, RIVAL, ROUNDS_MS, examples
from tests.pages.conftest import Reader
from tests.pages.factories import first_formula

pytestmark = pytest.mark.usefixtures("first_formula")

SCORES = {
    "sort_u32": [first_formula(2), first_formula(4), 0.0],
    "dot_f32": [first_formula(8), first_formula(8), first_formula(16)],
}


def result(key: str) -> list[float]:
    """The numbers in an example's result."""
    (found,) = [example.result for example in examples() if example.key == key]
    return [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?", found.replace("95 % interval", ""))]


def test_speedup_and_score_of_an_answer() -> None:
    assert result("speedup")[2] == pytest.approx(median(ROUNDS_MS["reference"]) / median(ROUNDS_MS["answer"]), abs=0.005)
    assert result("score") == pytest.approx([*map(first_formula, (1, 2, 4, 16)), 0], abs=5e-4)


def test_pass_rate() -> None:
    interval = scipy.stats.binomtest(5, 6).proportion_ci(method="wilson")
    assert result("pass_rate") == pytest.approx([5 / 6, interval.low, interval.high], abs=5e-4)


def test_score_of_a_model() -> None:
    value, low, high = result("mean_score")
    assert value == pytest.approx(fmean([fmean(values) for values in SCORES.values()]), abs=5e-4)
    error = math.sqrt(np.var(SCORES["sort_u32"], ddof=1) / 3) / 2  # dot_f32 varies by nothing
    half = scipy.stats.t.ppf(0.975, 4) * error  # its degrees of freedom: Satterthwaite's 2, times (n + 1) / (n - 1) = 2
    assert (low, high) == pytest.approx((value - half, min(1, value + half)), abs=1e-3)


def test_speedup_of_a_model_with_and_without_failures() -> None:
    assert result("geomean")[0] == pytest.approx((2 * 4 * 8 * 8 * 16) ** (1 / 5), abs=0.005)
    assert result("failures")[0] == pytest.approx(math.exp((math.log(8) / 3 + math.log(1024) / 3) / 2), abs=0.005)


def test_fast_p() -> None:
    numbers = result("fast")
    assert numbers[:2] == pytest.approx([2, 5 / 6], abs=5e-4)
    assert numbers[4:6] == pytest.approx([8, 3 / 6], abs=5e-4)


def test_best_of_two_by_enumeration_and_its_interval_by_leaving_one_out() -> None:
    value, low, high = result("best")

    def best(values: list[float]) -> float:
        return fmean([max(pair) for pair in combinations(values, 2)])

    assert value == pytest.approx(fmean([best(scores) for scores in SCORES.values()]), abs=5e-4)
    others = [best([s for i, s in enumerate(SCORES["sort_u32"]) if i != left_out]) for left_out in range(3)]
    error = math.sqrt(2 / 3 * sum((other - fmean(others)) ** 2 for other in others)) / 2  # dot_f32 varies by nothing
    half = scipy.stats.t.ppf(0.975, 4) * error
    assert (low, high) == pytest.approx((max(0, value - half), min(1, value + half)), abs=1e-3)


def test_memory_against_the_limits_and_against_the_references() -> None:
    assert result("share")[0] == pytest.approx((2 / 20 * 0.5 / 20 * 0.25 / 4 * 0.25 / 4 * 1 / 4) ** (1 / 5), abs=5e-4)
    value, low, high = result("reference")
    assert value == pytest.approx((2 / 0.5 * 1 * 1 * 1 * 1 / 0.25) ** (1 / 5), abs=0.005)
    assert low < value < high


def test_difference_of_two_models() -> None:
    rival = {kernel: list(map(first_formula, speedups)) for kernel, speedups in RIVAL.items()}
    value, low, high = result("difference")[:3]
    assert value == pytest.approx(fmean([fmean(SCORES[kernel]) - fmean(rival[kernel]) for kernel in ANSWERS]), abs=5e-4)
    assert low < value < high


@pytest.mark.django_db
def test_every_example_is_on_the_page(reader: Reader) -> None:
    text = reader.page("/methodology/")
    for example in examples():
        assert example.name in text
        assert escape(example.source).split(":")[0] in text


@pytest.mark.django_db
def test_the_site_can_be_cited(reader: Reader) -> None:
    text = reader.page("/cite.bib")
    assert text.startswith("@misc{archkernels,\n  title = {Arch Kernels")
    assert text.count("{") == text.count("}")
    assert "url = {http://testserver/}" in text

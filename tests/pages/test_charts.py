import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plotly.graph_objects import Figure

from leaderboard.board.answers import frontier, load_answers
from leaderboard.figures import charts, scales
from leaderboard.models import Kernel, LanguageModel, Result, Submission
from leaderboard.report.writer import write_report
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db


def addresses() -> list[str]:
    answer = Submission.objects.filter(results__verdict="passed", results__arch="amd64", model__kind="llm").first()
    assert answer
    return [
        "/figures/speedup.json",
        "/figures/speedup.json?arch=both&kernel=sort_u32,dot_f32",
        "/figures/speedup.json?scale=linear",
        "/figures/memory.json?arch=arm64",
        "/figures/architectures-throughput.json",
        "/figures/architectures-memory.json?model=lab-two-large",
        "/figures/compare.json?models=lab-two-large,lab-one-wide-405b",
        "/figures/kernels/crc32_ieee/answers-amd64.json",
        "/figures/kernels/crc32_ieee/memory.json",
        "/figures/models/lab-two-large.json",
        "/figures/models/lab-two-large/scores.json",
        "/figures/models/lab-two-large/bundles.json",
        f"/figures/submissions/{answer.uid}/amd64.json",
    ]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def test_every_figure_is_one_that_plotly_accepts(site: None, reader: Reader) -> None:
    for address in addresses():
        figure = reader.json(address)
        for leaf in leaves(figure):
            assert not (isinstance(leaf, float) and not math.isfinite(leaf))
        text = json.dumps(figure)
        for token in (
            "--amd64",
            "--arm64",
            "--ink",
            "--soft",
            "--rule",
            "--paper",
            "--base",
            "--memory",
            "--heat-low",
            "--heat-high",
        ):
            text = text.replace(f"var({token})", "#123456")
        assert "var(" not in text, f"{address} names a token that the style sheet may not have"
        Figure(json.loads(text))  # raises for a property that plotly does not know


def test_a_name_with_markup_in_it_is_text_in_every_figure(kernel: Kernel, reader: Reader) -> None:
    model = factories.make_model('<img src=x onerror=alert(1)> & "co"', slug="markup")
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, samples={"answer_ns": [1.0, 2.0], "reference_ns": [3.0, 4.0]})
    for address in (
        "/figures/speedup.json",
        "/figures/memory.json",
        "/figures/kernels/dot_f32/answers-amd64.json",
        "/figures/kernels/dot_f32/memory.json",
    ):
        text = reader.page(address)
        assert "<img" not in text
        assert "&lt;img" in text


def test_two_models_with_one_display_name_keep_a_row_each(kernel: Kernel, reader: Reader) -> None:
    for name in ("lab/one", "lab/two"):
        factories.make_result(factories.make_submission(kernel, factories.make_model(name, display_name="same")))
    figure = reader.json("/figures/speedup.json")
    assert figure["layout"]["meta"]["rows"] == ["same", "same"]
    assert figure["data"][0]["y"] == [0, 1]


def test_without_results_a_figure_is_empty_and_not_an_error(kernel: Kernel, reader: Reader) -> None:
    for address in (
        "/figures/speedup.json",
        "/figures/memory.json",
        "/figures/kernels/dot_f32/answers-amd64.json",
        "/figures/kernels/dot_f32/memory.json",
    ):
        assert isinstance(reader.json(address)["data"], list)


def test_the_frontier_holds_what_nothing_beats_on_both(kernel: Kernel, model: LanguageModel) -> None:
    for rollout, (speedup, extra) in enumerate([(8, 2.0), (4, 0.5), (4, 1.0), (2, 0.5), (1, 0.25), (8, 3.0)]):
        factories.make_result(factories.make_submission(kernel, model, rollout), speedup=float(speedup), extra_mb=extra)
    assert frontier(load_answers(Result.objects.rankable())) == [(8.0, 2.0), (4.0, 0.5), (1.0, 0.25)]


def test_baselines_are_lines_and_not_rows(site: None, reader: Reader) -> None:
    figure = reader.json("/figures/kernels/crc32_ieee/answers-amd64.json")
    assert not any(name.startswith(("naive", "tuned")) for name in figure["layout"]["meta"]["rows"])
    labels = [note["text"] for note in figure["layout"]["annotations"]]
    assert any(label.startswith("naive") for label in labels)
    assert any(label.startswith("tuned") for label in labels)


@pytest.mark.parametrize("values", [[], [0.01], [1.0], [3.0, 3000.0]])
def test_the_speedup_axis_always_holds_one_and_eight_and_every_value(values: list[float]) -> None:
    scale = scales.powers_of_two(values, "title", "short")
    assert all(scale.low < value < scale.high for value in [1.0, 8.0, *values])
    assert {1.0, 8.0} <= {value for value, _ in scale.ticks}


@pytest.mark.parametrize("values", [[], [0.0], [-2.5, 40.0], [0.004, -0.003]])
def test_the_per_cent_axis_has_a_few_round_ticks_and_zero(values: list[float]) -> None:
    scale = scales.per_cent(values, "title", "short")
    assert 3 <= len(scale.ticks) <= 12
    assert (0, "0") in [(value, text) for value, text in scale.ticks]
    assert all(scale.low <= value <= scale.high for value in values)


def test_a_round_that_took_twice_as_long_stands_at_plus_hundred_per_cent() -> None:
    figure = charts.samples([2e6, 2e6, 4e6], [8e6, 8e6, 8e6], "amd64", [0, 0, 1])
    assert figure["data"][0]["x"] == [0.0, 0.0, 100.0]
    assert "process 2" in figure["data"][0]["text"][2]


@pytest.mark.usefixtures("first_formula")
def test_a_heat_map_has_a_cell_for_each_kernel_and_architecture(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    factories.make_result(factories.make_submission(kernel, model, 0), speedup=8.0)
    factories.make_result(factories.make_submission(kernel, model, 1), verdict="wrong_answer")
    other = factories.make_kernel("sort_u32")
    factories.make_result(factories.make_submission(other, model), arch="arm64", speedup=1.0)
    (heat,) = reader.json(f"/figures/models/{model.slug}/scores.json")["data"]
    assert (heat["x"], heat["y"]) == (["amd64", "arm64"], ["dot_f32", "sort_u32"])
    assert heat["z"] == [[0.5, None], [None, 0.5]]
    assert heat["text"] == [["0.50", "–"], ["–", "0.50"]]


def test_bundles_of_a_model_stand_in_the_order_they_came(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    for k, verdicts in enumerate((("passed", "wrong_answer"), ("passed", "passed"))):
        answers = [factories.make_submission(kernel, model, rollout) for rollout in range(2)]
        factories.make_bundle(f"run-{k}.zip", submissions=tuple(answers))
        for answer, verdict in zip(answers, verdicts, strict=True):
            factories.make_result(answer, verdict=verdict)
    figure = reader.json(f"/figures/models/{model.slug}/bundles.json")
    assert figure["data"][0]["x"] == [0.5, 1.0]
    assert figure["data"][0]["y"] == [0, 1]
    assert f"/figures/models/{model.slug}/bundles.json" in reader.page(f"/models/{model.slug}/")


def test_an_interval_that_reaches_beyond_everything_leaves_the_axis_as_it_is() -> None:
    ends = scales.in_sight([(4.0, 1e-9, 1e12), (2.0, None, None), (None, None, None)])
    assert max(ends) == 64.0
    assert min(ends) == 0.125
    assert len(scales.memory([0.004, 1e6], "", "").ticks) <= scales.MOST_TICKS
    assert {1.0, 8.0} <= {value for value, _ in scales.powers_of_two([0.01, 5000], "", "").ticks}
    assert 1.0 in [value for value, _ in scales.powers_of_two([1e-3, 1e9], "", "").ticks]


def test_a_name_that_turns_text_around_ends_where_it_ends(kernel: Kernel, reader: Reader) -> None:
    model = factories.make_model("lab/\u202eenod", slug="turned")
    factories.make_result(factories.make_submission(kernel, model))
    figure = reader.json("/figures/kernels/dot_f32/answers-amd64.json")
    assert figure["layout"]["meta"]["rows"] == ["\u2068\u2068lab/\u202eenod\u2069  1/1\u2069"]


def test_no_mark_of_a_ratio_lies_at_the_edge_of_its_plot() -> None:
    for values in ([0.9, 1.2], [1 / 512, 512.0], [0.001, 3.0]):
        scale = scales.ratios(values, "", "")
        width = math.log(scale.high / scale.low)
        assert all(0.02 < math.log(value / scale.low) / width < 0.98 for value in values)
        assert not any("e" in text for _, text in scale.ticks)


def test_the_axis_of_differences_is_the_same_to_both_sides_of_zero() -> None:
    scale = scales.differences([-0.3, 0.12], "", "")
    assert scale.low == -scale.high < -0.3
    assert [text for _, text in scale.ticks] == ["−0.3", "−0.2", "−0.1", "0", "+0.1", "+0.2", "+0.3"]


def test_an_answer_whose_memory_is_not_known_has_no_mark_among_the_ratios_of_memory(
    kernel: Kernel, model: LanguageModel, reader: Reader, tmp_path: Path
) -> None:
    """It has a ratio of throughput; a mark at 0 would stand nowhere on a logarithmic axis, and the report could not draw it."""
    other = factories.make_kernel("sort_u32")
    for k, (own, unknown) in enumerate([(kernel, True), (other, False), (other, True)]):
        submission = factories.make_submission(own, model, k)
        factories.make_result(submission, "amd64")
        more: dict[str, Any] = {"extra_mb": None, "within_memory": None} if unknown else {}
        factories.make_result(submission, "arm64", **more)
    (throughput,) = reader.json("/figures/architectures-throughput.json")["data"]
    (memory,) = reader.json("/figures/architectures-memory.json")["data"]
    assert [len(throughput["x"]), len(memory["x"])] == [2, 1]
    assert all(value > 0 for value in memory["x"])
    assert ["2 answers on both" in throughput["text"][1], "1 answer on both" in memory["text"][0]] == [True, True]
    write_report(tmp_path)
    assert (tmp_path / "figures" / "architectures-memory.svg").exists()


def test_the_full_score_is_a_whole_number_in_every_figure(site: None, reader: Reader) -> None:
    assert '"x0": 8,' in reader.page("/figures/speedup.json")

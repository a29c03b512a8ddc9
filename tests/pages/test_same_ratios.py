"""The site, its report and `arch_compare` say the same of the same answers, however odd their population."""

import csv
import io
import random
from pathlib import Path
from typing import Any

import pytest

from grading.comparison.subjects import Subject
from grading.comparison.summary import summary
from leaderboard.board.architecture_ratios import ratios_of
from leaderboard.board.selection import Selection
from leaderboard.comparison.table import summary_text
from leaderboard.exports.record import record
from leaderboard.lib import formatting
from leaderboard.models import Result
from leaderboard.report.writer import write_report
from leaderboard.services import standings
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db
ENDS = ("", "_low", "_high")
CODE = {"naive": "reference", "tuned": "tuned"}


@pytest.fixture
def odd(db: None) -> None:
    """Each way in which an answer may count on one architecture, on both, or on none, several times."""
    chance = random.Random(3)
    machine = factories.make_machine("arm64", emulated=True)

    def measured(factor: float = 1.0) -> dict[str, Any]:
        times = [1e6 * chance.uniform(0.9, 1.1) / factor for _ in range(9)]
        samples = {"answer_ns": times, "reference_ns": [2e6] * 9, "process": [k % 3 for k in range(9)]}
        speed = factor * chance.uniform(50, 150)
        return {"throughput_m": speed, "extra_mb": chance.choice([0.0, 0.5, 3.0]), "samples": samples}

    kernels = [factories.make_kernel(name) for name in ("dot_f32", "sort_u32", "matmul_f32")]
    for name in CODE:
        model = factories.make_model(name, kind="baseline")
        for kernel in kernels:
            submission = factories.make_submission(kernel, model)
            factories.make_result(submission, "amd64", **measured())
            over = name == "naive" and kernel.name == "sort_u32"
            more = {"extra_mb": 300.0} if over else measured(0.8)
            factories.make_result(submission, "arm64", "memory_limit" if over else "passed", **more)
    for name in ("lab/one", "lab/two"):
        model = factories.make_model(name)
        for kernel in kernels[: 3 if name == "lab/one" else 2]:

            def answer(kernel: Any = kernel, model: Any = model) -> Any:
                return factories.make_submission(kernel, model, chance.randrange(9))

            for _ in range(3):  # passed on both
                submission = answer()
                factories.make_result(submission, "amd64", **measured())
                factories.make_result(submission, "arm64", **measured(1.3))
            for arch, other in (("amd64", "arm64"), ("arm64", "amd64")):  # on one only
                submission = answer()
                factories.make_result(submission, arch, **measured())
                factories.make_result(submission, other, "memory_limit", extra_mb=90.0)
                factories.make_result(answer(), arch, **measured())  # not graded on the other
            submission = answer()  # right on both, passed on none
            for arch in ("amd64", "arm64"):
                factories.make_result(submission, arch, "memory_limit", extra_mb=77.0)
            submission = answer()  # its memory is not known on one
            factories.make_result(submission, "amd64", **measured())
            factories.make_result(submission, "arm64", **measured() | {"extra_mb": None, "within_memory": None})
            submission = answer()  # emulated on one
            factories.make_result(submission, "amd64", **measured())
            unmeasured = {"throughput_m": None, "extra_mb": None, "samples": None, "speedup": None, "kernel_score": None}
            factories.make_result(submission, "arm64", emulated=True, machine=machine, **unmeasured)
            submission = answer()  # graded twice on one: the newest counts
            factories.make_result(submission, "amd64", **measured(9.0), is_current=False)
            factories.make_result(submission, "amd64", **measured())
            factories.make_result(submission, "arm64", **measured() | {"extra_mb": 0.001})
            submission = answer()  # marked, and counted all the same
            factories.make_result(submission, "amd64", **measured(), drifting=True)
            factories.make_result(submission, "arm64", **measured(), speedup_low=0.1, speedup_high=9.0)
    standings.rebuild()


def compared() -> dict[str, Any]:
    """What arch_compare says of the records of these answers."""
    found: dict[str, tuple[Subject, dict[str, Any]]] = {}
    for result in Result.objects.filter(is_current=True).select_related("kernel", "model", "machine", "submission"):
        kind = CODE.get(result.model.name, "answer")
        subject = Subject(
            identity=result.submission.uid,
            kind=kind,
            kernel=result.kernel.name,
            source="",
            model=result.model.name if kind == "answer" else "",
        )
        found.setdefault(subject.identity, (subject, {}))[1][result.arch] = record(result) | {"machine": {}}
    return summary(list(found.values()))


def same(ours: list[Any], theirs: list[Any]) -> None:
    assert [value is None for value in ours] == [value is None for value in theirs]
    assert [value for value in ours if value is not None] == pytest.approx([value for value in theirs if value is not None])


def numbers(row: dict[str, Any]) -> list[Any]:
    return [row["pairs"], *(row[name] for name in ("ratio", "ratio_low", "ratio_high"))]


def test_the_site_and_arch_compare_have_the_same_numbers(odd: None, reader: Reader) -> None:
    theirs = compared()
    found = {CODE.get(ratios.model.name, ratios.model.name): ratios for ratios in ratios_of(Selection()).models}
    both = {("all", row["code"]): row for row in theirs["overall"]} | {("all", row["model"]): row for row in theirs["models"]}
    both |= {(row["kernel"], row["code"]): row for row in theirs["kernels"]}
    seen = 0
    for (kernel, who), row in both.items():
        if who == "answer":
            continue  # of several models: the site has no such row
        own = found[who].overall if kernel == "all" else found[who].kernels[kernel]
        same([own.pairs, own.throughput.value, own.throughput.low, own.throughput.high], numbers(row["throughput_m"]))
        if own.pairs:
            assert [own.amd64, own.arm64] == pytest.approx([row["throughput_m"][arch] for arch in ("amd64", "arm64")])
        same([own.memory_pairs, own.memory.value, own.memory.low, own.memory.high], numbers(row["extra_mb"]))
        seen += bool(own.pairs and own.throughput.low)
    assert seen >= 8  # intervals too, of baselines and of answers
    table = list(csv.DictReader(io.StringIO(reader.download("/export/architectures.csv"))))
    for line in table:
        key = (line["kernel"], CODE.get(line["model"], line["model"]))
        if key in both:
            shown = [float(line[f"throughput_ratio{end}"]) if line[f"throughput_ratio{end}"] else None for end in ENDS]
            same(shown, numbers(both[key]["throughput_m"])[1:])
            shown = [float(line[f"memory_ratio{end}"]) if line[f"memory_ratio{end}"] else None for end in ENDS]
            same(shown, numbers(both[key]["extra_mb"])[1:])


def test_every_kernel_of_a_model_alone_has_the_same_numbers(odd: None) -> None:
    for ratios in ratios_of(Selection()).models:
        Result.objects.exclude(model=ratios.model).update(is_current=False)
        rows = {row["kernel"]: row for row in compared()["kernels"]}
        assert set(rows) == set(ratios.kernels)
        for kernel, own in ratios.kernels.items():
            same([own.pairs, own.throughput.value], numbers(rows[kernel]["throughput_m"])[:2])
            same([own.memory.value], [rows[kernel]["extra_mb"]["ratio"]])
        standings.rebuild()


def test_the_report_has_the_same_numbers(odd: None, tmp_path: Path) -> None:
    write_report(tmp_path)
    text = (tmp_path / "README.md").read_text()
    rows = {row["model"]: row for row in compared()["models"]} | {row["code"]: row for row in compared()["overall"]}
    for ratios in ratios_of(Selection()).models:
        row = rows[CODE.get(ratios.model.name, ratios.model.name)]
        speed, extra = row["throughput_m"], row["extra_mb"]
        cells = [str(speed["pairs"])]
        for measure in (speed, extra):
            interval = formatting.span(measure["ratio_low"], measure["ratio_high"])
            cells += [formatting.three_digits(measure["ratio"]), interval]
        assert f"| {ratios.model.name} | {' | '.join(cells)} |" in text


@pytest.mark.parametrize(
    ("passing", "failing", "note"),
    [
        (
            {"emulated": True, "extra_mb": None, "within_memory": None},
            "memory_limit",
            "Memory is not measured on arm64, which is emulated.",
        ),
        ({"extra_mb": None, "within_memory": None}, "memory_limit", "Memory is not measured on arm64."),  # as on gVisor
        ({}, "memory_limit", ""),
        ({"emulated": True, "extra_mb": None, "within_memory": None}, "runtime_error", ""),
    ],
)
def test_all_three_say_the_same_of_what_passes_on_one_only(
    passing: dict[str, Any], failing: str, note: str, db: None, reader: Reader, tmp_path: Path
) -> None:
    submission = factories.make_submission(factories.make_kernel("dot_f32"), factories.make_model("lab/one"))
    factories.make_result(submission, "arm64", **passing)
    factories.make_result(submission, "amd64", failing, detail="It failed.")
    said = " ".join(filter(None, ("It failed.", note)))
    theirs = compared()
    (row,) = theirs["one_sided"]
    assert (row["passed_on"], row["failed_on"], row["verdict"], row["note"]) == ("arm64", "amd64", failing, note)
    assert f"passes on arm64, {failing} on amd64: {said}\n" in summary_text(theirs) + "\n"
    (own,) = ratios_of(Selection()).one_sided
    assert (own.passed_on, own.failed_on, own.verdict, own.note) == ("arm64", "amd64", failing, note)
    assert f"<small>{said}</small>" in reader.page("/architectures/")
    write_report(tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert "| lab/one | 1 | 0 | 0 | 1 | 0 |" in text
    assert f"| `{failing}` on amd64 | {said} |" in text

"""The report: whole, the same bytes from the same data, nothing private."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import call_command

from kernels.catalog import load_catalog
from leaderboard.models import Kernel, LanguageModel, Machine, Result, Standing, Submission
from leaderboard.report.failures import failure_bars
from leaderboard.report.markdown import code, plain, table
from leaderboard.report.writer import write_report
from tests.pages import factories

SVG = "{http://www.w3.org/2000/svg}"
COMMITTED = Path(__file__).resolve().parents[2] / "results" / "arch-kernels-v1"

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(db: Any) -> None:
    factories.make_site(models=3)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def written(folder: Path) -> str:
    write_report(folder)
    return (folder / "README.md").read_text()


def test_the_command_writes_a_whole_document_and_names_its_files(site, tmp_path):
    said = io.StringIO()
    call_command("report", str(tmp_path / "new" / "folder"), stdout=said)
    text = (tmp_path / "new" / "folder" / "README.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == [
        *("Models", "Kernels", "The same answers on both architectures", "Failures", "Method", "Machines", "Versions"),
        "How to reproduce",
    ]
    assert "README.md" in said.getvalue()
    linked = re.findall(r"\]\(([^)]+)\)", text)
    assert len(linked) >= 8
    assert [name for name in linked if not (tmp_path / "new" / "folder" / name).exists()] == []


def test_the_same_data_give_the_same_bytes(site, tmp_path):
    write_report(tmp_path / "one")
    write_report(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_neither_the_clock_nor_the_order_of_rows_is_in_it(site, tmp_path, monkeypatch):
    write_report(tmp_path / "one")
    later = factories.WHEN + timedelta(days=900)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    Standing.objects.update(updated_at=later)
    write_report(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert "As of 27 Nov 2026, 14:02 UTC" in (tmp_path / "two" / "README.md").read_text()


def test_writing_over_an_older_report_leaves_nothing_of_it(site, tmp_path):
    write_report(tmp_path)
    Result.objects.filter(arch="arm64").delete()
    Standing.objects.filter(arch="arm64").delete()
    write_report(tmp_path)
    assert not (tmp_path / "figures" / "architectures-throughput.svg").exists()
    write_report(tmp_path / "fresh")
    fresh = files(tmp_path / "fresh")
    assert {name: data for name, data in files(tmp_path).items() if not name.startswith("fresh/")} == fresh


def test_nothing_private_is_in_any_file(site, tmp_path):
    write_report(tmp_path / "before")
    kernel = Kernel.objects.get(name="dot_f32")
    secret = factories.make_model("secret/model")
    machine = factories.make_machine(cpu_model="Secret CPU")
    submission = factories.make_submission(kernel, secret, public=False)
    factories.make_result(submission, machine=machine, speedup=7.77, graded_at=factories.WHEN + timedelta(days=3))
    factories.make_bundle("secret.zip", public=False, submissions=(submission,))
    write_report(tmp_path / "after")
    assert files(tmp_path / "after") == files(tmp_path / "before")


def test_invalid_flagged_outdated_and_double_results_are_in_no_table(site, tmp_path):
    write_report(tmp_path / "before")
    kernel, model = Kernel.objects.get(name="dot_f32"), factories.make_model("odd/model")
    for rollout, odd in enumerate(
        ({"invalidated": True, "is_current": False}, {"flagged": True}, {"measurement": "0.1"}, {"double": True, "public": False})
    ):
        factories.make_result(factories.make_submission(kernel, model, rollout), speedup=99.0, **odd)
    text = written(tmp_path / "after")
    assert "odd/model" not in text
    assert "Left out here: declared invalid by a person: 1; too good" in text


def test_emulated_results_are_said_to_be_and_have_no_speeds(db, tmp_path):
    factories.make_site(models=2, archs=("amd64",))
    machine = factories.make_machine("arm64", emulated=True, backend="emulated", cpu_model="qemu-aarch64")
    for submission in Submission.objects.all():
        verdict = Result.objects.get(submission=submission).verdict
        fields = {"emulated": True, "machine": machine, "extra_mb": None, "throughput_m": None, "kernel_score": None}
        factories.make_result(submission, "arm64", verdict, **fields)
    text = written(tmp_path)
    assert "**arm64 was emulated** for 104 results" in text
    assert "### arm64, emulated: verdicts only" in text
    assert "No answer was timed on both" in text
    assert not (tmp_path / "figures" / "architectures-throughput.svg").exists()
    assert "\n### arm64\n" not in text.split("## Failures")[0]


def test_a_note_stands_at_the_top_as_text(site, tmp_path):
    call_command("report", str(tmp_path), "--note", "Invented *models*.", stdout=io.StringIO())
    assert r"Invented \*models\*." in (tmp_path / "README.md").read_text().split("## Models")[0]


def test_an_empty_site_has_a_report_too(db, tmp_path):
    assert "nothing graded" in written(tmp_path)


def test_a_models_name_cannot_break_a_table_or_a_figure(site, tmp_path):
    LanguageModel.objects.filter(name="lab-one/wide-405b").update(display_name='<img src=x>|`"&\nvar(--ink)')
    text = written(tmp_path)
    assert not re.search(r"(?<!\\)<", text)
    (line,) = [line for line in text.split("### arm64")[0].splitlines() if "img" in line]
    assert len(re.findall(r"(?<!\\)\|", line)) == 11
    for path in (tmp_path / "figures").glob("*.svg"):
        ElementTree.parse(path)


def test_figures_are_svg_that_needs_nothing_from_elsewhere(site, tmp_path):
    write_report(tmp_path)
    paths = sorted((tmp_path / "figures").glob("*.svg"))
    assert [path.stem for path in paths] == ["architectures-memory", "architectures-throughput", "failures", "memory", "speedup"]
    for path in paths:
        root = ElementTree.parse(path).getroot()
        assert root.find(f"{SVG}title").text
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "title", "rect", "line", "text", "circle", "polygon"),
        }
        assert "var(--" not in path.read_text()


def test_a_mark_stands_where_its_value_is(site, tmp_path):
    """On a logarithmic axis equal factors are equal distances, and every mark lies by its number in the table."""
    write_report(tmp_path)
    root = ElementTree.parse(tmp_path / "figures" / "speedup.svg").getroot()
    ticks = {text.text: float(text.get("x")) for text in root.iter(f"{SVG}text") if re.fullmatch(r"[\d.]+×", text.text or "")}
    assert ticks["4×"] - ticks["2×"] == pytest.approx(ticks["2×"] - ticks["1×"], abs=0.1)
    marks = sorted(float(mark.get("cx")) for mark in root.iter(f"{SVG}circle"))
    assert len(marks) == 3
    rows = [line.split(" | ") for line in (tmp_path / "README.md").read_text().split("### arm64")[0].splitlines()]
    speedups = sorted(float(row[6].rstrip("×")) for row in rows if len(row) == 10 and row[0].startswith("| lab"))
    octave = ticks["2×"] - ticks["1×"]
    shown = [2 ** ((x - ticks["1×"]) / octave) for x in marks]
    assert shown == pytest.approx(speedups, rel=0.02)


def test_failure_bars_are_as_long_as_their_shares():
    root = ElementTree.fromstring(failure_bars([("m", {"passed": 30, "wrong_answer": 10})], "t"))
    bars = [float(rect.get("width")) for rect in root.iter(f"{SVG}rect") if rect.get("height") == "14"]
    assert bars[1] / bars[0] == pytest.approx(3, rel=0.03)


def test_text_from_outside_stays_text():
    assert plain("a|b *c* <d>\n_e_") == r"a\|b \*c\* \<d\> \_e\_"
    assert code("a`b|c") == "`aˋb¦c`"
    assert table(("a", "b"), [("x", "1")]) == ["| a | b |", "| --- | ---: |", "| x | 1 |", ""]


def test_machines_that_measured_nothing_shown_are_not_listed(site, tmp_path):
    factories.make_machine(cpu_model="Idle CPU")
    nameless = factories.make_machine(cpu_model="", vcpus=None)  # of a reply without an answer, which needs no machine
    Result.objects.filter(pk=Result.objects.filter(arch="amd64", model__kind="llm").first().pk).update(machine=nameless)
    text = written(tmp_path)
    assert "Idle CPU" not in text
    assert "was graded on 2 machines" not in text
    assert all(machine.cpu_model in text for machine in Machine.objects.exclude(cpu_model__in=["", "Idle CPU"]))


def test_the_report_in_the_repository_is_whole():
    text = (COMMITTED / "README.md").read_text()
    linked = re.findall(r"\]\(([^)]+)\)", text)
    assert [name for name in linked if not (COMMITTED / name).exists()] == []
    assert {f"figures/{path.name}" for path in (COMMITTED / "figures").iterdir()} <= set(linked)
    with (COMMITTED / "results.csv").open(encoding="utf-8") as file:
        kernels = {row["kernel"] for row in csv.DictReader(file)}
    assert [name for name in kernels if f"`{name}`" not in text] == []
    assert kernels <= load_catalog().keys()
    for path in (COMMITTED / "figures").iterdir():
        ElementTree.parse(path)

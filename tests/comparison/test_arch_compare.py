"""The command: what is in its file, and that nothing is graded twice."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from grading import exit_status
from grading.sandbox import emulated
from grading.sandbox.registry import BACKENDS
from grading.version import kernel_version
from kernels.catalog import load_catalog
from leaderboard.comparison import cli
from tests.comparison.fakes import Sandbox, register
from tests.conftest import OLDER_RUNS, RUNS
from tests.grading.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
FAKE = ["--sandbox", "amd64=fake", "--sandbox", "arm64=fake"]
PORTABLE = RUNS / "arch-kernels-v1--stub--portable-70b--null--14e0c972"
PLAIN = RUNS / "arch-kernels-v1--stub--plain-7b--null--8cb61393"


@pytest.fixture(autouse=True)
def fakes() -> Iterator[None]:
    before = dict(BACKENDS)
    register()
    Sandbox.graded.clear()
    yield
    BACKENDS.clear()
    BACKENDS.update(before)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.json"


def compare(out: Path, *arguments: object) -> tuple[int, str, dict[str, Any]]:
    """Exit status, what was said, the file."""
    said: list[str] = []
    parser = cli.argparse.ArgumentParser()
    cli.add_arguments(parser)
    status = cli.run(vars(parser.parse_intermixed_args([str(out), *FAKE, *map(str, arguments)])), said.append)
    return status, "\n".join(said), json.loads(out.read_text()) if out.exists() else {}


def answers(path: Path, *rows: dict[str, Any]) -> Path:
    """A run of plain lines; "answer" is C."""
    path.write_text("".join(json.dumps({"model": "m", "kernel": "dot_f32", "raw": True} | row) + "\n" for row in rows))
    return path


def test_every_answer_of_every_format_is_there_once_per_architecture(out):
    paths = [*RUNS.iterdir(), OLDER_RUNS / "v0-0.1.14", OLDER_RUNS / "v1-0.2.0"]
    status, _, comparison = compare(out, *paths)
    assert (status, comparison["complete"]) == (0, True)
    counted = Counter((row["identity"], row["arch"]) for row in comparison["results"])
    assert set(counted.values()) == {1}
    kinds = Counter(row["kind"] for row in comparison["results"])
    assert (kinds["reference"], kinds["tuned"]) == (2 * len(load_catalog()), 2 * len(load_catalog()))
    assert (
        kinds["answer"]
        == 2 * sum(run["answers"] for run in comparison["runs"])
        == 2 * len([subject for subject in comparison["subjects"] if subject["kind"] == "answer"])
    )
    assert {run["formats"][0] for run in comparison["runs"]} == {
        "verifiers 0.4 episodes",
        "verifiers 0.2 traces",
        "verifiers v0 results",
    }
    assert any(row["reason"].startswith("provider error") for row in comparison["skipped"])


def test_the_same_run_given_twice_is_graded_once(out):
    _, said, _ = compare(out, PORTABLE, PORTABLE, "--kernels", "dot_f32")
    assert (
        len(Sandbox.graded) == 2 * 2 + 2
    )  # two baselines; one answer of the run is to this kernel, its other row a provider's error
    assert "6 gradings" in said


def test_a_second_run_of_the_command_grades_nothing(out):
    _, _, first = compare(out, PORTABLE, "--kernels", "dot_f32,sort_u32")
    Sandbox.graded.clear()
    status, said, second = compare(out, PORTABLE, "--kernels", "dot_f32", "--kernels", "sort_u32")
    assert (status, Sandbox.graded, second) == (0, [], first)
    assert "known already" in said


def test_further_runs_are_added_to_what_is_there(out):
    compare(out, PORTABLE, "--kernels", "dot_f32")
    Sandbox.graded.clear()
    _, _, comparison = compare(out, PORTABLE, PLAIN, "--kernels", "dot_f32")
    assert len(Sandbox.graded) == 6  # three answers of the second run
    assert len(comparison["results"]) == 6 + 6


def test_a_killed_run_goes_on_without_grading_anything_again(out, tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, "-m", "tests.comparison.fakes", str(out), str(PLAIN), *FAKE, "--kernels", "dot_f32"]
    environment = {**os.environ, "FAKE_LOG": str(log), "FAKE_SLEEP": "0.3"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: process.poll() is not None or (log.exists() and len(log.read_text().split()) >= 4))
    process.kill()
    process.wait()
    assert not out.exists()
    begun = len(log.read_text().split())
    done = subprocess.run(command, cwd=ROOT, env=environment | {"FAKE_SLEEP": "0"}, capture_output=True, text=True, check=True)
    assert f"10 gradings (amd64 in fake, arm64 in fake), {begun - 1} of them known already" in done.stdout
    assert len(log.read_text().split()) == 10 + 1  # the one that was cut off, again
    assert json.loads(out.read_text())["complete"] is True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on(out, tmp_path, number):
    log = tmp_path / "log"
    command = [sys.executable, "-m", "tests.comparison.fakes", str(out), *FAKE, "--kernels", "dot_f32"]
    environment = {**os.environ, "FAKE_LOG": str(log), "FAKE_SLEEP": "3600"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    wait_until(lambda: process.poll() is not None or log.exists())
    process.send_signal(number)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "run the same command again to resume" in said


def test_a_line_torn_by_a_crash_is_graded_again(out):
    compare(out, "--kernels", "dot_f32")
    journal = out.with_name("out.json.journal")
    journal.write_bytes(journal.read_bytes()[:-20])
    Sandbox.graded.clear()
    _, _, comparison = compare(out, "--kernels", "dot_f32")
    assert len(Sandbox.graded) == 1
    assert len(comparison["results"]) == 4


def test_a_changed_kernel_version_is_graded_again_and_said(out, monkeypatch):
    compare(out, "--kernels", "dot_f32,sort_u32")
    Sandbox.graded.clear()
    moved = {"dot_f32": "9.9+new"}
    monkeypatch.setattr(
        "grading.comparison.gradings.kernel_version", lambda kernel: moved.get(kernel.name) or kernel_version(kernel)
    )
    _, said, _ = compare(out, "--kernels", "dot_f32,sort_u32")
    assert len(Sandbox.graded) == 4
    assert "Graded again: 4 gradings of dot_f32: its version was" in said
    assert "and is 9.9+new" in said


def test_another_sandbox_is_graded_again_on_its_architecture_only(out):
    compare(out, "--kernels", "dot_f32")
    Sandbox.graded.clear()
    _, said, comparison = compare(out, "--kernels", "dot_f32", "--sandbox", "arm64=fake-emulated")
    assert {arch for arch, _ in Sandbox.graded} == {"arm64"}
    assert "arm64: its sandbox was fake and is fake-emulated" in said
    assert {row["arch"]: row["sandbox"] for row in comparison["results"]} == {"amd64": "fake", "arm64": "fake-emulated"}


def test_each_architecture_can_be_graded_on_its_own_machine(out):
    _, _, half = compare(out, "--kernels", "dot_f32", "--arch", "amd64")
    assert (half["complete"], {row["arch"] for row in half["results"]}) == (False, {"amd64"})
    _, _, whole = compare(out, "--kernels", "dot_f32", "--arch", "arm64")
    assert (whole["complete"], len(whole["results"])) == (True, 4)
    assert [row["throughput_m"]["ratio"] for row in whole["summary"]["overall"]] == [pytest.approx(0.5)] * 2


def test_the_limit_counts_answers(out):
    _, _, comparison = compare(out, PLAIN, "--limit", "2", "--no-baselines")
    assert len(comparison["results"]) == 4


def test_what_passes_on_one_architecture_only_is_listed_with_the_reason(out, tmp_path):
    run = answers(tmp_path / "a.jsonl", {"answer": "// arm64 verdict runtime_error"}, {"answer": "int x;"})
    _, said, comparison = compare(out, run, "--kernels", "dot_f32")
    (row,) = comparison["summary"]["one_sided"]
    assert (row["passed_on"], row["failed_on"], row["verdict"]) == ("amd64", "arm64", "runtime_error")
    assert "dot_f32, m, rollout 0: passes on amd64, runtime_error on arm64: It is runtime_error." in said


def test_under_emulation_verdicts_compare_and_times_are_said_to_be_missing(out):
    _, said, comparison = compare(out, "--kernels", "dot_f32", "--sandbox", "arm64=fake-emulated")
    row = comparison["summary"]["overall"][0]
    assert (row["throughput_m"]["ratio"], row["throughput_m"]["arm64"], row["passed"]["arm64"]) == (None, None, 1)
    assert row["throughput_m"]["amd64"] == pytest.approx(1000, rel=0.05)
    assert "arm64 was emulated" in said


def test_unequal_machines_are_said(out, monkeypatch):
    assert "vCPUs: amd64 2, arm64 2: equal" in compare(out, "--kernels", "dot_f32")[1]
    monkeypatch.setenv("FAKE_VCPUS_ARM64", "8")
    said = compare(out.with_name("other.json"), "--kernels", "dot_f32")[1]
    assert "vCPUs: amd64 2, arm64 8: NOT equal" in said


def test_a_fault_of_ours_is_tried_again_then_listed_and_never_a_verdict(out, tmp_path, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("grading.comparison.gradings.wait", waits.append)
    run = answers(tmp_path / "a.jsonl", {"answer": "// arm64 gone"}, {"answer": "int x;"})
    status, said, comparison = compare(out, run, "--kernels", "dot_f32", "--no-baselines")
    assert (status, waits) == (exit_status.FAULT, [5, 15])
    assert len([arch for arch, source in Sandbox.graded if "gone" in source and arch == "arm64"]) == 3
    assert [(fault["arch"], fault["attempts"], fault["reason"]) for fault in comparison["faults"]] == [
        ("arm64", 3, "the sandbox is gone")
    ]
    assert (comparison["complete"], len(comparison["results"])) == (False, 3)
    assert "internal_error" not in json.dumps(comparison["results"])
    assert "run the same command again" in said


def test_a_fault_that_needs_an_operator_stops_its_architecture_only(out, tmp_path):
    run = answers(tmp_path / "a.jsonl", {"answer": "// arm64 operator"}, {"answer": "int x;"})
    status, said, comparison = compare(out, run, "--kernels", "dot_f32", "--no-baselines")
    assert status == exit_status.FAULT
    assert [fault["attempts"] for fault in comparison["faults"]] == [1, 0]
    assert [row["arch"] for row in comparison["results"]] == ["amd64", "amd64"]
    assert "not tried: set PRIME_API_KEY" in said


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--kernels", "nope"], "no kernel nope; there are: dot_f32"),
        (["--sandbox", "arm64"], "ARCH=NAME"),
        (["--sandbox", "riscv=local"], "ARCH=NAME"),
        (["--sandbox", "arm64=nope"], "ARCH=NAME"),
        (["/nowhere"], "/nowhere does not exist"),
        ([str(ROOT / "scripts")], "it contains no answer"),
        (["--sandbox", "amd64=emulated"], "emulated is for arm64"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_graded(out, arguments, reason):
    with pytest.raises(cli.Refused, match=reason):
        compare(out, *arguments)
    assert Sandbox.graded == []
    assert not out.exists()


def test_a_file_that_is_no_comparison_is_not_written_over(out):
    out.write_text('{"mine": 1}')
    with pytest.raises(cli.Refused, match="not a comparison"):
        compare(out, "--kernels", "dot_f32")
    assert out.read_text() == '{"mine": 1}'


def test_two_at_once_do_not_write_one_journal(out):
    compare(out, "--kernels", "dot_f32")
    with cli.Journal(out.with_name("out.json.journal")), pytest.raises(cli.Refused, match="right now"):
        compare(out, "--kernels", "dot_f32")


def test_a_foreign_file_in_the_journals_place_is_left_alone(out):
    journal = out.with_name("out.json.journal")
    journal.write_text("my notes\n")
    with pytest.raises(cli.Refused, match="not a journal"):
        compare(out, "--kernels", "dot_f32")
    assert journal.read_text() == "my notes\n"


def test_the_management_command_is_the_same_and_asks_no_database(out, settings):
    settings.SANDBOXES = {"amd64": "fake", "arm64": "fake"}
    said = io.StringIO()
    call_command("arch_compare", str(out), "--kernels", "dot_f32", str(PORTABLE), stdout=said)
    assert "6 gradings of 3 subjects" in said.getvalue()
    with pytest.raises(CommandError, match="no kernel nope"):
        call_command("arch_compare", str(out), "--kernels", "nope")


def test_the_script_needs_no_django(out):
    script = [str(ROOT / "scripts" / "arch_compare.py"), str(out), "--kernels", "nope"]
    code = f"import runpy, sys\nsys.modules.update(django=None)\nsys.argv = {script}\n"
    code += f"runpy.run_path({script[0]!r}, None, '__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "no kernel nope" in done.stderr) == (2, True), done.stderr


def test_a_real_grading_on_both_architectures(out):
    if reason := emulated.why_unavailable("arm64"):
        pytest.skip(reason)
    real = ["--sandbox", "amd64=local", "--sandbox", "arm64=emulated"]
    status, said, comparison = compare(out, PLAIN, "--kernels", "crc32_ieee", "--rounds", "5", "--limit", "2", *real)
    verdicts = {(row["kind"], row["rollout"], row["arch"]): row["verdict"] for row in comparison["results"]}
    assert status == 0
    assert verdicts == {
        **{(kind, 0, arch): "passed" for kind in ("reference", "tuned", "answer") for arch in ("amd64", "arm64")},
        **{("answer", 1, arch): "wrong_answer" for arch in ("amd64", "arm64")},
    }
    assert "arm64 was emulated" in said

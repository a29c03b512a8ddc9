"""The command of the README, run for real: its verdicts are the grader's, and the site takes what it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from arch_kernels_v1.trace import METRICS, metrics, rewards
from grading.pipeline import grade_reply
from grading.sandbox.local import host_arch
from grading.sandbox.registry import open_sandbox
from grading.scoring import speedup_score
from kernels.catalog import get_kernel
from kernels.prompts import SYSTEM_PROMPTS
from leaderboard.models import Result
from leaderboard.services import bundle_files, bundle_reading, importing
from tests.doubles.openai import OpenAIStub
from tests.doubles.prime import PrimeDouble
from tests.environment.running import ROOT, Verifiers, reply_text, run_folder, scores, traces
from tests.site.conftest import kernels  # noqa: F401  # a fixture

pytestmark = pytest.mark.environment

# Three rollouts each of a model that gets some right: passed, wrong, threads, no compilation, no tags.
MODEL = "stub/plain-7b"
KERNELS = ("dot_f32", "prefix_sum_i64", "crc32_ieee")
VERDICTS = {"passed": 3, "wrong_answer": 3, "extra_thread": 1, "no_answer": 1, "compile_error": 1}
NOISE = 0.2  # of a score: a factor of 2.3 in speed; this is no measurement


def options(arch: str, sandbox: str, *more: str) -> list[str]:
    chosen = ["--env.taskset.arch", arch, "--env.taskset.sandbox", sandbox, "--env.taskset.kernels", ",".join(KERNELS)]
    return ["-r", "3", *chosen, *more]


def check_traces(run: Path, arch: str, sandbox: str) -> dict[str, dict]:
    """Every trace is graded, scored by its own record, and asked as the kernel says. The records by reply."""
    records = {}
    for trace in traces(run):
        assert trace["ok"], trace["errors"]
        data, record = trace["task"]["data"], trace["info"]["grade"]
        kernel = get_kernel(data["kernel"])
        asked = [node["message"]["content"] for node in trace["nodes"] if not node["sampled"]]
        assert asked == [SYSTEM_PROMPTS[arch], kernel.prompt]
        assert trace["task"]["key"] == f"{kernel.name}/{arch}"
        assert (record["kernel"], record["arch"], record["sandbox"]) == (kernel.name, arch, sandbox)
        assert scores(trace) == rewards(record) | metrics(record)
        assert set(trace["metrics"]) == set(METRICS)
        records[f"{kernel.name} {reply_text(trace)}"] = record
    assert Counter(record["verdict"] for record in records.values()) == VERDICTS
    return records


def same_grading(record: dict, again: dict) -> None:
    """Equal but for what is measured."""
    assert (record["verdict"], record["kernel_version"]) == (again["verdict"], again["kernel_version"])
    for name in ("answer_parsed", "compiled", "correct", "within_memory", "passed", "schema", "emulated"):
        assert record[name] == again[name]
    assert record["kernel_score"] == pytest.approx(again["kernel_score"], abs=NOISE)
    if record["passed"]:
        assert record["kernel_score"] == pytest.approx(speedup_score(record["speedup"]))


def check_import(run: Path) -> None:
    """The site reads the folder as it is: every answer, with the run's own scores beside."""
    bundle = importing.import_bundle(bundle_reading.read(bundle_files.keep_path(run)))
    found = list(traces(run))
    assert (bundle.state, bundle.answers, bundle.added, bundle.skipped) == ("imported", len(found), len(found), 0)
    entries = {entry.submission.identity: entry for entry in bundle.entries.select_related("submission")}
    for trace in found:
        entry = entries[f"trace:{trace['id']}"]
        known = {name: value for name, value in scores(trace).items() if value is not None}
        extra = {"verdict": trace["info"]["grade"]["verdict"], "arch": trace["task"]["data"]["arch"]}
        assert entry.scores == known | extra
        assert entry.submission.reply == reply_text(trace)
    assert Result.objects.queued().count() == 2 * len(found)  # graded anew here, on both architectures


@pytest.mark.django_db
@pytest.mark.usefixtures("kernels")
def test_the_local_sandboxes_scores_are_those_of_the_command_line(verifiers: Verifiers, stub: OpenAIStub, tmp_path: Path):
    arch = host_arch()
    verifiers.run(verifiers.command(stub.url, MODEL, *options(arch, "local")), tmp_path, {})
    run = run_folder(tmp_path)
    records = check_traces(run, arch, "local")
    check_import(run)
    for key, record in records.items():
        reply = tmp_path / "reply.txt"
        reply.write_text(key.partition(" ")[2], encoding="utf-8")
        command = [sys.executable, "-m", "grading", "--json", "--reply", "--kernel", record["kernel"], str(reply)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        same_grading(record, json.loads(done.stdout))

    # Scored again from the traces alone: without a sandbox, without a model, the same.
    before = {trace["id"]: scores(trace) for trace in traces(run)}
    verifiers.run([str(verifiers.folder / "bin" / "vf-replay"), str(run), "--no-rich"], tmp_path, {})
    (replay,) = (tmp_path / "outputs").glob("*--replay/*")
    assert {trace["id"]: scores(trace) for trace in traces(replay)} == before


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_a_prime_sandboxes_verdicts_are_the_graders(verifiers: Verifiers, stub: OpenAIStub, tmp_path: Path, monkeypatch, arch):
    with PrimeDouble() as double:
        surroundings = double.environment | {"ARCH_KERNELS_CACHE": str(tmp_path / "cache")}
        verifiers.run(verifiers.command(stub.url, MODEL, *options(arch, "prime")), tmp_path, surroundings)
        records = check_traces(run_folder(tmp_path), arch, "prime")
        assert double.made == 1
        assert double.running == []  # the run ends what it started
        assert {record["machine"]["memory_gb"] for record in records.values() if record["machine"]} == {4.0}

        for name, value in surroundings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("HOME", str(tmp_path))
        with closing(open_sandbox("prime", arch)) as sandbox:
            for key, record in records.items():
                reply = key.partition(" ")[2]
                same_grading(record, grade_reply(reply, get_kernel(record["kernel"]), sandbox).to_dict())

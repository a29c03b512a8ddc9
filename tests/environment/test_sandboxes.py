"""Concurrent rollouts share one sandbox per architecture; a vf-eval that ends, in whatever way, leaves none behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from grading.sandbox.prime.sweep import UNUSED_S, sweep
from tests.doubles.openai import OpenAIStub
from tests.doubles.prime.canned import CannedBox, CannedDouble
from tests.environment.running import Verifiers, run_folder, scores, traces

pytestmark = pytest.mark.environment

MODEL = "stub/portable-70b"
KERNELS = "dot_f32,crc32_ieee,levenshtein,sort_u32"  # of which its first two rollouts all have an answer
ROLLOUTS = ["-r", "2", "--env.taskset.kernels", KERNELS]
STARTED_S, ENDED_S = 120, 60  # on a busy machine


def surroundings(double: CannedDouble, folder: Path) -> dict[str, str]:
    return double.environment | {"ARCH_KERNELS_CACHE": str(folder / "cache")}


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.05)
    return true()


def test_eight_concurrent_rollouts_are_graded_one_at_a_time_in_one_sandbox_an_architecture(
    verifiers: Verifiers, stub: OpenAIStub, tmp_path: Path
):
    with CannedDouble(grade_s=0.4) as double:
        runs = {}
        for arch in ("amd64", "arm64"):  # both at once
            folder = tmp_path / arch
            folder.mkdir()
            command = verifiers.command(stub.url, MODEL, *ROLLOUTS, "--env.taskset.arch", arch, "-c", "8")
            runs[folder] = verifiers.start(command, folder, surroundings(double, tmp_path))
        boxes: dict[str, CannedBox] = {}
        while any(process.poll() is None for process in runs.values()):
            boxes |= {box.id: box for box in double.running if isinstance(box, CannedBox)}
            time.sleep(0.02)
        assert double.made == 2
        assert sorted(box.arch for box in boxes.values()) == ["amd64", "arm64"]
        assert [box.most_inside for box in boxes.values()] == [1, 1]
        assert double.running == []
    for folder in runs:
        found = list(traces(run_folder(folder)))
        assert len(found) == 8
        assert all(trace["ok"] and scores(trace)["passed"] == 1.0 for trace in found)


@pytest.fixture
def grading(verifiers: Verifiers, stub: OpenAIStub, tmp_path: Path):
    """grading(double): a vf-eval that has its first answer in the double's sandbox."""
    started: list[subprocess.Popen[bytes]] = []

    def start(double: CannedDouble) -> subprocess.Popen[bytes]:
        command = verifiers.command(stub.url, MODEL, *ROLLOUTS, "--env.taskset.arch", "amd64")
        before = double.count("execute")
        started.append(verifiers.start(command, tmp_path, surroundings(double, tmp_path)))
        assert wait_until(lambda: double.count("execute") >= before + 4, STARTED_S)  # looking, building, describing, grading
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_one_that_is_told_to_end_ends_its_sandbox_at_once(grading, number):
    with CannedDouble(grade_s=30) as double:
        process = grading(double)
        assert len(double.running) == 1
        process.send_signal(number)
        assert process.wait(ENDED_S) == 130
        assert double.running == []
        assert double.made == 1


def test_a_killed_ones_sandbox_is_ended_by_the_service_when_it_is_idle(grading):
    with CannedDouble(grade_s=2, minute_s=0.1) as double:
        process = grading(double)
        process.kill()
        process.wait()
        assert len(double.running) == 1
        assert wait_until(lambda: double.running == [], ENDED_S)
        assert double.made == 1


@pytest.mark.slow
def test_a_killed_ones_sandbox_is_used_by_the_next_run_or_ended_by_the_sweep(grading, tmp_path: Path, monkeypatch):
    with CannedDouble(grade_s=0.2) as double:
        process = grading(double)
        process.kill()
        process.wait()
        for name, value in surroundings(double, tmp_path).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert sweep() == []  # somebody may come back for it
        (left,) = double.running

        second = grading(double)
        assert double.running == [left]
        second.kill()
        second.wait()

        long_ago = time.time() - UNUSED_S - 60
        for slot in (tmp_path / "cache" / "prime-slots").iterdir():
            os.utime(slot, times=(long_ago, long_ago))
        left.made_at -= timedelta(seconds=UNUSED_S + 60)
        assert sweep() == [left.id]
        assert double.running == []


def test_without_a_key_no_model_is_asked_and_every_rollout_is_an_error(verifiers: Verifiers, stub: OpenAIStub, tmp_path: Path):
    command = verifiers.command(stub.url, MODEL, *ROLLOUTS, "--env.taskset.arch", "arm64")
    verifiers.run(command, tmp_path, {})
    found = list(traces(run_folder(tmp_path)))
    assert len(found) == 8
    for trace in found:
        assert not trace["ok"]
        assert "PRIME_API_KEY is not set" in trace["errors"][0]["message"]
        assert trace["rewards"] == {}
    assert stub.requests == []


def test_a_provider_error_is_not_graded_and_a_sandbox_that_fails_is_no_score(verifiers: Verifiers, tmp_path: Path):
    answer = "<answer>float dot_f32(const float *a, const float *b, size_t n) { return 0; }</answer>"
    replies = {"stub/unlucky": {"dot_f32": [answer], "crc32_ieee": [400]}}
    with OpenAIStub(replies) as stub, CannedDouble(grade_s=0.1) as double:
        double.troubles.plan("create", "422", times=50)  # refused, as without credit
        command = verifiers.command(stub.url, "stub/unlucky", "--env.taskset.arch", "amd64")
        verifiers.run([*command, "--env.taskset.kernels", "dot_f32,crc32_ieee"], tmp_path, surroundings(double, tmp_path))
        found = {trace["task"]["data"]["kernel"]: trace for trace in traces(run_folder(tmp_path))}
        assert found["crc32_ieee"]["stop_condition"] == "provider_error"
        assert found["dot_f32"]["errors"][-1]["type"] == "TaskError"
        for trace in found.values():
            assert not trace["ok"]
            assert not any(reward for reward in trace["rewards"].values())
            assert "grade" not in trace["info"]
        assert double.count("create") >= 1

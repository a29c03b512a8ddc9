"""The doubles on their own."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from grading.pipeline import grade_source
from grading.sandbox.prime.sandbox import PrimeSandbox
from kernels.catalog import get_kernel
from tests.doubles.prime.canned import CannedDouble
from tests.doubles.prime.trouble import Troubles

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def standalone(surroundings, monkeypatch):
    """The double in a process of its own, as for the demonstration."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.doubles.prime", "--port", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    for _ in range(5):
        name, _, value = process.stdout.readline().strip().partition("=")
        monkeypatch.setenv(name, value)
    yield process
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 0


def test_it_serves_on_its_own(standalone):
    sandbox = PrimeSandbox("arm64")
    assert sandbox.run(["uname", "-m"], 10).stdout == b"aarch64\n"
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    calls = json.load(ask.open(f"{os.environ['PRIME_API_BASE_URL']}/double/calls"))
    assert calls["running"] == [sandbox.place.id]
    sandbox.close()


def test_trouble_can_be_planned_from_another_process(standalone):
    url = f"{os.environ['PRIME_API_BASE_URL']}/double/trouble"
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    ask.open(urllib.request.Request(url, json.dumps({"call": "execute", "what": "503", "after": 2}).encode())).close()
    sandbox = PrimeSandbox("amd64")
    assert sandbox.run(["true"], 10).exit_code == 0
    calls = json.load(ask.open(f"{os.environ['PRIME_API_BASE_URL']}/double/calls"))["calls"]
    assert [call["trouble"] for call in calls if call["name"] == "execute"] == ["", "", "503", ""]
    sandbox.close()


def test_the_canned_one_executes_nothing_and_takes_its_time(surroundings, monkeypatch):
    with CannedDouble(grade_s=0.3) as double:
        for name, value in double.environment.items():
            monkeypatch.setenv(name, value)
        sandbox = PrimeSandbox("arm64")
        kernel = get_kernel("matmul_f32")
        grade_source("nonsense", kernel, sandbox)
        began = time.monotonic()
        result = grade_source("nonsense", kernel, sandbox)
        assert time.monotonic() - began >= 0.3
        assert (result.verdict, result.arch, round(result.speedup, 1)) == ("passed", "arm64", 2.0)
        sandbox.close()


def test_chaos_is_the_same_for_the_same_seed():
    first, second = (Troubles(chaos=0.3, seed=5) for _ in range(2))
    assert [first.next("execute") for _ in range(50)] == [second.next("execute") for _ in range(50)]


def test_chaos_comes_to_commands_and_uploads_in_its_share():
    troubles = Troubles(chaos=0.3, seed=5)
    share = sum(bool(troubles.next("execute")) for _ in range(1000)) / 1000
    assert 0.25 < share < 0.35
    assert not any(troubles.next("create") for _ in range(100))


def test_an_unknown_call_cannot_be_troubled():
    with pytest.raises(ValueError):
        Troubles().plan("nothing", "503")

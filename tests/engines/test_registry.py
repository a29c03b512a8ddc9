"""A sandbox is tested by being in the registry."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = "tests/engines/test_contract.py"
QUICK = "local2 and (byte_for_byte or plain_names or taken_away_is_a_fault or their_verdicts or was_measured or asked_for)"


def contract(*options: str) -> str:
    """What pytest says of the contract, with one sandbox more in the registry."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.engines.second_local",
        "-p",
        "no:cacheprovider",
        "-q",
        *options,
        CONTRACT,
    ]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_new_sandbox_has_to_keep_the_whole_contract():
    found = defaultdict(list)
    for test, sandbox, rest in re.findall(r"::(\w+)\[(local2?)\b(.*)\]", contract("--collect-only")):
        found[sandbox].append((test, rest))
    assert found["local2"] == found["local"]
    assert len(found["local2"]) > 30


def test_the_contract_runs_on_a_new_sandbox():
    passed = re.search(r"(\d+) passed, \d+ deselected", contract("-k", QUICK))
    assert passed
    assert int(passed[1]) > 10


@pytest.mark.slow
def test_the_whole_contract_runs_on_a_new_sandbox():
    assert re.search(r"\d\d passed", contract("-k", "local2"))

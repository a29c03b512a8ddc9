"""Fixtures: verifiers in its own virtual environment, an endpoint with real answers, a double of the Prime service."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.openai import OpenAIStub, recorded
from tests.environment.running import ROOT, Verifiers


@pytest.fixture(scope="session")
def verifiers() -> Verifiers:
    done = subprocess.run([ROOT / "scripts" / "setup_environment.sh"], capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        pytest.skip(f"verifiers cannot be installed here: {last}")
    return Verifiers(Path(done.stdout.strip().splitlines()[-1]))


@pytest.fixture
def stub() -> Iterator[OpenAIStub]:
    with OpenAIStub(recorded()) as stub:
        yield stub

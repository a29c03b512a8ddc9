"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
RUNS = ROOT / "submissions" / "runs"  # run folders of verifiers 0.4
OLDER_RUNS = ROOT / "data" / "runs"  # older writers, and smaller runs of other tasks


@pytest.fixture
def runs() -> Path:
    return RUNS


@pytest.fixture
def older_runs() -> Path:
    return OLDER_RUNS

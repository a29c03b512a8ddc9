"""What all tests share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

# A shell starts what it runs in the background (`make test &`) with Ctrl-C ignored, and all that is started by it inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent
RUNS = ROOT / "submissions" / "runs"  # run folders of verifiers 0.4
OLDER_RUNS = ROOT / "data" / "runs"  # older writers, and smaller runs of other tasks


@pytest.fixture
def runs() -> Path:
    return RUNS


@pytest.fixture
def older_runs() -> Path:
    return OLDER_RUNS

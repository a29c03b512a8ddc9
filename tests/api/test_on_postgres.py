"""What this folder's tests say of SQLite holds on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.postgres import Postgres

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tests/api", "tests/site/test_whole_bundles.py", "tests/site/test_importing.py", "tests/site/test_queueing.py")

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.remove()


def test_the_api_is_the_same_on_postgresql(postgres: Postgres, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"DATABASE_URL": postgres.url, "SECRET_KEY": "only for tests", "DATA_DIR": str(tmp_path)}
    quick = ["-m", "not fuzz and not engine and not browser", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *quick, *FOLDERS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]

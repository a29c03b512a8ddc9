"""An import that is killed, really killed, goes on from what is there."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.bundles.test_memory import manage
from tests.conftest import ROOT
from tests.site.bundles import lines, row
from tests.site.running import wait_until

ROWS = 1200


def answers(data: Path) -> int:
    with closing(sqlite3.connect(data / "db.sqlite3", timeout=20)) as database:
        (count,) = database.execute("select count(*) from leaderboard_bundleentry").fetchone()
    return int(count)


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, ROWS // 3])
def test_an_import_that_is_killed_midway_goes_on_and_ends_the_same(tmp_path: Path, at: int) -> None:
    for command in (["migrate", "-v0"], ["sync_kernels"]):
        manage(tmp_path, *command)
    path = tmp_path / "answers.jsonl"
    path.write_bytes(lines(*(row(answer=f"<answer>int x{number};</answer>") for number in range(ROWS))))
    kept = {
        key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")
    }
    command = [sys.executable, "manage.py", "import_bundle", str(path)]
    process = subprocess.Popen(
        command,
        env=kept | {"DATA_DIR": str(tmp_path)},
        cwd=ROOT.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: answers(tmp_path) >= at or process.poll() is not None, 300, "the import's first rows")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert at <= answers(tmp_path) < ROWS
    _, output, _ = manage(tmp_path, "import_bundle", str(path))
    assert "The same file is here already" in output
    assert f"{ROWS} answers, {ROWS} new, 0 not graded" in output
    assert answers(tmp_path) == ROWS
    _, output, _ = manage(tmp_path, "import_bundle", str(path))
    assert f"{ROWS} answers, {ROWS} new" in output
    assert answers(tmp_path) == ROWS

"""Work of each kind that really kills its process, forty times: it is failed after a few, and the queue goes on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from leaderboard.services import bulk_actions, bundle_lease, evaluations
from tests.conftest import ROOT
from tests.evaluation.endpoint import Endpoint, Handler, answer
from tests.site.running import wait_until

ATTEMPTS = {"result": 5, "bulk action": bulk_actions.ATTEMPTS} | dict.fromkeys(
    ("bundle", "reading", "deletion"), bundle_lease.ATTEMPTS
)
ENDS = {"result": "done", "bundle": "imported", "reading": "preview", "deletion": "gone", "bulk action": "done"}


def site_of(data: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY", "ARCH_KERNELS_TESTS")}
    return (
        kept
        | {"DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "leaderboard.settings", "BACKOFF_S": "0"}
        | {"ARCH_KERNELS_GRADER": "tests.site.fake_grader", "PYTHONPATH": str(ROOT.parent)}
        | more
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENDS)
def test_what_kills_its_process_is_failed_after_a_few_attempts_and_the_next_one_is_done(tmp_path: Path, kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.site.die_at_work", kind],
        env=site_of(tmp_path),
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["signals"] == [signal.SIGKILL] * ATTEMPTS[kind] + [0] * (40 - ATTEMPTS[kind])
    assert (found["poison"]["state"], found["poison"]["worker"]) == ("failed", "")
    assert f"disappeared, attempt {ATTEMPTS[kind]} of {ATTEMPTS[kind]}." in found["poison"][found["reason"]]
    assert found["other"]["state"] == ENDS[kind]


FIRST, SECOND = "dot_f32", "prefix_sum_i64"
EVALUATE = """
import sys, threading
import django
django.setup()
from leaderboard.services import evaluations
real = evaluations.subprocess.Popen
started = []
def note(*arguments, **more):
    started.append(real(*arguments, **more))
    return started[-1]
evaluations.subprocess.Popen = note
evaluations.launch()
print([process.wait() for process in started])
"""


@pytest.mark.slow
def test_an_evaluation_that_is_killed_at_its_second_question_each_time_is_failed_and_the_next_one_is_done(tmp_path: Path) -> None:
    """Killed from outside, while it asks: each new process finds the first answer there, and gets no further."""

    def query(sql: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(tmp_path / "db.sqlite3", timeout=20)) as database, database:
            return database.execute(sql, values).fetchall()

    def kill_or_answer(handler: Handler, request: dict[str, Any]) -> None:
        if request["model"] == "lab/poison" and SECOND in json.dumps(request):
            asked = "select worker from leaderboard_evaluation where model = 'lab/poison' and answered"
            wait_until(lambda: bool(query(asked)), 120, "the first answer")
            os.kill(int(query(asked)[0][0].split(":")[-2]), signal.SIGKILL)
        else:
            answer()(handler, request)

    with Endpoint(kill_or_answer) as endpoint:
        site = site_of(tmp_path, EVALUATION_ENDPOINTS=f"here={endpoint.url}=")
        for command in (["migrate", "-v0"], ["sync_kernels"]):
            subprocess.run([sys.executable, "manage.py", *command], env=site, cwd=ROOT.parent, check=True, capture_output=True)
        for model in ("lab/poison", "lab/fine"):
            query(
                "insert into leaderboard_evaluation (endpoint, model, rollouts, kernels, public, state, total, answered, errors,"
                " said, attempt, worker, created_at) values ('here', ?, 1, ?, 0, 'queued', 0, 0, 0, '', 0, '', '2026-12-03')",
                model,
                json.dumps([FIRST, SECOND]),
            )
        ends = []
        for _ in range(40):
            done = subprocess.run(
                [sys.executable, "-c", EVALUATE], env=site, cwd=ROOT.parent, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            ends.append(json.loads(done.stdout.splitlines()[-1]))
            if ends[-1] == []:  # nothing is left to be begun
                break
        assert len(ends) <= evaluations.ATTEMPTS + 3, ends
        states = dict(query("select model, state from leaderboard_evaluation"))
        ((said,),) = query("select said from leaderboard_evaluation where model = 'lab/poison'")
    assert states == {"lab/poison": "failed", "lab/fine": "done"}
    assert "disappeared" in said
    assert "Resume" in said
    assert ends.count([-signal.SIGKILL]) >= evaluations.ATTEMPTS

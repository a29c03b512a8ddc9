"""Who works on a row, and what becomes of it when that process dies: the same for results, bundles, bulk actions, evaluations."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files import File
from django.utils import timezone

from leaderboard import tasks
from leaderboard.lib.processes import here, process_name
from leaderboard.models import BulkAction, Bundle, Evaluation, Result, Submission
from leaderboard.services import (
    bulk_actions,
    bundle_decisions,
    bundle_files,
    bundle_lease,
    evaluations,
    importing,
    leases,
    queueing,
)
from leaderboard.services.leases import Leases
from tests.site.bundles import lines, row

DEAD = f"{here()}:4194305:1"
ELSEWHERE = "another-host:1:2"
Make = Callable[[str], Any]
KINDS: dict[str, Leases] = {
    "result": queueing.RESULTS,
    "bundle": bundle_lease.BUNDLES,
    "bulk action": bulk_actions.ACTIONS,
    "evaluation": evaluations.EVALUATIONS,
}


@pytest.fixture
def make(db: None, queue: Callable[..., Result], kernels: Any, admin_user: Any) -> Callable[[str], Any]:
    """make("bundle"): a row that waits to be worked on; each is another one."""

    def make_one(kind: str) -> Any:
        if kind == "result":
            return queue()
        if kind == "bundle":
            data = lines(row(trace_id=uuid4().hex))
            bundle = bundle_files.keep_file(File(io.BytesIO(data)), name="run.jsonl")
            bundle_decisions.confirm_when_read(bundle)
            return bundle
        if kind == "bulk action":
            queue()
            action = bulk_actions.plan("move_first", Result.objects.all(), admin_user)
            BulkAction.objects.filter(pk=action.pk).update(state=BulkAction.State.RUNNING)
            return action
        evaluation = Evaluation(endpoint="here", model="lab/one")
        evaluations.begin(evaluation)
        return evaluation

    return make_one


def carry_on(kind: str) -> None:
    """What the sweep does for this kind, or a worker of an architecture."""
    if kind == "result":
        tasks.look_after_the_queue()
        tasks.tick("amd64")
    else:
        {"bundle": tasks.carry_on_bundles, "bulk action": tasks.carry_on_actions, "evaluation": evaluations.launch}[kind]()


@pytest.fixture
def dies(monkeypatch: pytest.MonkeyPatch, fake: Any) -> Callable[[str, int], None]:
    """dies("bundle", pk): from now on, the process that works on that row is dead as soon as it begins."""

    class Killed(BaseException):
        """As SIGKILL: nobody tidies up."""

    def choose(kind: str, doomed: int) -> None:
        of = KINDS[kind]
        claim = of.claim

        def claim_and_die(pk: int, *arguments: Any, **more: Any) -> Any:
            token = claim(pk, *arguments, **more)
            if token and pk == doomed:
                of.held(token).update(worker=DEAD)
                raise Killed
            return token

        monkeypatch.setattr(of, "claim", claim_and_die)
        monkeypatch.setattr(evaluations, "start_process", lambda pk, token: evaluations.finish(token, "done"))

    choose.killed = Killed  # type: ignore[attr-defined]
    return choose


@pytest.mark.parametrize("kind", KINDS)
def test_what_kills_its_process_every_time_is_failed_in_the_end_and_the_queue_goes_on(
    make: Callable[[str], Any], dies: Any, kind: str, settings: Any
) -> None:
    settings.SWEEP_S = 0
    poison, other = make(kind), make(kind)
    dies(kind, poison.pk)
    table, begun = KINDS[kind].table._default_manager, 0
    for _ in range(40):
        try:
            carry_on(kind)
        except dies.killed:
            begun += 1
        table.filter(pk=poison.pk).update(not_before=None)  # a minute later
    poison.refresh_from_db()
    other.refresh_from_db()
    assert poison.state == "failed"
    assert begun <= KINDS[kind].attempts() + (bundle_lease.TAKE_BACK_ATTEMPTS + 1 if kind == "bundle" else 0)
    reason = getattr(poison, KINDS[kind].reason)
    assert "disappeared" in reason
    assert f"of {KINDS[kind].attempts()}" in reason
    assert (poison.lease_token, poison.worker) == (None, "")
    assert other.state in ("done", "imported")


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_dead_process_of_this_host_held_is_free_at_once(make: Callable[[str], Any], kind: str) -> None:
    of, held = KINDS[kind], make(kind)
    assert of.claim(held.pk, worker=DEAD)
    assert of.reclaim() == 1
    held.refresh_from_db()
    assert (held.lease_token, held.attempt) == (None, 1)
    assert of.claim(held.pk)


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_comes_by_hand_takes_over_from_a_dead_process_without_the_sweep(make: Callable[[str], Any], kind: str) -> None:
    of, held = KINDS[kind], make(kind)
    assert of.claim(held.pk, worker=DEAD)
    assert of.claim(held.pk, worker=ELSEWHERE)
    assert of.claim(held.pk) is None


@pytest.mark.parametrize("kind", KINDS)
def test_two_hosts_whose_clocks_differ_by_hours_neither_take_nor_lose_a_row(
    make: Callable[[str], Any], kind: str, monkeypatch: pytest.MonkeyPatch, seen_before: None
) -> None:
    of, held, now = KINDS[kind], make(kind), timezone.now
    for hours in (-3, 3):
        with monkeypatch.context() as patched:
            patched.setattr(timezone, "now", lambda hours=hours: now() + timedelta(hours=hours))
            token = of.claim(held.pk, worker=ELSEWHERE)
            assert token, hours
        assert of.reclaim() == 0
        with monkeypatch.context() as patched:
            patched.setattr(timezone, "now", lambda hours=hours: now() - timedelta(hours=hours))
            assert of.reclaim() == 0
            assert of.claim(held.pk) is None
            assert of.renew(token)
        assert of.give_back(token)
    held.refresh_from_db()
    assert held.attempt == 0


@pytest.mark.parametrize("kind", KINDS)
def test_when_the_clock_jumps_ahead_whoever_lives_keeps_the_row_and_the_dead_lose_it(
    make: Callable[[str], Any], kind: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, table = KINDS[kind], KINDS[kind].table._default_manager
    living, dead, clock = make(kind), make(kind), [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    token = of.claim(living.pk, worker=ELSEWHERE)
    assert token
    assert of.claim(dead.pk, worker=ELSEWHERE)
    table.exclude(lease_token=None).update(lease_until=leases.from_now(-3600))  # as if an hour were over
    assert of.reclaim() == 0
    clock[0] += settings.BEAT_S + 1
    assert of.renew(token)
    assert of.reclaim() == 0
    clock[0] += 2 * settings.BEAT_S
    assert of.reclaim() == 1
    living.refresh_from_db()
    dead.refresh_from_db()
    assert (living.lease_token, dead.lease_token) == (token, None)


def test_a_lease_and_the_two_looks_after_it_are_over_within_a_minute(settings: Any) -> None:
    beat_s = 5.0  # the default; tests beat more seldom
    assert settings.LEASE_S + leases.LOOKED_AGAIN * beat_s + settings.SWEEP_S < 60
    assert leases.LONGEST_PAUSE_S + settings.SWEEP_S < 60
    assert 5 * beat_s < settings.LEASE_S


@pytest.mark.parametrize("kind", KINDS)
def test_a_stop_in_order_and_a_fault_of_the_host_count_no_attempt(make: Callable[[str], Any], kind: str) -> None:
    of, held = KINDS[kind], make(kind)
    for _ in range(40):
        token = of.claim(held.pk)
        assert token
        assert of.give_back(token, "our disk is full")
    held.refresh_from_db()
    assert (held.attempt, getattr(held, of.reason)) == (0, "our disk is full")
    assert of.free().filter(pk=held.pk).exists()


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_lost_the_lease_writes_nothing(make: Callable[[str], Any], kind: str) -> None:
    of, held = KINDS[kind], make(kind)
    late = of.claim(held.pk, worker=DEAD)
    assert late
    of.reclaim()
    token = of.claim(held.pk)
    assert token
    assert not of.finish(late, **{of.reason: "written by the late one"})
    assert not of.renew(late)
    assert not of.give_back(late)
    assert not of.retry(late, "failed")
    held.refresh_from_db()
    assert (held.lease_token, held.worker) == (token, process_name())
    assert getattr(held, of.reason) != "written by the late one"


@pytest.mark.usefixtures("seen_before")
@pytest.mark.parametrize("kind", KINDS)
def test_the_databases_clock_says_when_a_lease_is_over(make: Callable[[str], Any], kind: str) -> None:
    of, held = KINDS[kind], make(kind)
    assert of.claim(held.pk, worker=ELSEWHERE)
    table = of.table._default_manager
    for seconds, reclaimed in ((60, 0), (-0.001, 1)):
        table.filter(pk=held.pk).exclude(lease_token=None).update(lease_until=leases.from_now(seconds))
        assert of.reclaim() == reclaimed, seconds


KILLED = """
import os, signal, sys
import django
django.setup()
from django.core.management import call_command
from leaderboard.services import importing
importing._import = lambda *arguments: os.kill(os.getpid(), signal.SIGKILL)
call_command("import_bundle", sys.argv[1])
"""


@pytest.mark.slow
def test_an_import_whose_process_is_really_killed_forty_times_is_failed(tmp_path: Any) -> None:
    kept = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY")}
    environment = kept | {"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "leaderboard.settings", "BACKOFF_S": "0"}
    for command in (["migrate", "-v0"], ["sync_kernels"]):
        subprocess.run([sys.executable, "manage.py", *command], env=environment, check=True)
    path = tmp_path / "answers.jsonl"
    path.write_bytes(lines(row()))
    codes = []
    for _ in range(40):
        command = [sys.executable, "-c", KILLED, str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        codes.append(done.returncode)
        if done.returncode != -9:
            break
    assert codes == [-9] * bundle_lease.ATTEMPTS + [1], done.stdout + done.stderr
    assert "disappeared" in done.stdout + done.stderr


def test_an_import_that_is_given_up_takes_back_what_it_brought(
    make: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = make("bundle")
    whole = importing._bring

    def bring_and_die(*arguments: Any) -> Any:
        whole(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(importing, "_bring", bring_and_die)
        patched.setattr(bundle_lease.BUNDLES, "give_back", lambda *_: None)  # it could not tidy up
        bundle.refresh_from_db()
        with pytest.raises(KeyboardInterrupt):
            importing.import_bundle(bundle)
    Bundle.objects.update(worker=DEAD, attempt=bundle_lease.ATTEMPTS)
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert bundle.state == "failed"
    assert "disappeared" in bundle.error
    assert not Submission.objects.exists()

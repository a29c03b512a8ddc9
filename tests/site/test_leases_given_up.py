"""What counts as an attempt, what does not, and what an operator finds of work that was given up, for each kind of it."""

from __future__ import annotations

import io
import re
import signal
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files import File
from django.core.management import call_command
from django.db import connection
from django.db.models import Count, TextField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Now
from django.test import Client
from django.utils import timezone
from django_q.exceptions import TimeoutException

from leaderboard import tasks
from leaderboard.lib.processes import here, process_name
from leaderboard.models import BulkAction, Bundle, Evaluation, Result, Submission
from leaderboard.services import (
    all_leases,
    bulk_actions,
    bundle_files,
    bundle_lease,
    bundle_reading,
    evaluations,
    importing,
    leases,
)
from leaderboard.worker.supervisor import Supervisor
from tests.site.admin_pages import text_of
from tests.site.bundles import lines, row
from tests.site.test_leases import DEAD, ELSEWHERE, KINDS, Make, carry_on
from tests.site.test_leases import make as make

AGAIN = {  # what the reason of work that was given up tells an operator to do
    "result": "Retry gradings that failed on our side",
    "bundle": "Read it again",
    "bulk action": "Retry the rest",
    "evaluation": "Resume",
}


def test_every_kind_of_work_is_known_to_those_that_look_after_all(db: None) -> None:
    assert list(all_leases.ALL) == list(KINDS.values())


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_given_up_says_what_happened_and_what_to_do(make: Make, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of, held = KINDS[kind], make(kind)
    of.rows.filter(pk=held.pk).update(attempt=of.attempts() - 1)
    assert of.claim(held.pk, worker=DEAD)
    of.reclaim()
    held.refresh_from_db()
    reason = getattr(held, of.reason)
    assert held.state == "failed"
    assert f"disappeared, attempt {of.attempts()} of {of.attempts()}" in reason
    assert AGAIN[kind] in reason
    assert here() not in reason  # an uploader need not know what the host is called


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_tried_again_says_nothing_of_what_to_do(make: Make, kind: str) -> None:
    of, held = KINDS[kind], make(kind)
    assert of.claim(held.pk, worker=DEAD)
    of.reclaim()
    held.refresh_from_db()
    assert getattr(held, of.reason).endswith(f"attempt 1 of {of.attempts()}.")


@pytest.mark.parametrize("kind", KINDS)
def test_a_lease_that_is_renewed_while_the_sweep_looks_at_it_is_left_alone(
    make: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, held = KINDS[kind], make(kind)
    token = of.claim(held.pk, worker=ELSEWHERE)
    assert token
    of.rows.update(lease_until=leases.from_now(-60))
    monkeypatch.setattr(leases.Leases, "_was_seen_before", lambda self, row: of.renew(token))  # in this very moment
    assert of.reclaim() == 0
    held.refresh_from_db()
    assert (held.lease_token, held.attempt) == (token, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_site_that_ends_gives_back_what_its_killed_processes_held_and_counts_no_attempt(
    make: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, ours, others = KINDS[kind], make(kind), make(kind)
    of.rows.filter(pk=ours.pk).update(**{of.reason: "said before"})
    assert of.claim(ours.pk, worker=process_name())
    assert of.claim(others.pk, worker=ELSEWHERE)
    all_leases.give_back(process_name(), "another")
    ours.refresh_from_db()
    others.refresh_from_db()
    assert (ours.lease_token, ours.attempt, others.attempt) == (None, 0, 1)
    assert others.lease_token
    assert of.free().filter(pk=ours.pk).exists()


def test_the_supervisor_gives_back_every_kind(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, ...]] = []
    monkeypatch.setattr(all_leases, "give_back", lambda *workers: given.append(workers))
    Supervisor([]).stop()
    assert given == [()]


@pytest.mark.parametrize("kind", ["bundle", "bulk action"])
def test_what_hangs_until_its_task_is_ended_is_failed_after_a_few_attempts(
    make: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, poison, other = KINDS[kind], make(kind), make(kind)
    whole, begun = {"bundle": importing._import, "bulk action": bulk_actions._work_off}[kind], 0

    def hangs_at_the_first(row: Any, *more: Any) -> Any:
        nonlocal begun
        if row.pk == poison.pk:
            begun += 1
            raise TimeoutException
        return whole(row, *more)

    monkeypatch.setattr(*{"bundle": (importing, "_import"), "bulk action": (bulk_actions, "_work_off")}[kind], hangs_at_the_first)
    for _ in range(40):
        try:
            carry_on(kind)
        except TimeoutException:
            of.rows.filter(pk=poison.pk).update(not_before=None)
    poison.refresh_from_db()
    other.refresh_from_db()
    assert (poison.state, begun) == ("failed", of.attempts())
    assert "did not end within" in getattr(poison, of.reason)
    assert AGAIN[kind] in getattr(poison, of.reason)
    assert other.state in ("done", "imported")


@pytest.mark.parametrize("kind", ["bundle", "bulk action"])
def test_what_is_stopped_in_order_counts_no_attempt_and_keeps_its_reason(
    make: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, held = KINDS[kind], make(kind)
    of.rows.filter(pk=held.pk).update(**{of.reason: "RuntimeError: a bug", "attempt": 2})
    monkeypatch.setattr(
        *{"bundle": (importing, "_import"), "bulk action": (bulk_actions, "_work_off")}[kind],
        lambda *_: sys.exit(0),
    )
    for _ in range(40):
        with pytest.raises(SystemExit):
            carry_on(kind)
    held.refresh_from_db()
    assert (held.attempt, getattr(held, of.reason), held.lease_token) == (2, "RuntimeError: a bug", None)


# An evaluation has all its attempts again only when an answer has come in


def test_an_evaluation_that_gets_no_further_has_no_more_attempts(make: Make) -> None:
    evaluation = make("evaluation")
    Evaluation.objects.filter(pk=evaluation.pk).update(attempt=3, answered=5)
    token = evaluations.EVALUATIONS.claim(evaluation.pk)
    assert token
    for answered, attempt in ((5, 4), (4, 4), (6, 1)):
        assert evaluations.report(token, answered=answered, errors=0, total=9)
        evaluation.refresh_from_db()
        assert (evaluation.attempt, evaluation.answered) == (attempt, answered)
        Evaluation.objects.filter(pk=evaluation.pk).update(answered=5)


def test_an_evaluation_that_a_former_version_put_off_goes_on(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation, started = make("evaluation"), list[int]()
    later = timezone.now() + timedelta(minutes=1)
    Evaluation.objects.filter(pk=evaluation.pk).update(state="running", lease_token=None, lease_until=later)
    monkeypatch.setattr(evaluations, "start_process", lambda pk, token: started.append(pk))
    evaluations.launch()
    assert started == [evaluation.pk]


# By hand


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a bug")


def test_an_import_by_hand_does_not_wait_for_the_pause(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = make("bundle")
    with monkeypatch.context() as patched:
        patched.setattr(importing, "_import", broken)
        for _ in range(2):
            bundle.refresh_from_db()
            with pytest.raises(RuntimeError):
                importing.import_bundle(bundle)
    bundle.refresh_from_db()
    assert bundle.not_before
    tasks.carry_on_bundles()  # the sweep does
    bundle.refresh_from_db()
    assert bundle.state == Bundle.State.IMPORTING
    assert importing.import_bundle(bundle).state == Bundle.State.IMPORTED


def test_a_failed_bundle_is_read_again_by_a_button_of_its_page_and_not_within_the_request(
    admin_client: Client, kernels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundle_files.keep_file(File(io.BytesIO(lines(row()))), name="run.jsonl")
    Bundle.objects.update(attempt=bundle_lease.ATTEMPTS - 1)
    assert bundle_lease.BUNDLES.claim(bundle.pk, worker=DEAD)
    tasks.carry_on_bundles()
    page = f"/admin/leaderboard/bundle/{bundle.pk}/"
    told = text_of(admin_client.get(f"{page}change/"))
    assert "It could not be read. The fault is ours: " in told
    assert "disappeared" in told
    assert "Not a bundle" not in told
    assert 'value="Read it again"' in admin_client.get(f"{page}change/").content.decode()
    monkeypatch.setattr(bundle_reading, "read", broken)  # what kills its process must not kill the web side
    assert admin_client.post(f"{page}again/").status_code == 302
    monkeypatch.undo()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.attempt, bundle.error) == ("reading", 0, "")
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.answers) == ("preview", 1)


def test_a_bundle_that_did_not_fail_is_not_read_again(admin_client: Client, kernels: Any) -> None:
    bundle = bundle_files.keep_file(File(io.BytesIO(lines(row()))), name="run.jsonl")
    importing.import_bundle(bundle_reading.read(bundle))
    admin_client.post(f"/admin/leaderboard/bundle/{bundle.pk}/again/")
    bundle.refresh_from_db()
    assert bundle.state == "imported"


@pytest.mark.parametrize("command", ["import_bundle", "evaluate", "run_evaluation"])
def test_a_command_that_is_told_to_end_gives_its_work_back(
    make: Make, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, settings: Any
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[Any] = []

    def told_to_end(*_: Any, **__: Any) -> None:
        seen.append(signal.getsignal(signal.SIGTERM))
        signal.raise_signal(signal.SIGTERM)

    path = tmp_path / "run.jsonl"
    path.write_bytes(lines(row()))
    held = None
    if command == "import_bundle":
        monkeypatch.setattr(importing, "_import", told_to_end)
        arguments: list[str] = [str(path)]
    elif command == "evaluate":
        monkeypatch.setattr("leaderboard.management.commands.evaluate.key_from", told_to_end)
        arguments = ["lab/one", "--base-url=http://127.0.0.1:9/v1"]
    else:
        monkeypatch.setattr("leaderboard.management.commands.run_evaluation.die_with_parent", lambda number: None)
        monkeypatch.setattr("leaderboard.management.commands.run_evaluation.known_endpoints", told_to_end)
        held = make("evaluation")
        arguments = [str(held.pk), str(evaluations.EVALUATIONS.claim(held.pk))]
    real = signal.raise_signal  # a signal that nobody handles would end the tests
    handled = lambda number: real(number) if signal.getsignal(number) is not signal.SIG_DFL else None  # noqa: E731
    monkeypatch.setattr(signal, "raise_signal", handled)
    with suppress(SystemExit):
        call_command(command, *arguments)
    assert seen
    assert seen[0] is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is before
    for work in [*Bundle.objects.all(), *Evaluation.objects.all()]:
        assert (work.attempt, work.lease_token) == (0, None)


# The sweep in the middle of a long import


def test_other_work_does_not_wait_for_the_end_of_a_long_import(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, action, evaluation, started = make("bundle"), make("bulk action"), make("evaluation"), list[int]()
    assert bulk_actions.ACTIONS.claim(action.pk, worker=DEAD)
    monkeypatch.setattr(evaluations, "start_process", lambda pk, token: started.append(pk))
    monkeypatch.setattr(tasks, "MEANWHILE_S", -1.0)
    monkeypatch.setattr(tasks, "WARM_S", -1.0)
    real, seen = tasks.summaries.warm, list[Any]()

    def look() -> None:
        seen.append((Bundle.objects.get(pk=bundle.pk).state, BulkAction.objects.get(pk=action.pk).state, list(started)))
        real()

    monkeypatch.setattr(tasks.summaries, "warm", look)
    tasks.carry_on_bundles()
    assert seen[-1] == ("importing", "done", [evaluation.pk])


# SQLite keeps times as text


def test_times_are_compared_rightly_though_sqlite_keeps_them_as_text_of_different_lengths(make: Make) -> None:
    held = make("result")
    if connection.vendor == "sqlite":  # as it prints its own time, which the texts below imitate
        printed = Result.objects.annotate(now=Cast(Now(), TextField())).values_list("now", flat=True).get()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", printed), printed
    ends = [datetime(2026, 12, 31, 23, 59, 59, micros, tzinfo=UTC) for micros in (0, 1, 1000, 999_000, 999_999)]
    ends += [end + timedelta(seconds=1) for end in ends]  # another second, minute, hour, day and year
    for end in ends:
        Result.objects.filter(pk=held.pk).update(lease_until=end)
        for now in ends:
            text = now.strftime("%Y-%m-%d %H:%M:%S.") + f"{now.microsecond // 1000:03d}"
            text += "" if connection.vendor == "sqlite" else "+00"
            is_over = Result.objects.filter(pk=held.pk, lease_until__lt=RawSQL(f"'{text}'", ())).exists()
            if abs(end - now) > timedelta(milliseconds=1):
                assert is_over == (end < now), (end, text)
            if end == now and not now.microsecond % 1000 and now.microsecond:
                assert not is_over, "a lease that ends now is held"


@pytest.mark.parametrize("kind", KINDS)
def test_when_the_clock_jumps_back_the_dead_of_this_host_are_found_and_the_rest_only_waits(make: Make, kind: str) -> None:
    of, here_, elsewhere = KINDS[kind], make(kind), make(kind)
    assert of.claim(here_.pk, worker=DEAD)
    token = of.claim(elsewhere.pk, worker=ELSEWHERE)
    assert token
    of.rows.exclude(lease_token=None).update(lease_until=leases.from_now(3600))  # claimed before the clock went back
    assert of.reclaim() == 1
    assert of.claim(elsewhere.pk) is None
    assert of.renew(token)
    elsewhere.refresh_from_db()
    assert elsewhere.lease_until < timezone.now() + timedelta(seconds=60)
    assert of.claim(here_.pk)


def test_no_answer_comes_in_twice_when_an_import_loses_its_lease_in_the_middle(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, real = make("bundle"), importing.hidden_existing

    def lose(*arguments: Any) -> Any:
        if Bundle.objects.filter(pk=bundle.pk, worker=process_name()).update(worker=DEAD):
            bundle_lease.BUNDLES.reclaim()  # somebody takes it for dead
        return real(*arguments)

    monkeypatch.setattr(importing, "hidden_existing", lose)
    bundle.refresh_from_db()
    tasks.carry_on_bundles()
    monkeypatch.undo()
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.answers) == ("imported", 1)
    doubled = Submission.objects.values("identity").annotate(n=Count("pk")).filter(n__gt=1)
    assert not doubled.exists()
    assert Submission.objects.count() == 1

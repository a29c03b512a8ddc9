"""Work that gets on has all its attempts again, and other work does not wait for it; a deletion is work like any other."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.core.files import File
from django.db import OperationalError, connection
from django.test import Client

from leaderboard import tasks
from leaderboard.lib.processes import here, is_dead
from leaderboard.models import BulkAction, Bundle, LanguageModel, Result, Submission
from leaderboard.services import (
    bulk_actions,
    bundle_decisions,
    bundle_files,
    bundle_lease,
    bundle_reading,
    deletion,
    importing,
    late,
    leases,
    taking_back,
    visibility,
)
from leaderboard.services.bundle_lease import BUNDLES
from tests.site.admin_pages import text_of
from tests.site.bundles import lines, row
from tests.site.test_leases import DEAD, ELSEWHERE, KINDS, Make
from tests.site.test_leases import make as make


class Killed(BaseException):
    """As SIGKILL: nobody tidies up."""


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], bool]:
    """killed(work): whether its process was killed at it; what it held is then a dead process's."""

    def run(work: Callable[[], Any]) -> bool:
        for of in KINDS.values():
            of.rows.update(not_before=None)  # a minute later
        with monkeypatch.context() as patched:
            for of in KINDS.values():
                patched.setattr(of, "give_back", lambda *_, **__: False)  # it could not tidy up
            try:
                work()
            except Killed:
                for of in KINDS.values():
                    of.rows.exclude(lease_token=None).update(worker=DEAD)
                return True
        return False

    return run


def bundle_of(number: int, *, model: str = "lab/one") -> Bundle:
    data = lines(*(row(trace_id=uuid4().hex, model=model, answer=f"<answer>{n}</answer>") for n in range(number)))
    return bundle_files.keep_file(File(io.BytesIO(data)), name="run.jsonl")


def imported(number: int, **more: Any) -> Bundle:
    return importing.import_bundle(bundle_reading.read(bundle_of(number, **more)))


def at_call(number: int, real: Callable[..., Any], then: BaseException) -> Callable[..., Any]:
    """The real thing, but that its process is killed at that call of it."""
    calls = 0

    def call(*arguments: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise then
        return real(*arguments, **more)

    return call


# What gets on


def test_an_import_that_is_killed_more_often_than_it_has_attempts_is_imported_if_it_got_on_each_time(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, killed: Any
) -> None:
    number = bundle_lease.ATTEMPTS + 4
    bundle = bundle_of(number)
    bundle_decisions.confirm_when_read(bundle)
    monkeypatch.setattr(bundle_reading, "CHUNK", 1)
    for already in range(number - 1):
        with monkeypatch.context() as patched:
            patched.setattr(importing, "_bring", at_call(already + 2, importing._bring, Killed()))
            assert killed(tasks.carry_on_bundles)
        assert bundle.entries.count() == already + 1
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.attempt, Submission.objects.count()) == ("imported", 0, number)


def test_an_import_that_is_killed_at_the_same_answers_each_time_is_failed(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, killed: Any
) -> None:
    bundle = bundle_of(3)
    bundle_decisions.confirm_when_read(bundle)
    monkeypatch.setattr(bundle_reading, "CHUNK", 1)
    begun = 0
    for _ in range(40):
        with monkeypatch.context() as patched:
            patched.setattr(importing, "_bring", at_call(3, importing._bring, Killed()))
            begun += killed(tasks.carry_on_bundles)
    bundle.refresh_from_db()
    assert (bundle.state, begun) == ("failed", bundle_lease.ATTEMPTS)
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()


def test_a_large_bundle_that_is_killed_while_its_answers_are_shown_gets_on(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, killed: Any
) -> None:
    number = bundle_lease.ATTEMPTS + 3
    bundle = bundle_of(number)
    bundle_decisions.confirm_when_read(bundle)
    monkeypatch.setattr(bundle_reading, "CHUNK", 1)
    monkeypatch.setattr(importing, "SHOWN_AT_ONCE", 0)
    for already in range(number - 1):
        with monkeypatch.context() as patched:
            patched.setattr(visibility, "refresh", at_call(already + 2, visibility.refresh, Killed()))
            assert killed(tasks.carry_on_bundles)
    tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, Submission.objects.filter(public=True).count()) == ("imported", number)


def test_an_action_that_deletes_a_large_bundle_has_its_attempts_again_after_each_part_of_it(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, killed: Any
) -> None:
    number = bulk_actions.ATTEMPTS + bundle_lease.ATTEMPTS + 2
    imported(number)
    monkeypatch.setattr(taking_back, "CHUNK", 1)
    action = bulk_actions.plan("delete_bundles", Bundle.objects.all(), None)  # type: ignore[arg-type]
    BulkAction.objects.update(state=BulkAction.State.RUNNING)
    for left in range(number - 1, 0, -1):
        with monkeypatch.context() as patched:
            patched.setattr(taking_back, "delete_answers", at_call(2, taking_back.delete_answers, Killed()))
            assert killed(tasks.carry_on_actions)
        assert Submission.objects.count() == left
    tasks.carry_on_actions()
    action.refresh_from_db()
    assert (action.state, action.counts["bundles deleted"]) == ("done", 1)
    assert not Bundle.objects.exists()
    assert not LanguageModel.objects.exists()


# Deletions


def test_a_deletion_that_kills_its_process_each_time_is_failed_and_says_what_to_do(
    admin_client: Client, kernels: Any, monkeypatch: pytest.MonkeyPatch, killed: Any
) -> None:
    poison, other = imported(1), imported(1)
    Bundle.objects.update(state=Bundle.State.DELETING)
    real, begun = taking_back.take_back, 0

    def take_back(bundle: Bundle, *more: Any) -> None:
        if bundle.pk == poison.pk:
            raise Killed
        real(bundle, *more)

    with monkeypatch.context() as patched:
        patched.setattr(taking_back, "take_back", take_back)
        for _ in range(40):
            begun += killed(tasks.carry_on_bundles)
    assert begun == bundle_lease.ATTEMPTS
    assert not Bundle.objects.filter(pk=other.pk).exists()
    poison.refresh_from_db()
    assert (poison.state, poison.lease_token, poison.worker) == ("failed", None, "")
    assert "disappeared" in poison.error
    assert "delete it once more" in poison.error
    page = text_of(admin_client.get(f"/admin/leaderboard/bundle/{poison.pk}/change/"))
    assert "It could not be deleted completely." in page
    assert "It could not be imported" not in page
    deletion.delete_bundle(poison)
    assert not Bundle.objects.exists()


def test_a_deletion_that_fails_by_an_error_is_tried_again_and_holds_up_nothing(
    kernels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, ran = imported(1), list[str]()
    Bundle.objects.update(state=Bundle.State.DELETING)
    with monkeypatch.context() as patched:
        patched.setattr(taking_back, "take_back", at_call(1, taking_back.take_back, RuntimeError("a bug")))
        with pytest.raises(RuntimeError):
            tasks.carry_on_bundles()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.error, bundle.attempt) == ("deleting", "RuntimeError: a bug", 1)
    monkeypatch.setattr(tasks, "prune", lambda: ran.append("prune"))
    tasks.sweep()
    assert ran == ["prune"]
    assert not Bundle.objects.exists()


def test_a_bundle_that_somebody_reads_or_imports_is_deleted_all_the_same(kernels: Any) -> None:
    for state in (Bundle.State.READING, Bundle.State.IMPORTING):
        bundle = bundle_of(1)
        Bundle.objects.update(state=state)
        token = BUNDLES.claim(bundle.pk, worker=ELSEWHERE)
        assert token
        deletion.delete_bundle(bundle)
        assert not Bundle.objects.exists()
        with pytest.raises(bundle_lease.Taken):
            bundle_lease.renew(bundle, token)


def test_a_deletion_under_way_is_left_to_whoever_is_at_it(kernels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = imported(1)
    Bundle.objects.update(state=Bundle.State.DELETING)
    assert BUNDLES.claim(bundle.pk, worker=ELSEWHERE)
    assert deletion.delete_bundle(bundle).submissions == 1
    tasks.carry_on_bundles()
    assert Bundle.objects.exists()
    assert Submission.objects.exists()


def test_an_import_whose_bundle_is_deleted_meanwhile_leaves_no_model_behind(
    kernels: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundle_of(1)
    bundle_decisions.confirm_when_read(bundle)
    real = bundle_reading.look_through

    def overtaken(*arguments: Any, **more: Any) -> Any:
        found = real(*arguments, **more)
        deletion.delete_bundle(bundle)
        return found

    monkeypatch.setattr(bundle_reading, "look_through", overtaken)
    tasks.carry_on_bundles()
    assert not Bundle.objects.exists()
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()


# Nobody waits


def test_who_dies_during_a_long_action_or_deletion_or_first_look_is_noticed_meanwhile(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MEANWHILE_S", -1.0)
    held = make("result")

    def dies() -> None:
        of = KINDS["result"]
        assert of.claim(held.pk, worker=DEAD)

    def is_queued() -> bool:
        return Result.objects.get(pk=held.pk).state == "queued"

    seen: list[bool] = []

    def looking(real: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            seen.append(is_queued())
            return real(*arguments, **more)

        return call

    make("bulk action")
    monkeypatch.setattr(bulk_actions, "CHUNK", 1)
    with monkeypatch.context() as patched:
        patched.setattr(bulk_actions, "summarise", looking(bulk_actions.summarise))  # after the only chunk
        dies()
        tasks.carry_on_actions()
    bundle = make("bundle")
    with monkeypatch.context() as patched:
        patched.setattr(importing.bundle_reading.Matching, "settle", looking(importing.bundle_reading.Matching.settle))
        dies()
        tasks.carry_on_bundles()
    assert Bundle.objects.get(pk=bundle.pk).state == "imported"
    Bundle.objects.update(state=Bundle.State.DELETING)
    with monkeypatch.context() as patched:
        patched.setattr(deletion.bundle_lease, "renew", looking(bundle_lease.renew))
        dies()
        tasks.carry_on_bundles()
    assert seen[:2] == [True, True]
    assert seen[-1]


# A database that is away


def away(*_: Any, **__: Any) -> Any:
    import psycopg

    raise OperationalError from psycopg.OperationalError("the connection is closed")


@pytest.mark.parametrize("kind", ["bundle", "bulk action"])
def test_work_that_lost_its_database_is_given_back_when_that_is_there_again_and_no_attempt_is_counted(
    make: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, held, written = KINDS[kind], make(kind), list[Callable[[], object]]()
    monkeypatch.setattr(late, "add", written.append)
    with monkeypatch.context() as patched:
        patched.setattr(*{"bundle": (importing, "_import"), "bulk action": (bulk_actions, "_work_off")}[kind], away)
        patched.setattr(of, "give_back", away)
        {"bundle": tasks.carry_on_bundles, "bulk action": tasks.carry_on_actions}[kind]()
    assert of.rows.get(pk=held.pk).lease_token
    (write,) = written
    write()
    held.refresh_from_db()
    assert (held.lease_token, held.attempt, held.not_before) == (None, 0, None)
    assert "database" in getattr(held, of.reason)


def test_what_is_written_late_is_tried_until_the_database_takes_it(settings: Any) -> None:
    settings.BEAT_S = 0.001
    calls: list[int] = []

    def write() -> None:
        calls.append(1)
        if len(calls) < 3:
            away()

    late.add(write)
    late.wait()
    assert len(calls) == 3


def test_what_is_written_late_is_given_up_for_any_other_error(settings: Any, caplog: Any) -> None:
    settings.BEAT_S = 0.001

    def write() -> None:
        raise RuntimeError("a bug")

    late.add(write)
    late.wait()
    assert "what was to be written late is lost" in caplog.text


# Names


def test_a_process_that_had_ended_before_it_was_named_is_dead() -> None:
    assert is_dead(f"{here()}:4194305:None")


@pytest.mark.parametrize("kind", KINDS)
def test_a_lease_without_an_end_is_over(make: Make, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LOOKED_AGAIN", 0)
    of, held = KINDS[kind], make(kind)
    assert of.claim(held.pk, worker=ELSEWHERE)
    of.rows.filter(pk=held.pk).update(lease_until=None)
    assert of.reclaim() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_former_version_beside_this_one_may_add_rows_that_name_no_process(db: None, kind: str) -> None:
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, KINDS[kind].table._meta.db_table)
    assert {column.name: column.default for column in columns}["worker"] is not None

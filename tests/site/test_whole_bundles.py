"""Whoever looks from outside sees nothing of a bundle, or all of it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.files import File

from leaderboard import tasks
from leaderboard.models import Bundle, BundleEntry, LanguageModel, Result, Submission
from leaderboard.services import bundle_decisions, bundle_files, bundle_lease, bundle_reading, importing, queueing, visibility
from tests.site.bundles import lines, row
from tests.site.conftest import claim

pytestmark = pytest.mark.usefixtures("kernels")
ROWS = 5


def kept(number: int = ROWS, **changes: Any) -> Bundle:
    """Ready to be imported, unseen, as the API leaves it."""
    body = lines(*(row(rollout=rollout, **changes) for rollout in range(number)))
    bundle = bundle_files.keep_file(File(io.BytesIO(body)), name="answers.jsonl")
    bundle_decisions.confirm_when_read(bundle)
    bundle.refresh_from_db()
    return bundle


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_reading, "CHUNK", 2)


def test_answers_are_shown_when_the_last_one_is_in() -> None:
    seen: list[tuple[int, int, int]] = []

    def look(rows: int) -> None:
        public = Submission.objects.public().count(), Result.objects.public().count()
        seen.append((Submission.objects.count(), *public))

    importing.import_bundle(kept(), look)
    assert seen == [(2, 0, 0), (4, 0, 0), (5, 0, 0)]
    assert Submission.objects.public().count() == ROWS
    assert Result.objects.public().queued().count() == 2 * ROWS
    assert set(LanguageModel.objects.public().language_models().values_list("name", flat=True)) == {"stub/one"}


def test_a_bundle_with_a_row_too_many_leaves_nothing(settings: Any) -> None:
    bundle = kept()
    settings.BUNDLE_MAX_ROWS = ROWS - 1
    importing.import_bundle(bundle)
    bundle.refresh_from_db()
    assert (bundle.state, "BUNDLE_MAX_ROWS" in bundle.error) == (Bundle.State.FAILED, True)
    assert not Submission.objects.exists()
    assert not Result.objects.exists()
    assert not LanguageModel.objects.language_models().exists()


def test_an_import_that_fails_for_good_takes_back_what_it_brought(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = importing.import_bundle(kept(1, trace_id="shared"))
    body = lines(row(trace_id="shared", rollout=0), *(row(rollout=rollout) for rollout in range(1, ROWS)))
    bundle = bundle_files.keep_file(File(io.BytesIO(body)), name="more.jsonl")
    bundle_decisions.confirm_when_read(bundle)
    whole, counted = importing._bring, iter(range(100))

    def break_at_the_second_chunk(*arguments: Any) -> Any:
        if next(counted):
            raise OSError("no space left on device")
        return whole(*arguments)

    monkeypatch.setattr(importing, "_bring", break_at_the_second_chunk)
    Bundle.objects.filter(pk=bundle.pk).update(attempt=bundle_lease.ATTEMPTS - 1)
    bundle.refresh_from_db()
    with pytest.raises(OSError, match="no space"):
        importing.import_bundle(bundle)  # which got on, and so has all its attempts again
    assert Bundle.objects.get(pk=bundle.pk).attempt == 1
    Bundle.objects.filter(pk=bundle.pk).update(attempt=bundle_lease.ATTEMPTS - 1)
    importing.import_bundle(bundle)
    bundle.refresh_from_db()
    assert bundle.state == Bundle.State.FAILED
    assert bundle.error.startswith("OSError: no space left on device. It is not retried.")
    assert list(BundleEntry.objects.values_list("bundle", flat=True)) == [earlier.pk]
    assert Submission.objects.public().count() == Submission.objects.count() == 1


def test_a_large_one_is_shown_bit_by_bit_and_goes_on_when_that_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "SHOWN_AT_ONCE", ROWS - 1)
    bundle, real, calls = kept(), visibility.refresh, iter(range(100))

    def killed_in_the_second_chunk(submissions: Any) -> int:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return real(submissions)

    monkeypatch.setattr(visibility, "refresh", killed_in_the_second_chunk)
    with pytest.raises(KeyboardInterrupt):
        importing.import_bundle(bundle)
    bundle.refresh_from_db()
    assert bundle.state == Bundle.State.IMPORTING
    assert Submission.objects.public().count() == 2
    bundle.refresh_from_db()
    importing.import_bundle(bundle)
    assert (bundle.state, Submission.objects.public().count()) == (Bundle.State.IMPORTED, ROWS)


def test_a_private_bundle_that_is_published_meanwhile_is_shown_at_its_end_too() -> None:
    bundle = kept()
    Bundle.objects.update(public=False)

    def publish(rows: int) -> None:
        visibility.set_public(bundle, True)
        assert not Submission.objects.public().exists()

    importing.import_bundle(bundle, publish)
    assert Submission.objects.public().count() == ROWS


@pytest.mark.usefixtures("seen_before")
def test_what_dead_workers_held_is_taken_back_in_the_middle_of_an_import(monkeypatch: pytest.MonkeyPatch, queue: Any) -> None:
    held = queue()
    claim(held, lease_s=-1)
    kept()
    states: list[str] = []
    monkeypatch.setattr(tasks, "MEANWHILE_S", -1.0)
    monkeypatch.setattr(tasks, "WARM_S", -1.0)
    monkeypatch.setattr(tasks.queueing.RESULTS, "reclaim", reclaim_and(states, held))
    monkeypatch.setattr(tasks, "look_after_the_queue", only_later(tasks.look_after_the_queue))
    tasks.sweep()
    assert states[0] == Result.State.QUEUED
    assert Bundle.objects.get().state == Bundle.State.IMPORTED


def reclaim_and(states: list[str], held: Result) -> Any:
    """The real one, which notes what became of a row while the bundle was not yet imported."""
    real = queueing.RESULTS.reclaim

    def reclaim() -> int:
        number = real()
        assert Bundle.objects.get().state == Bundle.State.IMPORTING
        held.refresh_from_db()
        states.append(held.state)
        return number

    return reclaim


def only_later(work: Any) -> Any:
    """Not at the beginning of the sweep, so that it is seen to come from the import."""
    calls = iter(range(1000))
    return lambda: work() if next(calls) else None

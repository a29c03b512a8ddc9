"""A bundle is imported once it is confirmed: every answer becomes a submission.

Reading and importing may be killed at any moment: both begin again from the front, and what is there already is left as it is.
Answers come in by chunks, so that nobody waits long for the database, and are shown when the last one is in, all at once (those
of a very large bundle within seconds): whoever looks from outside sees nothing of a bundle or all of it. An import that fails for
good takes back what it brought.
"""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from grading.answer import Kind, extract
from leaderboard.bundles.types import Answer
from leaderboard.lib.faults import fault_of
from leaderboard.lib.text import clean
from leaderboard.models import Bundle, BundleEntry, LanguageModel, Submission, public_id
from leaderboard.services import bundle_models, bundle_reading, deletion, queueing, standings, visibility
from leaderboard.services.bundle_lease import Taken, renew, worked_on
from leaderboard.services.bundle_reading import Meanwhile, Progress, nothing, opened, silent
from leaderboard.services.deduplication import Existing, find_existing, hidden_existing
from leaderboard.services.import_report import ImportReport
from leaderboard.services.language_models import find_model
from leaderboard.services.matching import key_of

SHOWN_AT_ONCE = 2000  # answers: in one transaction


def carry_on(bundle: Bundle, meanwhile: Meanwhile = nothing) -> None:
    """For the sweep: do what the bundle waits for, unless another process holds it or the host cannot do it now."""
    try:
        if bundle.state == Bundle.State.READING:
            bundle_reading.read(bundle, patient=True, meanwhile=meanwhile)
        elif bundle.state == Bundle.State.IMPORTING:
            import_bundle(bundle, patient=True, meanwhile=meanwhile)
        elif bundle.state == Bundle.State.DELETING:
            deletion.carry_on(bundle, meanwhile)
    except Taken:
        pass
    except Exception as error:
        if not fault_of(error):
            raise


def import_bundle(
    bundle: Bundle, progress: Progress = silent, *, patient: bool = False, meanwhile: Meanwhile = nothing
) -> Bundle:
    """Every answer becomes a submission and is queued on all architectures. Raises bundle_lease.Taken."""
    if bundle.state == Bundle.State.PREVIEW:
        Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.PREVIEW).update(state=Bundle.State.IMPORTING)
    return worked_on(
        bundle, Bundle.State.IMPORTING, lambda token: _import(bundle, token, progress, meanwhile), show_at_once, patient=patient
    )


def _import(bundle: Bundle, token: UUID, progress: Progress, meanwhile: Meanwhile) -> dict[str, Any]:
    tally, unseen = ImportReport(), 0
    with opened(bundle, token, meanwhile) as reading:
        matching = bundle_reading.look_through(bundle, token, reading, needs_answers=True, meanwhile=meanwhile)
        matching.check()
        models: dict[str, LanguageModel] = {}
        kinds, priority = bundle_models.kinds(bundle), queueing.NewAnswers()
        before = bundle.entries.count()  # brought by an attempt that was killed
        for chunk in bundle_reading.matched(reading, matching):
            answers = [item for item in chunk if isinstance(item, Answer)]
            with transaction.atomic():
                renew(bundle, token)
                for name in dict.fromkeys(answer.model for answer in answers):  # in their order, so that slugs are, too
                    models[name] = models.get(name) or find_model(name, kinds.get(name, LanguageModel.Kind.LLM))
                known, mine = _bring(bundle, answers, models, priority)
                if (there := bundle.entries.count()) > before:
                    renew(bundle, token, got_on=True)
            before = there
            hidden = hidden_existing(bundle, known) - mine
            unseen += len(hidden)
            tally.count(chunk, known, mine | hidden)
            progress(reading.rows)
            meanwhile()
        bundle_models.refresh(bundle, tally.cells, reading.run_settings)
        bundle_models.apply(bundle, models)
        added = BundleEntry.objects.filter(bundle=bundle, first=True).count() + unseen
        if tally.answers > SHOWN_AT_ONCE:
            show_by_chunks(bundle, token)
        return tally.values(reading) | {
            "state": Bundle.State.IMPORTED,
            "added": added,
            "imported_at": timezone.now(),
            "overlaps": matching.told(),
        }


def show_at_once(values: dict[str, Any], brought: QuerySet[Submission]) -> None:
    if values["state"] == Bundle.State.IMPORTED and values["answers"] <= SHOWN_AT_ONCE:
        visibility.refresh(brought)


def show_by_chunks(bundle: Bundle, token: UUID) -> None:
    """Show a large bundle, all of which is there, chunk by chunk: all at once would keep others from writing for too long. Killed
    meanwhile, the import starts again, finds all of it, and continues here."""
    Bundle.objects.filter(pk=bundle.pk, lease_token=token).update(imported_at=timezone.now())
    ids = list(BundleEntry.objects.filter(bundle=bundle).order_by("submission").values_list("submission_id", flat=True))
    for start in range(0, len(ids), bundle_reading.CHUNK):
        renew(bundle, token)
        if visibility.refresh(Submission.objects.filter(pk__in=ids[start : start + bundle_reading.CHUNK])):
            renew(bundle, token, got_on=True)


def _bring(
    bundle: Bundle, answers: list[Answer], models: dict[str, LanguageModel], priority: queueing.Priority
) -> tuple[dict[str, Existing], frozenset[int]]:
    """One chunk. Returns the submissions by identity, and which of them this bundle brought first."""
    kernels = standings.kernels_by_name()
    standings.lock_models(models[answer.model].pk for answer in answers)
    before = find_existing(answers)
    fresh = {
        answer.identity: submission_of(answer, kernels, models, bundle) for answer in answers if answer.identity not in before
    }
    Submission.objects.bulk_create(fresh.values(), ignore_conflicts=True)  # another import may bring the same ones
    known = find_existing(answers)
    ours = {identity for identity, row in known.items() if identity in fresh and fresh[identity].uid == row.submission.uid}
    entries = [
        BundleEntry(
            bundle=bundle,
            submission=known[answer.identity].submission,
            member=answer.member,
            line=answer.line,
            first=answer.identity in ours,
            scores=answer.scores,
        )
        for answer in answers
        if known[answer.identity].is_same
    ]
    BundleEntry.objects.bulk_create(entries, ignore_conflicts=True)  # an import that begins again finds its own
    ids = [row.submission.pk for row in known.values()]
    mine = BundleEntry.objects.filter(bundle=bundle, first=True, submission__in=ids)
    mine_ids = frozenset(mine.values_list("submission_id", flat=True))
    without = Submission.objects.filter(pk__in=mine_ids, results=None).select_related("kernel").light().order_by("pk")
    queueing.enqueue(without, priority=priority)
    return known, mine_ids


def submission_of(answer: Answer, kernels: dict[str, Any], models: dict[str, LanguageModel], bundle: Bundle) -> Submission:
    reply = clean(answer.reply)
    extracted = extract(reply, answer.kernel, Kind.RAW if answer.raw else Kind.REPLY)
    source = extracted.source
    return Submission(
        uid=public_id(),
        identity=answer.identity,
        kernel=kernels[answer.kernel],
        model=models[answer.model],
        text_key=key_of(answer),
        rollout=answer.rollout,
        rollout_named=answer.named_rollout is not None,
        reply=reply,
        source=source,
        source_sha256=hashlib.sha256(source.encode()).hexdigest() if source else "",
        answer_from=extracted.answer_from or "",
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        cut_short=answer.cut_short,
        public=False,  # until all of the bundle is there
    )

"""A bundle comes in: kept as a file, read for the preview, imported once it is confirmed.

Reading and importing may be killed at any moment: both begin again from the front, and what is there already is left as it is.
Answers come in by chunks, so that nobody waits long for the database, and are shown when the last one is in, all at once (those
of a very large bundle within seconds): whoever looks from outside sees nothing of a bundle or all of it. An import that fails for
good takes back what it brought.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files import File
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from grading.answer import Kind, extract
from leaderboard.bundles import archives
from leaderboard.bundles.found import Answer, BundleError, Limits, Skipped
from leaderboard.bundles.reading import Reading
from leaderboard.lib.faults import fault_of, said
from leaderboard.lib.processes import return_large_blocks
from leaderboard.lib.text import clean, shorten
from leaderboard.models import Bundle, BundleEntry, LanguageModel, Submission, public_id
from leaderboard.services import asked, deletion, queueing, standings, visibility
from leaderboard.services.known import Known, hidden_from, known_answers
from leaderboard.services.language_models import find_model
from leaderboard.services.matching import Matching, key_of
from leaderboard.services.tally import Tally
from leaderboard.storage import room

log = logging.getLogger(__name__)

CHUNK = 200
CHUNK_BYTES = 4 << 20  # of replies as Python holds them: one to four bytes a character
SHOWN_AT_ONCE = 2000  # answers: in one transaction
LEASE = timedelta(minutes=2)
ATTEMPTS = 5
Progress = Callable[[int], None]


class AlreadyThere(Exception):
    """The same file came before; `bundle` is what it became."""

    def __init__(self, bundle: Bundle) -> None:
        super().__init__(f"The same file is here already, as bundle {bundle.uid} ({bundle.name}).")
        self.bundle = bundle


class NoAnswer(BundleError):
    """Rows, but none that is an answer to one of our kernels. `values` are the bundle's: what its rows are instead."""

    def __init__(self, why: str, values: dict[str, Any]) -> None:
        super().__init__(why)
        self.values = values


class Taken(Exception):
    """Somebody else is reading or importing this bundle right now, or it was deleted."""


def silent(rows: int) -> None:
    """No progress is shown."""


# Keeping the file


def keep_file(
    file: File,
    *,
    name: str,
    public: bool = True,
    model: str = "",
    overlap: str = "",
    uploader: AbstractBaseUser | None = None,
) -> Bundle:
    """Store an uploaded file as it came. Raises AlreadyThere; one that could not be read before is tried afresh."""
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    bundle = Bundle(
        name=shorten(clean(Path(name).name or "bundle"), 255),
        sha256=digest.hexdigest(),
        size_bytes=file.size or 0,
        public=public,
        model_override=clean(model).strip()[:300],
        overlap=overlap,
        uploader=uploader,  # type: ignore[misc]
    )
    known = Bundle.objects.known_to(uploader).filter(sha256=bundle.sha256).first()
    if known:
        restore(known, file)
        return tried_afresh(known, bundle)
    bundle.file.save(f"{bundle.uid}{suffix_of(bundle.name)}", file, save=False)
    # Somebody's private bundle of the same file is not even mentioned: this one is kept beside it.
    for key in (bundle.sha256, f"{bundle.sha256}-{uploader.pk if uploader else ''}"):
        bundle.file_key = key
        try:
            with transaction.atomic():
                bundle.save(force_insert=True)
                return bundle
        except IntegrityError:  # it is there, or was uploaded in the same moment
            if known := Bundle.objects.known_to(uploader).filter(sha256=bundle.sha256).first():
                break
        except BaseException:  # no room for the row: then there is no file either
            with suppress(OSError):
                bundle.file.delete(save=False)
            raise
    bundle.file.delete(save=False)
    if known is None:
        raise BundleError("The same file was uploaded and deleted in this moment: try again.")
    raise AlreadyThere(known)


def restore(known: Bundle, file: File) -> None:
    """The same bytes again, for a bundle whose file somebody has deleted from the media folder."""
    storage, name = known.file.storage, known.file.name
    if name and not storage.exists(name):
        storage.save(name, file)


def tried_afresh(known: Bundle, asked: Bundle) -> Bundle:
    """A bundle that failed, back to its beginning with what was asked for this time. Any other is refused."""
    failed = Bundle.objects.filter(pk=known.pk, state=Bundle.State.FAILED)
    wanted = {"public": asked.public, "model_override": asked.model_override, "overlap": asked.overlap}
    if not failed.update(state=Bundle.State.READING, error="", attempt=0, lease_until=None, **wanted):
        raise AlreadyThere(known)
    known.refresh_from_db()
    return known


def suffix_of(name: str) -> str:
    """The file's kind, for whoever looks into the media folder; its name is the bundle's id."""
    return next((suffix for suffix in (".tar.gz", ".tar.zst", ".tgz", ".zip", ".jsonl") if name.lower().endswith(suffix)), ".bin")


def keep_path(path: Path, *, public: bool = True, model: str = "", overlap: str = "") -> Bundle:
    """Store a file, or a folder as a tar.gz that is the same for the same folder. Raises AlreadyThere, BundleError."""
    if not path.is_dir():
        with path.open("rb") as raw:
            return keep_file(File(raw), name=path.name, public=public, model=model, overlap=overlap)
    with tempfile.TemporaryFile(dir=room.incoming()) as raw:
        try:
            pack_folder(path, raw)
        except OSError as error:
            if fault_of(error):
                raise
            raise BundleError(f"The folder cannot be read: {error}") from error
        raw.seek(0)
        return keep_file(File(raw), name=f"{path.resolve().name}.tar.gz", public=public, model=model, overlap=overlap)


def pack_folder(path: Path, into: Any) -> None:
    unpacked = archives.read_folder(path, limits())
    if not unpacked.members:
        raise BundleError(f"{path} holds no .jsonl and no .c file.")
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=into, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for member in unpacked.members:
            info = tarfile.TarInfo(member.name)
            info.size = member.size
            with member.path.open("rb") as file:
                archive.addfile(info, file)
        for left_out in unpacked.skipped:  # by name only: the report is to tell of it
            info = tarfile.TarInfo(left_out.member)
            info.type = tarfile.SYMTYPE
            archive.addfile(info)


def limits() -> Limits:
    return Limits(**{limit.name: getattr(settings, f"BUNDLE_MAX_{limit.name.upper()}") for limit in fields(Limits)})


# Reading it


@contextmanager
def opened(bundle: Bundle, token: UUID) -> Iterator[Reading]:
    """The bundle unpacked to a temporary folder of the media folder, ready to be gone through."""
    room.check(bundle.size_bytes)
    with tempfile.TemporaryDirectory(prefix="unpacked-", dir=room.incoming(), ignore_cleanup_errors=True) as folder:
        source = Path(folder) / "source"
        try:
            stored = bundle.file.open("rb")
        except FileNotFoundError as gone:
            raise BundleError("Its file is no longer in the site's media folder: upload it again.") from gone
        with stored, source.open("wb") as copy:
            shutil.copyfileobj(stored, copy, 1 << 20)
        into = Path(folder) / "members"
        into.mkdir()
        unpacked = archives.unpack(source, into, limits(), bundle.name, beat=lambda: renew(bundle, token))
        yield Reading(unpacked=unpacked, kernels=set(standings.kernels_by_name()), limits=limits(), model=bundle.model_override)


def read(bundle: Bundle, progress: Progress = silent) -> Bundle:
    """Fill in the preview: what is in it, and which of its answers are new."""
    return _worked_on(bundle, Bundle.State.READING, lambda token: _read(bundle, token, progress))


def _read(bundle: Bundle, token: UUID, progress: Progress) -> dict[str, Any]:
    tally, added = Tally(), 0
    with opened(bundle, token) as reading:
        matching = look_through(bundle, token, reading, needs_answers=False)  # a model's name may be missing
        for chunk in matched(reading, matching):
            answers = [item for item in chunk if isinstance(item, Answer)]
            known = known_answers(answers)
            hidden = hidden_from(bundle, known)
            added += sum(answer.identity not in known for answer in answers) + len(hidden)
            tally.count(chunk, known, hidden)
            renew(bundle, token)
            progress(reading.rows)
        asked.note(bundle, tally.cells, reading.asked)
        return tally.values(reading) | {"state": Bundle.State.PREVIEW, "added": added, "overlaps": matching.told()}


def chunks(reading: Reading) -> Iterator[list[Answer | Skipped]]:
    chunk, size = list[Answer | Skipped](), 0
    for item in reading:
        chunk.append(item)
        size += sys.getsizeof(item.reply) if isinstance(item, Answer) else 0
        if len(chunk) >= CHUNK or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def matched(reading: Reading, matching: Matching) -> Iterator[list[Answer | Skipped]]:
    """Chunks in which every answer has the identity by which it is known here."""
    for chunk in chunks(reading):
        given = matching.resolved(item for item in chunk if isinstance(item, Answer))
        yield [given.get(id(item), item) if isinstance(item, Answer) else item for item in chunk]


# Importing it


def confirm(bundle: Bundle, *, public: bool | None = None, overlap: str = "") -> None:
    """From preview to import, by the housekeeping cluster. overlap: what the person says who was asked."""
    values: dict[str, Any] = {} if public is None else {"public": public}
    values |= {"overlap": overlap} if overlap else {}
    waiting = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.PREVIEW)
    if waiting.update(state=Bundle.State.IMPORTING, attempt=0, lease_until=None, **values):
        queueing.wake("housekeeping")


def read_again(bundle: Bundle, model: str) -> bool:
    """Back from the preview, with a name for the rows that name no model. False if it is no longer there to be changed."""
    waiting = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.PREVIEW)
    named = clean(model).strip()[:300]
    if not waiting.update(state=Bundle.State.READING, model_override=named, attempt=0, lease_until=None):
        return False
    bundle.asked.all().delete()
    bundle.refresh_from_db()
    return True


def decide(bundle: Bundle, overlap: str) -> None:
    """Whether it is the same run as the earlier bundles that share a part of its answers."""
    Bundle.objects.filter(pk=bundle.pk, state__in=[Bundle.State.READING, Bundle.State.PREVIEW]).update(overlap=overlap)
    bundle.refresh_from_db()


def confirm_when_read(bundle: Bundle) -> None:
    """Import without a look at the preview: what the repository ships, or a script brings."""
    waiting = Bundle.objects.filter(pk=bundle.pk, state__in=[Bundle.State.READING, Bundle.State.PREVIEW])
    if waiting.update(state=Bundle.State.IMPORTING, attempt=0):
        queueing.wake("housekeeping")


def carry_on(bundle: Bundle, progress: Progress = silent) -> None:
    """For the sweep: whatever the bundle waits for, unless somebody else is at it or the host cannot do it now."""
    try:
        if bundle.state == Bundle.State.READING:
            read(bundle, progress)
        elif bundle.state == Bundle.State.IMPORTING:
            import_bundle(bundle, progress)
    except Taken:
        pass
    except Exception as error:
        if not fault_of(error):
            raise


def import_bundle(bundle: Bundle, progress: Progress = silent) -> Bundle:
    """Every answer becomes a submission and is queued on all architectures."""
    if bundle.state == Bundle.State.PREVIEW:
        Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.PREVIEW).update(state=Bundle.State.IMPORTING)
    return _worked_on(bundle, Bundle.State.IMPORTING, lambda token: _import(bundle, token, progress))


def _import(bundle: Bundle, token: UUID, progress: Progress) -> dict[str, Any]:
    tally, unseen = Tally(), 0
    with opened(bundle, token) as reading:
        matching = look_through(bundle, token, reading, needs_answers=True)
        matching.check()
        models: dict[str, LanguageModel] = {}
        kinds, priority = asked.kinds(bundle), queueing.NewAnswers()
        for chunk in matched(reading, matching):
            answers = [item for item in chunk if isinstance(item, Answer)]
            for name in dict.fromkeys(answer.model for answer in answers):  # in their order, so that slugs are, too
                models[name] = models.get(name) or find_model(name, kinds.get(name, LanguageModel.Kind.LLM))
            with transaction.atomic():
                renew(bundle, token)
                known, mine = _bring(bundle, answers, models, priority)
            hidden = hidden_from(bundle, known) - mine
            unseen += len(hidden)
            tally.count(chunk, known, mine | hidden)
            progress(reading.rows)
        asked.note(bundle, tally.cells, reading.asked)
        asked.tell(bundle, models)
        added = BundleEntry.objects.filter(bundle=bundle, first=True).count() + unseen
        if tally.answers > SHOWN_AT_ONCE:
            show_by_chunks(bundle, token)
        return tally.values(reading) | {
            "state": Bundle.State.IMPORTED,
            "added": added,
            "imported_at": timezone.now(),
            "overlaps": matching.told(),
        }


def look_through(bundle: Bundle, token: UUID, reading: Reading, *, needs_answers: bool) -> Matching:
    """To the end, before anything is written: what a bundle is refused for may stand in its last line, and which of its answers
    are new depends on all of them. Raises BundleError."""
    once = Reading(unpacked=reading.unpacked, kernels=reading.kernels, limits=reading.limits, model=reading.model)
    matching, tally = Matching(bundle), Tally()
    for chunk in chunks(once):
        matching.note(item for item in chunk if isinstance(item, Answer))
        tally.count(chunk, {}, frozenset())
        renew(bundle, token)
    if not once.rows:
        raise BundleError(nothing_in([{"file": file.member, "reason": file.reason} for file in reading.unpacked.skipped]))
    if needs_answers and not tally.answers:
        raise NoAnswer(no_answer_in(tally), tally.values(once))
    matching.settle()
    renew(bundle, token)
    return matching


def show_by_chunks(bundle: Bundle, token: UUID) -> None:
    """Of a large bundle, all of which is there: to show it at once would keep everybody else from writing for too long. Killed
    meanwhile, the import begins again, finds all of it, and goes on here."""
    Bundle.objects.filter(pk=bundle.pk, lease_token=token).update(imported_at=timezone.now())
    ids = list(BundleEntry.objects.filter(bundle=bundle).order_by("submission").values_list("submission_id", flat=True))
    for start in range(0, len(ids), CHUNK):
        renew(bundle, token)
        visibility.refresh(Submission.objects.filter(pk__in=ids[start : start + CHUNK]))


def nothing_in(report: list[dict[str, Any]]) -> str:
    more = f" {shorten(report[0]['file'], 100)}: {report[0]['reason']}." if report else ""
    return f"Nothing in it that could be an answer: no .jsonl and no .c file with a row.{more}"


def no_answer_in(tally: Tally) -> str:
    """The most frequent reasons, in one sentence."""
    reasons = list(tally.kinds().items())
    named = "; ".join(f"{number} x {shorten(reason, 100)}" for reason, number in reasons[:5])
    more = f"; {len(reasons) - 5} more reasons" if len(reasons) > 5 else ""
    return f"There is no answer to any of our kernels in it. Its rows: {named}{more}."


def _bring(
    bundle: Bundle, answers: list[Answer], models: dict[str, LanguageModel], priority: queueing.Priority
) -> tuple[dict[str, Known], frozenset[int]]:
    """One chunk. Returns the submissions by identity, and which of them this bundle brought first."""
    kernels = standings.kernels_by_name()
    standings.lock_models(models[answer.model].pk for answer in answers)
    before = known_answers(answers)
    fresh = {
        answer.identity: submission_of(answer, kernels, models, bundle) for answer in answers if answer.identity not in before
    }
    Submission.objects.bulk_create(fresh.values(), ignore_conflicts=True)  # another import may bring the same ones
    known = known_answers(answers)
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


# Who works on it


def _worked_on(bundle: Bundle, state: str, work: Callable[[UUID], dict[str, Any]]) -> Bundle:
    """Hold the bundle's lease while working, then write what came of it. Raises Taken."""
    now, token = timezone.now(), uuid4()
    free = Bundle.objects.stalled(now).filter(pk=bundle.pk, state=state)
    if not free.update(lease_token=token, lease_until=now + LEASE, attempt=bundle.attempt + 1):
        raise Taken
    return_large_blocks()
    held = Bundle.objects.filter(pk=bundle.pk, lease_token=token)
    with _put_off_by_the_host(bundle, held):
        _work(bundle, token, held, work)
    bundle.refresh_from_db()
    return bundle


def _work(bundle: Bundle, token: UUID, held: QuerySet[Bundle], work: Callable[[UUID], dict[str, Any]]) -> None:
    now = timezone.now()
    try:
        values = work(token) | {"error": ""}
    except Taken:
        raise
    except BundleError as error:
        values = getattr(error, "values", {}) | failed(bundle, token, clean(str(error)))
    except Exception as error:
        if fault_of(error):
            raise
        log.exception("bundle %s", bundle.uid)
        held.update(lease_until=now, error=f"{type(error).__name__}: {clean(str(error))}")
        if bundle.attempt + 1 < ATTEMPTS:
            raise
        values = failed(bundle, token, f"{type(error).__name__}: {clean(str(error))}")
    except BaseException:  # the process is being stopped: whoever comes next need not wait for the lease to run out
        held.update(lease_until=now)
        raise
    with transaction.atomic():
        brought = Submission.objects.filter(entries__bundle=bundle)
        standings.lock_models(brought.order_by().values_list("model_id", flat=True).distinct())
        if not held.update(lease_token=None, lease_until=None, **values):
            raise Taken
        if values["state"] == Bundle.State.IMPORTED and values["answers"] <= SHOWN_AT_ONCE:
            visibility.refresh(brought)


@contextmanager
def _put_off_by_the_host(bundle: Bundle, held: QuerySet[Bundle]) -> Iterator[None]:
    """A fault of the host says nothing of the bundle: no attempt is counted, and it is taken up again after a pause."""
    try:
        yield
    except Exception as error:
        if fault_of(error):
            what = "reading" if bundle.state == Bundle.State.READING else "import"
            reason = said(error, f"the {what} will be tried again")
            log.warning("bundle %s: %s", bundle.uid, reason, exc_info=error)
            with suppress(DatabaseError):  # it cannot be written either: then the lease runs out by itself
                held.update(lease_until=timezone.now() + room.pause(), attempt=bundle.attempt, error=reason)
        raise


def failed(bundle: Bundle, token: UUID, error: str) -> dict[str, Any]:
    deletion.take_back(bundle, lambda: renew(bundle, token))
    return {"state": Bundle.State.FAILED, "error": error, "imported_at": None}


def renew(bundle: Bundle, token: UUID) -> None:
    if not Bundle.objects.filter(pk=bundle.pk, lease_token=token).update(lease_until=timezone.now() + LEASE):
        raise Taken

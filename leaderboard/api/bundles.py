"""Uploading bundles, and following what becomes of them. Wants a token; others' bundles do not exist for it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.cache import never_cache
from ninja import Header, Query, Router, Status
from ninja.decorators import decorate_view
from ninja.errors import HttpError
from ninja.security import HttpBearer

from leaderboard.api import throttling
from leaderboard.api.read import NO_NUL
from leaderboard.api.schemas import BundleModelOut, BundleOut, Error
from leaderboard.bundles.types import BundleError
from leaderboard.lib import faults
from leaderboard.models import Bundle, UploadKey, access
from leaderboard.queue.bundle_progress import counts, moving, verdicts
from leaderboard.services import bundle_decisions, bundle_files, bundle_reading, deletion, matching, tokens
from leaderboard.storage import room
from leaderboard.web import rights, uploads

log = logging.getLogger(__name__)

CHUNK_BYTES = 1 << 18
FORM_BYTES = 1 << 16  # around the file, if it comes in a form
BROKE_OFF = "The upload broke off: send it again."


def user_of(request: HttpRequest) -> User:
    """The request's user: Token authentication guarantees one."""
    return cast(User, request.user)


class Token(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> Any:
        found = tokens.find(token)
        if found:
            request.user = found.user
        return found


router = Router(auth=Token(), tags=["bundles"])
REFUSALS = {400: Error, 401: Error, 403: Error, 409: Error, 413: Error, 422: Error, 429: Error, 503: Error, 507: Error}
BINARY = {"type": "string", "format": "binary", "minLength": 1}
FORM = {
    "type": "object",
    "properties": {"file": BINARY},
    "required": ["file"],
    "additionalProperties": {"pattern": NO_NUL},  # ignored; of any type, since a form sends all as text
}

BODY = throttling.RETRY | {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": BINARY},
            "multipart/form-data": {"schema": FORM},
        },
    }
}


@router.post(
    "/bundles",
    response={200: BundleOut, 201: BundleOut, **REFUSALS},
    openapi_extra=BODY,
    throttle=throttling.uploads,
    summary="Upload a bundle",
)
def upload(
    request: HttpRequest,
    response: HttpResponse,
    name: Annotated[str, Query(max_length=255, pattern=NO_NUL, description="The file's name, for people.")] = "",
    model: Annotated[str, Query(max_length=300, pattern=NO_NUL, description="For rows that do not name their model.")] = "",
    public: Annotated[bool, Query(description="On the leaderboard, with every answer.")] = True,
    sha256: Annotated[str, Query(pattern="^([0-9a-f]{64})?$", description="Refuse the upload if its sha256 differs.")] = "",
    overlap: Annotated[
        str,
        Query(
            pattern="^(same|another)?$",
            description="For rows without trace ids that an earlier bundle has in part: whether this is the same run.",
        ),
    ] = "",
    idempotency_key: Annotated[
        str,
        Header(alias="Idempotency-Key", max_length=200, pattern=NO_NUL, description="Sent again: the response is the bundle."),
    ] = "",
    upload_length: Annotated[
        str,
        Header(
            alias="Upload-Length",
            pattern="^([0-9]{1,19})?$",
            description="In bytes, without a body: may a file of this size be sent? 400: yes. 200: it is here already.",
        ),
    ] = "",
) -> Status:
    """The body is the file, or the field `file` of a form. 201: it is new, and is imported without further asking. 200: the same
    file, or the same Idempotency-Key, came before; nothing was changed. 409: an earlier bundle has a part of its answers; both
    are named, and `overlap` has to say whether it is the same run; nothing was kept."""
    if not access.has(request.user, "add_bundle"):
        raise HttpError(403, rights.sentence("add_bundle"))
    if first := first_of(request, idempotency_key):
        uploads.read_off(request)
        return Status(200, seen(first))
    if uploads.is_too_large(request, int(upload_length or 0), around=FORM_BYTES):
        raise too_big()
    check_room(request, int(upload_length or 0))
    with received(request) as file:
        digest = bundle_files.hash_of(file)
        if sha256 and sha256 != digest:
            raise HttpError(409, f"The upload arrived damaged: its sha256 is {digest}.")
        with whole() as files:
            bundle, is_new = kept(
                request, file, digest, name=name or file.name or "bundle", model=model, public=public, overlap=overlap
            )
            files += [str(bundle.file.name)] if is_new else []
            if idempotency_key:
                first = claimed(request, idempotency_key, bundle)
                if is_new and first != bundle:  # another request with this key was faster, with another file
                    deletion.delete_bundle(bundle)
                bundle, is_new = first, is_new and first == bundle
    if is_new:
        begin(bundle)
        bundle.refresh_from_db()
    response["Location"] = f"/api/bundles/{bundle.uid}"
    return Status(201 if is_new else 200, seen(bundle))


@router.get(
    "/bundles/{uid}",
    response={200: BundleOut, 400: Error, 401: Error, 404: Error, 429: Error},
    openapi_extra=throttling.RETRY,
    throttle=throttling.reads,
    summary="What became of a bundle",
)
@decorate_view(never_cache)
def bundle(request: HttpRequest, uid: str) -> dict[str, Any]:
    found = theirs(request).filter(uid=uid).first()
    if found is None:
        raise HttpError(404, "There is no such bundle, or it is somebody else's.")
    return seen(found)


def theirs(request: HttpRequest) -> QuerySet[Bundle]:
    """Whoever may view bundles sees all of them, others their own."""
    return Bundle.objects.seen_by(request.user)


@contextmanager
def whole() -> Iterator[list[str]]:
    """All of an upload or nothing of it: one that the database has no room for would wait for a confirmation that nobody gives.
    Yields the list of the files that were kept for it."""
    files: list[str] = []
    try:
        with transaction.atomic():
            yield files
    except BaseException:
        for name in files:
            with suppress(OSError, DatabaseError):
                if not Bundle.objects.filter(file=name).exists():
                    default_storage.delete(name)
        raise


def first_of(request: HttpRequest, key: str) -> Bundle | None:
    """One that failed is tried afresh instead."""
    if not key:
        return None
    keys = UploadKey.objects.select_related("bundle").exclude(bundle__state=Bundle.State.FAILED)
    found = keys.filter(user=request.user.pk, key=key).first()
    return found.bundle if found else None


def claimed(request: HttpRequest, key: str, bundle: Bundle) -> Bundle:
    """The bundle that the key stands for from now on: this one, unless another was there first and did not fail."""
    row, is_made = UploadKey.objects.select_related("bundle").get_or_create(
        user=user_of(request), key=key, defaults={"bundle": bundle}
    )
    if not is_made and row.bundle.state == Bundle.State.FAILED:
        UploadKey.objects.filter(pk=row.pk, bundle=row.bundle).update(bundle=bundle)
        row = UploadKey.objects.select_related("bundle").get(pk=row.pk)
    return row.bundle


def kept(request: HttpRequest, file: File, digest: str, **how: Any) -> tuple[Bundle, bool]:
    """The file's bundle, and whether it begins now."""
    known = Bundle.objects.known_to(user_of(request)).filter(sha256=digest).first()
    if known and not theirs(request).filter(pk=known.pk).exists():
        raise HttpError(409, "The same file is here already, in a public bundle of somebody else.")
    try:
        bundle = bundle_files.keep_file(file, uploader=user_of(request), **how)
    except bundle_files.AlreadyThere as there:
        if not theirs(request).filter(pk=there.bundle.pk).exists():  # in the same moment
            raise HttpError(409, "The same file is here already, in a public bundle of somebody else.") from None
        return there.bundle, False
    except BundleError as error:
        raise HttpError(409, str(error)) from None
    return bundle, True


def begin(bundle: Bundle) -> None:
    """Let it be imported, or take it back: one that is kept and not confirmed would wait for ever."""
    try:
        refuse_undecided(bundle)
        bundle_decisions.confirm_when_read(bundle)
    except HttpError:
        raise
    except BaseException:
        with suppress(OSError, DatabaseError):
            deletion.delete_bundle(bundle)
            default_storage.delete(str(bundle.file.name))
        raise


def refuse_undecided(bundle: Bundle) -> None:
    """Nobody can be asked here. What is too large to be read within the request fails with the same words later on."""
    if bundle.overlap or bundle.size_bytes > settings.BUNDLE_READ_NOW_MB << 20:
        return
    try:
        read = bundle_reading.read(bundle)
    except Exception:  # noted there, and tried again by the housekeeping cluster
        return
    undecided = matching.open_overlaps(read) if read.state == Bundle.State.PREVIEW else []
    if undecided:
        deletion.delete_bundle(read)
        raise HttpError(409, f"{matching.question(read, undecided)} Nothing was kept.")


def check_room(request: HttpRequest, upload_length: int) -> None:
    """Refuse what there is no room for by its length. The body is read off: its sender is to hear why."""
    try:
        uploads.check_room(request, upload_length)
    except (faults.NoRoom, OSError) as error:
        uploads.read_off(request)
        raise no_room(request, error) from error


def no_room(request: HttpRequest, error: BaseException) -> HttpError:
    if not faults.fault_of(error):
        raise error
    status, reason = uploads.refusal(error, uploads.announced(request))
    log.warning("an upload was refused: %s", reason, exc_info=error)
    return HttpError(status, reason)


def too_big() -> HttpError:
    return HttpError(413, uploads.too_large())


@contextmanager
def received(request: HttpRequest) -> Iterator[File]:
    """The uploaded file on disk, however it was sent. Never in memory as a whole. What the host cannot keep is answered with 507
    or 503, here and for as long as the file is used."""
    try:
        if request.content_type == "multipart/form-data":
            yield of_form(request)
        else:
            with body_on_disk(request) as file:
                yield file
    except HttpError:
        raise
    except Exception as error:
        if not faults.fault_of(error):
            raise
        uploads.read_off(request)
        raise no_room(request, error) from error


def of_form(request: HttpRequest) -> File:
    try:
        file = request.FILES.get("file")
    except RequestDataTooBig:
        raise too_big() from None
    except MultiPartParserError as error:
        raise HttpError(400, f"The form cannot be read: {error}") from None
    if trouble := uploads.trouble_of(request):
        raise trouble
    if not file:
        raise HttpError(400, "The form has no file in its field `file`, or an empty one.")
    return file


@contextmanager
def body_on_disk(request: HttpRequest) -> Iterator[File]:
    """Receive the body in a file that is kept by being renamed, so that it takes its room only once."""
    stream = uploads.body_of(request)
    room.incoming()
    with TemporaryUploadedFile("bundle", "", 0, None) as raw:
        size = 0
        while chunk := next_chunk(stream):
            raw.write(chunk)
            size += len(chunk)
            if size > uploads.limit_bytes():
                raise too_big()
        if size < uploads.announced(request):
            raise HttpError(400, BROKE_OFF)
        if not size:
            raise HttpError(400, "The body is empty: it should be the file.")
        raw.seek(0)
        raw.size = size
        yield raw


def next_chunk(stream: Any) -> bytes:
    try:
        return bytes(stream.read(CHUNK_BYTES))
    except OSError:  # the server's, or Django's UnreadablePostError
        raise HttpError(400, BROKE_OFF) from None


def seen(bundle: Bundle) -> dict[str, Any]:
    values = {name: getattr(bundle, name) for name in BundleOut.model_fields if hasattr(bundle, name)}
    if bundle.state in (Bundle.State.READING, Bundle.State.IMPORTING):
        values["error"] = bundle.error or room.why_not(bundle.size_bytes)
    values["models"] = list(bundle.models.values(*BundleModelOut.model_fields))
    if bundle.state != Bundle.State.IMPORTED:
        return values | {"progress": [], "verdicts": []}
    known = counts(bundle)
    counted = [{"arch": arch, "verdict": verdict, "count": n} for arch, verdict, n in verdicts(bundle, known)]
    return values | {"progress": moving(bundle, known), "verdicts": counted}

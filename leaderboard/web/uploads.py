"""Uploaded files: their cap, since Django streams them to disk without a limit of its own, and the room that they need."""

from __future__ import annotations

from contextlib import suppress
from typing import IO, Any, NoReturn

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest

from leaderboard.lib import faults
from leaderboard.storage import room

NO_ROOM = 507  # Insufficient Storage, RFC 4918
UNAVAILABLE = 503
SEND_AGAIN = "nothing was stored; send it again later"


class CappedUpload(FileUploadHandler):
    """First in FILE_UPLOAD_HANDLERS: refuses by the announced length at once, else as soon as the bytes are too many."""

    received = 0

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],  # noqa: N803  # Django calls it so
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> Any:
        if content_length > limit_bytes():
            raise RequestDataTooBig(too_large())

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > limit_bytes():
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler keeps the file."""


class KeptUpload(TemporaryFileUploadHandler):
    """Streams a file to disk. What the host cannot keep is removed at once, the rest of the request is read and dropped, so that
    its sender hears the answer, and `trouble_of` tells the view why."""

    written = 0

    def new_file(self, *arguments: Any, **more: Any) -> None:
        try:
            room.incoming()
            super().new_file(*arguments, **more)
        except (OSError, MemoryError) as error:
            self._drop(error)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        try:
            super().receive_data_chunk(raw_data, start)
        except (OSError, MemoryError) as error:
            self._drop(error)

    def file_complete(self, file_size: int) -> Any:
        try:
            return super().file_complete(file_size)  # the last bytes are written only now
        except (OSError, MemoryError) as error:
            self._drop(error)

    def _drop(self, error: Exception) -> NoReturn:
        if not faults.fault_of(error):
            raise error
        with suppress(OSError):
            self.upload_interrupted()
        self.request.upload_trouble = error  # type: ignore[union-attr]
        raise StopUpload(connection_reset=False) from error


def trouble_of(request: HttpRequest) -> Exception | None:
    """Why the host could not keep the file of this request; the request's form has to be read first."""
    return getattr(request, "upload_trouble", None)


def check_room(request: HttpRequest, *lengths: int) -> None:
    """Check the announced length against the free room before a byte is read. Raises leaderboard.lib.faults.NoRoom."""
    room.check(max(announced(request), *lengths, 0))


def refusal(error: BaseException, needed: int = 0) -> tuple[int, str]:
    """The status and the sentence for whoever uploads what the host cannot keep now."""
    fault = faults.fault_of(error)
    status = NO_ROOM if fault and fault.is_full else UNAVAILABLE
    return status, faults.said(error, SEND_AGAIN, needed)


def too_large() -> str:
    return f"The upload is larger than UPLOAD_MAX_MB = {settings.UPLOAD_MAX_MB}."


def body_of(request: HttpRequest) -> Any:
    """The body, to be read from front to back. Django takes one of unknown length (`curl -T -`, Transfer-Encoding: chunked) for
    empty; a server that finds its end by itself says so."""
    in_chunks = "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower() and not request.META.get("CONTENT_LENGTH")
    return request.META["wsgi.input"] if in_chunks and request.META.get("wsgi.input_terminated") else request


def announced(request: HttpRequest) -> int:
    """The body's length, as the request says it; 0 where it does not."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length[:20]) if length.isdecimal() else 0


def limit_bytes() -> int:
    return int(settings.UPLOAD_MAX_MB) << 20


def is_too_large(request: HttpRequest, *lengths: int, around: int = 0) -> bool:
    """Whether the announced length, or one of `lengths`, is over the limit, before the body is read. around: bytes of a form."""
    return max(announced(request), *lengths, 0) > limit_bytes() + around


def read_off(request: HttpRequest) -> None:
    """A client that is still sending takes an early answer for a broken connection. What is absurdly large is cut off."""
    left, stream = 2 * limit_bytes() + 2**20, body_of(request)
    with suppress(OSError):  # the server's, or Django's UnreadablePostError
        while left > 0 and (chunk := stream.read(1 << 18)):
            left -= len(chunk)

"""The cap on uploaded files. Django streams them to disk without a limit of its own."""

from __future__ import annotations

from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, StopUpload


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
        if content_length > self.limit():
            raise RequestDataTooBig(f"The upload is larger than UPLOAD_MAX_MB = {settings.UPLOAD_MAX_MB}.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > self.limit():
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler keeps the file."""

    @staticmethod
    def limit() -> int:
        return int(settings.UPLOAD_MAX_MB) * 2**20

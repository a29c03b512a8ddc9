"""Where uploaded and static files are kept."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

from leaderboard.storage.private import OPEN_FILE, OPEN_FOLDER


class WholeFiles(FileSystemStorage):
    """A file is kept whole or not at all: Django leaves the beginning of what did not fit on the disk."""

    def _save(self, name: str, content: Any) -> str:
        try:
            return str(super()._save(name, content))  # type: ignore[misc]
        except BaseException:
            with suppress(OSError):
                self.delete(name)
            raise


class Static(CompressedManifestStaticFilesStorage):
    """Static files may be served by a proxy of another user: they are open, whatever uploads and the umask are."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        modes = {"file_permissions_mode": OPEN_FILE, "directory_permissions_mode": OPEN_FOLDER}
        super().__init__(*arguments, **(modes | more))

"""Small files that are written whole or not at all, so that a full disk leaves no empty key and no half of a state."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

OWN = 0o600


def write_whole(path: Path, text: str, mode: int = OWN) -> None:
    """Write in one step: into a file beside it, to the disk, then renamed. Raises OSError, and then nothing has changed."""
    with _beside(path, text, mode) as new:
        os.replace(new, path)


def kept_text(path: Path, make: Callable[[], str]) -> str:
    """What the file says; made by the first process that asks. Processes that start together agree, since one alone can link it.
    An empty one, which an earlier version has left on a full disk, is made anew."""
    if not _said(path):
        if path.exists():
            path.unlink(missing_ok=True)
        with _beside(path, make(), OWN) as new, suppress(FileExistsError):
            os.link(new, path)
    return _said(path)


def _said(path: Path) -> str:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return ""


class _beside:  # noqa: N801  # a context manager, used as a function
    """The text in a new file of the same folder, which is gone afterwards if it was not renamed."""

    def __init__(self, path: Path, text: str, mode: int) -> None:
        self.new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        self.text, self.mode = text, mode

    def __enter__(self) -> Path:
        try:
            descriptor = os.open(self.new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, self.mode)
            with open(descriptor, "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), self.mode)  # whatever the umask
                file.write(self.text)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            self.__exit__()
            raise
        return self.new

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.new.unlink()

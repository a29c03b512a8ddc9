"""Room on the disk: looked for before something is written, so that a full disk is refused or waited for, not run into."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from django.conf import settings

from leaderboard.lib import faults

BESIDE = 1 << 20  # what the database writes of an upload beside the file itself
PAUSES = 6  # of BACKOFF_S: a minute, between two looks at work that the host could not do


def check(size_bytes: int) -> None:
    """Raises leaderboard.lib.faults.NoRoom if so much cannot be kept now; an OSError if not even that can be found out."""
    needed = size_bytes + BESIDE
    free = faults.free_bytes(incoming())
    if free < needed:
        raise faults.NoRoom(free, needed)


def why_not(size_bytes: int) -> str:
    """Why so much cannot be read or imported now; empty if it can. For pages, since a full disk cannot store the reason."""
    try:
        check(size_bytes)
    except (faults.NoRoom, OSError) as error:
        return faults.said(error) if faults.fault_of(error) else ""
    return ""


def incoming() -> str:
    """The folder of unfinished uploads and imports, made again if somebody has removed it. Raises OSError."""
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return str(folder)


def pause() -> timedelta:
    """Until work that the host could not do is looked at again. It does not grow: room is looked for before anything is begun,
    and whoever made room waits for the work."""
    return timedelta(seconds=PAUSES * settings.BACKOFF_S)

"""Files and folders that are the site's alone, and those few that others have to read.

Everything in DATA_DIR is for its owner: 0600, folders 0700. OPEN lists the exceptions.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FILE, FOLDER = 0o600, 0o700
OPEN_FILE, OPEN_FOLDER = 0o644, 0o755
TOP = 0o711  # DATA_DIR: to be passed through on the way to the open folders, not to be listed
OPEN = {
    "static": "a proxy serves it",
    "harness": "the plain uid that gradings run as executes what is built there",
}
UMASK = 0o077


def make_folders(data: Path, *folders: Path) -> None:
    """DATA_DIR and folders in it, where they are missing. On a read-only disk that lacks one the site is of no use: OSError."""
    if not data.is_dir():
        data.mkdir(parents=True, exist_ok=True)
        data.chmod(TOP)
    for folder in folders:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True, mode=FOLDER)


def most_for(data: Path, path: Path, known: int) -> int:
    """The widest mode that a file or folder of DATA_DIR may have; `known` is what it has now."""
    if path == data:
        return TOP
    if path.relative_to(data).parts[0] in OPEN:
        return OPEN_FOLDER  # of files, too: what gradings run is executable
    return FOLDER if stat.S_ISDIR(known) else FILE


def mend(data: Path) -> int:
    """Take from what is ours in DATA_DIR the rights that others should not have. Returns how many were mended; a read-only disk
    leaves all as it is."""
    mended, me = 0, os.geteuid()
    for path in (data, *below(data)):
        with suppress(OSError):
            known = path.lstat()
            mode = stat.S_IMODE(known.st_mode)
            if known.st_uid == me and _is_plain(known.st_mode) and mode & ~most_for(data, path, known.st_mode):
                path.chmod(mode & most_for(data, path, known.st_mode))
                mended += 1
    return mended


def open_up(folder: Path) -> None:
    """Open a folder that others read, whatever the umask was when it was written. Raises OSError."""
    for path in (folder, *below(folder)):
        if not path.is_symlink():
            path.chmod(OPEN_FOLDER if path.is_dir() else OPEN_FILE)


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def below(folder: Path) -> Iterator[Path]:
    """Everything in it; links are not followed."""
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield Path(root) / name

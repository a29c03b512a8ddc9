"""Built harnesses, kept from one grading to the next and shared by all processes of the host."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KEEP_S = 24 * 3600.0  # an older build of the same kernel is removed when it has not been used for this long


class HarnessCache:
    """One folder a built harness, named by its key. A folder appears whole or not at all."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.is_dir():
            root.mkdir(parents=True, exist_ok=True)
            root.chmod(0o755)  # whatever the umask: the uid that commands run as goes through it

    def get_or_build(self, key: str, build: Callable[[Path], None]) -> Path:
        """The folder of `key`. `build` fills a folder that does not exist yet; of several processes one builds, the others wait
        for it."""
        folder = self.root / key
        if not folder.exists():
            with self._locked():
                if not folder.exists():
                    self._build(folder, build)
        os.utime(folder)  # used now
        return folder

    def _build(self, folder: Path, build: Callable[[Path], None]) -> None:
        for leftover in self.root.glob(".building-*"):  # of a process that was killed: nobody else builds while we hold the lock
            shutil.rmtree(leftover, ignore_errors=True)
        workshop = self.root / f".building-{secrets.token_hex(8)}"
        workshop.mkdir()
        workshop.chmod(0o755)
        try:
            build(workshop / folder.name)
            (workshop / folder.name).rename(folder)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
        self._forget_others(folder)

    def _forget_others(self, folder: Path) -> None:
        kernel = folder.name.rpartition("-")[0]
        for other in self.root.glob(f"{kernel}-*"):
            if other != folder and time.time() - other.stat().st_mtime > KEEP_S:
                shutil.rmtree(other, ignore_errors=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def copy_plain(source: Path, target: Path) -> None:
    """Copy a tree, ours from then on and readable by every uid. Only plain files and folders: whatever else another uid left
    there stays behind."""
    target.mkdir()
    target.chmod(0o755)
    for entry in os.scandir(source):
        if entry.is_dir(follow_symlinks=False):
            copy_plain(Path(entry.path), target / entry.name)
        elif entry.is_file(follow_symlinks=False):
            copy = target / entry.name
            shutil.copyfile(entry.path, copy, follow_symlinks=False)
            copy.chmod(0o755 if entry.stat(follow_symlinks=False).st_mode & 0o100 else 0o644)

"""Small file systems of memory, to be really filled or made read-only. Mounting takes root."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest


class SmallDisk:
    """A tmpfs. `leave(n)` fills it so that n bytes stay free; `empty()` makes room again."""

    def __init__(self, path: Path, size_mb: int) -> None:
        self.path, self.ballast = path, path / "ballast"
        path.mkdir(parents=True, exist_ok=True)
        mount("-t", "tmpfs", "-o", f"size={size_mb}m,mode=755", "tmpfs", str(path))

    @property
    def free(self) -> int:
        known = os.statvfs(self.path)
        return known.f_bavail * known.f_frsize

    def leave(self, free: int) -> None:
        self.empty()
        with self.ballast.open("wb", buffering=0) as file, suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, max(1, self.free - free))

    def empty(self) -> None:
        self.ballast.unlink(missing_ok=True)

    def read_only(self, yes: bool = True) -> None:
        mount("-o", f"remount,{'ro' if yes else 'rw'}", str(self.path))

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=True)


def mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")


def small_disk(path: Path, size_mb: int = 64) -> SmallDisk:
    if os.geteuid():
        pytest.skip("to mount a file system takes root")
    return SmallDisk(path, size_mb)

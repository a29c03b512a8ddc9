"""A file system of a given size, with a given room left: what a full disk is tested with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

FILLER = "filler"


@contextmanager
def small_disk(folder: Path, size_kb: int) -> Iterator[Path]:
    """A tmpfs on `folder`, as open as /tmp. Skips where this user may not mount."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_kb}k,mode=1777", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def remount(folder: Path, how: str) -> None:
    """how: ro or rw."""
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder alone, even where files in it are open for writing."""
    subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def leave(folder: Path, free_kb: int) -> None:
    """Fill the file system so that free_kb are free."""
    filler = folder / FILLER
    with suppress(FileNotFoundError):
        filler.unlink()
    stat = os.statvfs(folder)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, (stat.f_bavail * stat.f_frsize >> 10) - free_kb) << 10)


def make_room(folder: Path) -> None:
    (folder / FILLER).unlink(missing_ok=True)


def sweep(points: int) -> list[int]:
    """From 8 kB to 2 MB free, in equal ratios."""
    return [round(8 * 256 ** (i / max(1, points - 1))) for i in range(points)]

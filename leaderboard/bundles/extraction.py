"""What is kept of an archive: the files that may hold answers, every byte counted."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from leaderboard.bundles.registry import FORMATS
from leaderboard.bundles.streams import Readable, Source
from leaderboard.bundles.types import ArchiveLimits, BundleError, Member, Skipped, Unpacked

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".gz", ".zst", ".7z", ".xz", ".bz2", ".rar")
JUNK = re.compile(r"(^|/)(__MACOSX(/|$)|\.[^/]|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
CHUNK = 64 << 10  # small, so that a bomb is noticed early: zipfile reads as much of what is packed
RATIO_FROM = 64 << 20  # small things may compress as well as they like
NAME_LENGTH = 1000  # no run folder comes near it, and a hundred thousand names are kept
LISTED = 1000
BEAT_S = 10.0


class Extractor:
    """Keeps what is wanted, counts everything."""

    def __init__(
        self,
        limits: ArchiveLimits,
        source: Source | None = None,
        into: IO[bytes] | None = None,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self.limits, self.source, self.into, self.beat = limits, source, into, beat
        self.beat_at = time.monotonic()
        self.path = Path(into.name) if into else Path()  # one object for all members
        self.unpacked = Unpacked()
        self.entries = 0
        self.bytes = 0

    def count_entry(self) -> None:
        self.entries += 1
        if self.entries > self.limits.files:
            raise BundleError(f"More than {self.limits.files} files (BUNDLE_MAX_FILES).")

    def count_bytes(self, number: int) -> None:
        if (now := time.monotonic()) > self.beat_at + BEAT_S:
            self.beat()
            self.beat_at = now
        self.bytes += number
        if self.bytes > self.limits.unpacked_mb << 20:
            raise BundleError(f"More than {self.limits.unpacked_mb} MB unpacked (BUNDLE_MAX_UNPACKED_MB).")
        if self.source and self.bytes > RATIO_FROM and self.bytes > self.source.consumed * self.limits.ratio:
            raise BundleError(f"It unpacks to more than {self.limits.ratio} times its size (BUNDLE_MAX_RATIO).")

    def wants(self, name: str, *, is_file: bool = True) -> bool:
        """Whether to keep what has that name; whatever is worth a word is noted."""
        packed = name.lower().endswith(ARCHIVES)
        if not packed and not is_wanted(name):
            return False
        if leads_out(name):
            wrong = "a path that leads out of the bundle"
        elif JUNK.search(name):
            return False
        elif packed:
            wrong = "an archive inside the archive: unpack it first, or upload it by itself"
        elif len(name) > NAME_LENGTH:
            wrong = f"a name of over {NAME_LENGTH} characters"
        elif not is_file:
            wrong = "a link, a device or a sparse file: only plain files are read"
        else:
            return True
        self.skip(name, wrong)
        return False

    def skip(self, name: str, reason: str) -> None:
        if len(self.unpacked.skipped) < LISTED:
            self.unpacked.skipped.append(Skipped(member=name[:400], line=0, reason=reason, counts=False))

    def take(self, name: str, stream: Readable, *, counted: bool = False) -> int:
        """Copy a stream. counted: whoever made the stream counts its bytes. Returns their number."""
        assert self.into
        offset, size = self.into.tell(), 0
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if not counted:
                self.count_bytes(len(chunk))
            self.into.write(chunk)
        self.unpacked.members.append(Member(name=name, path=self.path, offset=offset, size=size))
        return size


def leads_out(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/") or bool(re.match(r"[A-Za-z]:", name))


def is_wanted(name: str) -> bool:
    return FORMATS.wants(name) or name.rpartition("/")[2] in FORMATS.config_names


def normal(name: str) -> str:
    """Forward slashes, no ./ in front."""
    name = name.replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    return name


def bare_name(name: str) -> str:
    """A single file is of the format that its name says, else it is read as lines, whatever it is called."""
    name = normal(name).rpartition("/")[2][-NAME_LENGTH:] or "answers"
    return name if FORMATS.wants(name) else f"{name}.jsonl"

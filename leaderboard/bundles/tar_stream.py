"""tar archives, front to back, from a stream that cannot go back."""

from __future__ import annotations

import os
import tarfile
from typing import Any, cast

from leaderboard.bundles.extraction import CHUNK, Extractor, normal
from leaderboard.bundles.streams import Readable
from leaderboard.bundles.types import BundleError

BLOCK = tarfile.BLOCKSIZE
TAR_SHARE = 16  # a header in small pairs takes ten times its length in memory; a zip's directory does not
ITSELF = "(the archive)"


def is_tar_block(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def unpack_tar(stream: Readable, extractor: Extractor) -> None:
    forward = Forward(stream, extractor)
    with tarfile.open(fileobj=forward, mode="r:", errorlevel=1) as archive:  # type: ignore[call-overload]
        while (info := next_entry(archive, forward)) is not None:
            extractor.count_entry()
            name = normal(info.name)
            if info.isdir() or not extractor.wants(name, is_file=info.isreg() and not info.issparse()):
                continue
            content = archive.extractfile(info)
            assert content is not None  # it is a regular file
            extractor.take(name, content, counted=True)
        check_end(forward, extractor)


def next_entry(archive: Any, forward: Forward) -> tarfile.TarInfo | None:
    forward.header_left = forward.header_bytes
    try:
        return cast("tarfile.TarInfo | None", archive.next())
    finally:
        forward.header_left = None
        archive.members.clear()  # it would remember a hundred thousand of them
        archive.pax_headers.clear()  # and whatever any header said of all that follow


def check_end(forward: Forward, extractor: Extractor) -> None:
    """tarfile takes a broken header for the end: then answers would be missing without a word."""
    last = forward.last_block
    if last.strip(b"\0"):
        raise BundleError(f"The archive is damaged: no file starts at byte {forward.position - len(last)} of the tar.")
    if len(last) < BLOCK:
        extractor.skip(ITSELF, "the tar has no end mark: it may have been cut off")
    while data := forward.read(CHUNK):
        if data.strip(b"\0"):
            extractor.skip(ITSELF, "more data follows the tar's end mark: it was not read")
            return


class Forward:
    """A stream that tarfile can use as a file: forward only, every byte counted, headers (which it reads at once) bounded.

    tarfile steps back by one byte now and then to see whether the file was cut off: the last byte is kept for that.
    """

    def __init__(self, stream: Readable, extractor: Extractor) -> None:
        self.stream, self.extractor = stream, extractor
        self.position, self.last, self.back = 0, b"", 0
        self.last_block = b""  # the end of the latest read
        self.header_bytes = (extractor.limits.header_mb << 20) // TAR_SHARE
        self.header_left: int | None = self.header_bytes  # what headers before the next entry may still take; None: no header

    def read(self, size: int = -1) -> bytes:
        if self.header_left is not None:
            self.header_left -= size if size > 0 else 0
            if size < 0 or self.header_left < 0:
                raise BundleError(
                    f"The tar has a header of over {self.header_bytes >> 10} kB (a {TAR_SHARE}th of BUNDLE_MAX_HEADER_MB)."
                )
        if size < 0:
            raise BundleError("The tar cannot be read front to back.")
        if self.back and size:
            self.back = 0
            return self.last + (self._read(size - 1) if size > 1 else b"")
        return self._read(size)

    def _read(self, size: int) -> bytes:
        parts = []
        while size > 0 and (data := self.stream.read(min(size, CHUNK))):
            self.extractor.count_bytes(len(data))
            self.position += len(data)
            size -= len(data)
            parts.append(data)
        data = b"".join(parts)
        self.last_block = data[-BLOCK:]
        self.last = data[-1:] or self.last
        return data

    def tell(self) -> int:
        return self.position - self.back

    def seek(self, target: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or target < self.position - 1 or (target < self.position and not self.last):
            raise BundleError("The tar cannot be read front to back.")
        self.back = self.position - target if target < self.position else 0
        while self.position < target and self._read(min(CHUNK, target - self.position)):
            pass
        return self.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

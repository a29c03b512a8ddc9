"""Compressed files as streams: bounded in memory whatever they hold, and an error where they break off."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable
from typing import IO, Protocol

from leaderboard.bundles.types import ArchiveLimits, BundleError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

INPUT = 64 << 10
DAMAGED = (zlib.error, zstd.ZstdError)
WINDOW_REFUSED = "Frame requires too much memory"  # libzstd's words for it


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class Source:
    """The packed file: counts what is read of it, and refuses to read more at once than the largest header may have.

    zipfile reads a directory of whatever length the archive claims in one go.
    """

    def __init__(self, file: IO[bytes], limits: ArchiveLimits) -> None:
        self.file, self.limits = file, limits
        self.size = os.fstat(file.fileno()).st_size
        self.bytes_read = 0

    def read(self, size: int = -1) -> bytes:
        left = max(0, self.size - self.file.tell())
        size = left if size < 0 else min(size, left)
        if size > self.limits.header_mb << 20:
            raise BundleError(f"The archive's directory is over {self.limits.header_mb} MB (BUNDLE_MAX_HEADER_MB).")
        data = self.file.read(size)
        self.bytes_read += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True

    @property
    def consumed(self) -> int:
        """How much of the file was needed so far: reading a part again counts for nothing."""
        return min(self.bytes_read, self.size)


class Engine(Protocol):
    """Decompresses one member of a gzip file, or one frame of a zstd file."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class Inflate:
    def __init__(self) -> None:
        self.engine = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self.engine.eof

    @property
    def needs_input(self) -> bool:
        return not self.engine.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self.engine.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self.engine.decompress(self.engine.unconsumed_tail + data, max_length)


def engine_of(magic: bytes, limits: ArchiveLimits) -> Callable[[], Engine]:
    if magic[:2] == b"\x1f\x8b":
        return Inflate
    window_log = (limits.window_mb << 20).bit_length() - 1
    return lambda: zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: window_log})


class Decompressed:
    """All members (frames) of a gzip (zstd) file, one after another."""

    def __init__(self, source: Source, engine: Callable[[], Engine], limits: ArchiveLimits) -> None:
        self.source, self.new_engine, self.limits = source, engine, limits
        self.engine: Engine | None = None
        self.begun = 0
        self.left = b""  # read, and not yet given to an engine

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; none at the end. Raises EOFError where the file breaks off."""
        assert size > 0
        try:
            while self.engine or self._begin():
                if data := self._step(size):
                    return data
        except zstd.ZstdError as error:
            if WINDOW_REFUSED in str(error):
                needs = f"Unpacking it takes over {self.limits.window_mb} MB (BUNDLE_MAX_WINDOW_MB)"
                raise BundleError(f"{needs}: compress it without --ultra and --long.") from error
            raise
        return b""

    def _begin(self) -> bool:
        """The next member, if there is one; zeros may stand between them."""
        while not self.left and (data := self.source.read(INPUT)):
            self.left = data.lstrip(b"\0") if self.begun else data
        if not self.left:
            return False
        self.begun += 1
        if self.begun > self.limits.files:
            raise BundleError(f"Compressed in more than {self.limits.files} pieces (BUNDLE_MAX_FILES).")
        self.engine = self.new_engine()
        return True

    def _step(self, size: int) -> bytes:
        assert self.engine
        more = b""
        if self.engine.needs_input:
            more, self.left = self.left or self.source.read(INPUT), b""
        data = self.engine.decompress(more, size)
        if self.engine.eof:
            self.left = self.engine.unused_data.lstrip(b"\0")
            self.engine = None
        elif not data and not more:
            raise EOFError("it is truncated")
        return data

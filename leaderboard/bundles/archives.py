"""From an archive, a folder or a bare file to members on disk.

Files are written under numbers in a folder of ours, never under the names in the archive: there is no path to climb out with,
and links and devices are not made at all. Every byte is counted as it is unpacked, whatever the archive says of its size.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import zstandard

from leaderboard.bundles.found import BundleError, Limits, Member, Skipped, Unpacked

WANTED = (".jsonl", ".ndjson", ".c")
CONFIGS = ("eval.json", "replay.json", "metadata.json", "config.toml")
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".gz", ".zst", ".7z", ".xz", ".bz2", ".rar")
JUNK = re.compile(r"(^|/)(__MACOSX(/|$)|\.[^/]|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
CHUNK = 1 << 20
HEADER_LIMIT = 8 << 20  # a tar's extended header may claim any length, and is read at once
DIRECTORY_LIMIT = 64 << 20  # a zip's directory likewise
RATIO_FROM = 64 << 20  # small things may compress as well as they like

ZIP, GZIP, ZSTD = b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
UNREADABLE = (zipfile.BadZipFile, tarfile.TarError, zstandard.ZstdError, zlib.error, EOFError, gzip.BadGzipFile, struct.error)


def unpack(source: Path, into: Path, limits: Limits, name: str | None = None) -> Unpacked:
    """Everything in `source` that may hold answers, or say what run they are from. `into` is an empty folder of ours.

    Raises BundleError; its message names the limit that was exceeded.
    """
    if source.is_dir():
        return read_folder(source, limits)
    taker = Taker(into, limits, source.stat().st_size)
    try:
        _unpack_file(source, taker, name or source.name)
    except UNREADABLE as error:
        raise BundleError(f"The archive is damaged: {error}") from error
    except (NotImplementedError, RuntimeError, ValueError, OSError, OverflowError, MemoryError, RecursionError) as error:
        raise BundleError(f"The archive cannot be read: {error}") from error
    return taker.unpacked


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class Taker:
    """Keeps what is wanted, counts everything."""

    def __init__(self, into: Path, limits: Limits, packed_bytes: int) -> None:
        self.into, self.limits, self.packed_bytes = into, limits, packed_bytes
        self.unpacked = Unpacked()
        self.entries = 0
        self.bytes = 0

    def count_entry(self) -> None:
        self.entries += 1
        if self.entries > self.limits.files:
            raise BundleError(f"More than {self.limits.files} files (BUNDLE_MAX_FILES).")

    def count_bytes(self, number: int) -> None:
        self.bytes += number
        if self.bytes > self.limits.unpacked_mb << 20:
            raise BundleError(f"More than {self.limits.unpacked_mb} MB unpacked (BUNDLE_MAX_UNPACKED_MB).")
        if self.bytes > RATIO_FROM and self.bytes > self.packed_bytes * self.limits.ratio:
            raise BundleError(f"It unpacks to more than {self.limits.ratio} times its size (BUNDLE_MAX_RATIO).")

    def wants(self, name: str) -> bool:
        """Whether to keep a file of that name; files worth a word are noted."""
        if name.startswith("/") or ".." in name.split("/") or re.match(r"[A-Za-z]:", name):
            self.skip(name, "a path that leads out of the bundle")
            return False
        if JUNK.search(name):
            return False
        if name.lower().endswith(ARCHIVES):
            self.skip(name, "an archive inside the archive: unpack it first, or upload it by itself")
            return False
        return is_wanted(name)

    def skip(self, name: str, reason: str) -> None:
        if len(self.unpacked.skipped) < 1000:
            self.unpacked.skipped.append(Skipped(member=name[:400], line=0, reason=reason, counts=False))

    def take(self, name: str, stream: Readable, *, counted: bool = False) -> None:
        """Copy a stream to a numbered file. counted: whoever made the stream counts its bytes."""
        path, size = self.into / f"{len(self.unpacked.members):06d}", 0
        with path.open("xb") as file:
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if not counted:
                    self.count_bytes(len(chunk))
                file.write(chunk)
        self.unpacked.members.append(Member(name=name, path=path, size=size))


def is_wanted(name: str) -> bool:
    return name.lower().endswith(WANTED) or name.rpartition("/")[2] in CONFIGS


def normal(name: str) -> str:
    """Forward slashes, no ./ in front."""
    name = name.replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    return name


def _unpack_file(source: Path, taker: Taker, name: str) -> None:
    with source.open("rb") as file:
        magic = file.read(4)
    if magic == ZIP or zipfile.is_zipfile(source):
        _unpack_zip(source, taker)
    elif magic[:2] == GZIP or magic == ZSTD:
        _unpack_compressed(source, taker, name, "gzip" if magic[:2] == GZIP else "zstd")
    elif tarfile.is_tarfile(source):
        with source.open("rb") as file:
            _unpack_tar(Forward(file, taker), taker)
    else:
        with source.open("rb") as file:
            taker.take(bare_name(name), file)


def bare_name(name: str) -> str:
    """A single file is read as lines, whatever it is called."""
    name = normal(name).rpartition("/")[2] or "answers"
    return name if name.lower().endswith((".jsonl", ".ndjson")) else f"{name}.jsonl"


# zip


def _unpack_zip(source: Path, taker: Taker) -> None:
    check_directory_size(source)
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            taker.count_entry()
            name = normal(info.filename)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir() or kind not in (0, stat.S_IFREG) or not taker.wants(name):
                continue
            if info.flag_bits & 1:
                raise BundleError("The zip is encrypted: upload it without a password.")
            with archive.open(info) as stream:
                taker.take(name, stream)


def check_directory_size(source: Path) -> None:
    """zipfile reads a zip's whole directory at once, so its size is looked at first (end record, then zip64's)."""
    with source.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 66_000))
        tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < 22:
        raise BundleError("The archive is damaged: a zip without its directory.")
    (length,) = struct.unpack_from("<L", tail, at + 12)
    if length == 0xFFFFFFFF and (far := tail.rfind(b"PK\6\6")) >= 0 and len(tail) - far >= 48:
        (length,) = struct.unpack_from("<Q", tail, far + 40)
    if length > DIRECTORY_LIMIT:
        raise BundleError("More files than BUNDLE_MAX_FILES: the zip's directory alone is over 64 MB.")


# tar, gzip, zstd


def _unpack_compressed(source: Path, taker: Taker, name: str, how: str) -> None:
    """A compressed tar, or a single compressed file."""
    with decompressed(source, how) as stream:
        first = stream.read(512)
    with decompressed(source, how) as stream:
        forward = Forward(stream, taker)
        if is_tar_block(first):
            _unpack_tar(forward, taker)
        else:
            taker.take(bare_name(re.sub(r"\.(gz|zst)$", "", name)), forward, counted=True)


def is_tar_block(block: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


@contextmanager
def decompressed(source: Path, how: str) -> Iterator[Any]:
    with source.open("rb") as file:
        if how == "gzip":
            with gzip.GzipFile(fileobj=file) as stream:
                yield stream
        else:
            with zstandard.ZstdDecompressor(max_window_size=128 << 20).stream_reader(file, read_across_frames=True) as stream:
                yield stream


def _unpack_tar(forward: Forward, taker: Taker) -> None:
    with tarfile.open(fileobj=forward, mode="r:", errorlevel=1) as archive:  # type: ignore[call-overload]
        while (info := archive.next()) is not None:
            archive.members.clear()  # it would remember a hundred thousand of them
            taker.count_entry()
            name = normal(info.name)
            if info.isreg() and not info.issparse() and taker.wants(name):
                stream = archive.extractfile(info)
                assert stream is not None  # it is a regular file
                taker.take(name, stream, counted=True)


class Forward:
    """A stream that tarfile can use as a file: forward only, every byte counted, no read larger than a header may be.

    tarfile steps back by one byte now and then to see whether the file was cut off: the last byte is kept for that.
    """

    def __init__(self, stream: IO[bytes], taker: Taker) -> None:
        self.stream, self.taker = stream, taker
        self.position, self.last, self.back = 0, b"", 0

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > HEADER_LIMIT:
            raise BundleError("The tar has a header of over 8 MB.")
        if self.back and size:
            self.back = 0
            return self.last + self.read(size - 1)
        parts = []
        while size > 0 and (data := self.stream.read(min(size, CHUNK))):
            self.taker.count_bytes(len(data))
            self.position += len(data)
            self.last = data[-1:]
            size -= len(data)
            parts.append(data)
        return b"".join(parts)

    def tell(self) -> int:
        return self.position - self.back

    def seek(self, target: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or target < self.position - 1 or (target < self.position and not self.last):
            raise BundleError("The tar cannot be read front to back.")
        self.back = self.position - target if target < self.position else 0
        while self.position < target and self.read(min(CHUNK, target - self.position)):
            pass
        return self.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


# folders (command line)


def read_folder(source: Path, limits: Limits) -> Unpacked:
    """The files of a folder where they are; links are not followed."""
    taker = Taker(source, limits, 1 << 60)
    for folder, folders, files in os.walk(source):
        folders.sort()
        for file in sorted(files):
            path = Path(folder) / file
            name = path.relative_to(source).as_posix()
            if path.is_symlink() or not path.is_file():
                continue
            taker.count_entry()
            if taker.wants(name):
                size = path.stat().st_size
                taker.count_bytes(size)
                taker.unpacked.members.append(Member(name=name, path=path, size=size))
    return taker.unpacked

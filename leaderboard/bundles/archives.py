"""Unpack an archive, a folder or a bare file into members on disk.

Everything goes into one file of ours, never to the names in the archive: there is no path to climb out with, and links and
devices are not made at all. Every byte is counted as it is unpacked, whatever the archive says of its size.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

from leaderboard.bundles.extraction import ARCHIVES, Extractor, bare_name, normal
from leaderboard.bundles.line_reader import UTF_16
from leaderboard.bundles.registry import FORMATS
from leaderboard.bundles.streams import DAMAGED, Decompressed, Source, engine_of
from leaderboard.bundles.tar_stream import BLOCK, is_tar_block, unpack_tar
from leaderboard.bundles.types import ArchiveLimits, BundleError, Member, Unpacked
from leaderboard.lib.faults import fault_of

MAGIC = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",  # with nothing in it
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}
READ = f"zip, tar, tar.gz, tar.zst, or the {' or '.join(FORMATS.usual_suffixes)} file itself"
# What the standard library's parsers raise for files that were made to make them fail.
CANNOT_READ = (
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    MemoryError,
    ArithmeticError,
    LookupError,
    TypeError,
    AttributeError,
)
# The others hold their output back in memory, gigabytes of it if they were made for that.
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
UNREADABLE = (zipfile.BadZipFile, tarfile.TarError, *DAMAGED, EOFError, struct.error)


def unpack(
    source: Path, into: Path, limits: ArchiveLimits, name: str | None = None, beat: Callable[[], None] = lambda: None
) -> Unpacked:
    """Everything in `source` that may hold answers, or say what run they are from. `into` is an empty folder of ours.
    `beat` is called now and then, for whoever must show that this is still under way.

    Raises BundleError; its message names the limit that was exceeded. A fault of this host is raised as it is.
    """
    if source.is_dir():
        return read_folder(source, limits)
    try:
        with source.open("rb") as file, (into / "members").open("xb") as members:
            extractor = Extractor(limits, Source(file, limits), members, beat)
            _unpack_file(extractor, name or source.name)
    except UNREADABLE as error:
        raise BundleError(f"The archive is damaged: {error}") from error
    except CANNOT_READ as error:
        if fault_of(error):  # no room to unpack it, a broken disk: nothing that the archive is to blame for
            raise
        raise BundleError(f"The archive cannot be read: {error}") from error
    return extractor.unpacked


def _unpack_file(extractor: Extractor, name: str) -> None:
    source = extractor.source
    assert source
    first = source.read(BLOCK)
    source.seek(0)
    kind = next((kind for magic, kind in MAGIC.items() if first.startswith(magic)), "")
    if kind in ("gzip", "zstd"):
        _unpack_compressed(source, first, extractor, name)
    elif is_tar(first, name):
        unpack_tar(source, extractor)
    elif kind == "zip" or zipfile.is_zipfile(cast(IO[bytes], source)):
        source.seek(0)
        _unpack_zip(source, extractor)
    elif kind:
        raise BundleError(f"This is a {kind} file: {READ} can be read here.")
    elif name.lower().endswith(ARCHIVES) and not is_text(first):
        raise BundleError(f"It is named like an archive, but is not one, or it is damaged: {READ} can be read here.")
    else:
        source.seek(0)
        extractor.take(bare_name(name), source)


def is_text(first: bytes) -> bool:
    """By its first block, which may end within a character."""
    if b"\0" in first:
        return first.startswith(UTF_16)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        return first.startswith(UTF_16)
    return True


def is_tar(first: bytes, name: str) -> bool:
    """By its first block, which is empty if nothing is in it."""
    empty = not first.strip(b"\0") and bool(re.search(r"\.(tar|tgz)\b", name, re.IGNORECASE))
    return empty or is_tar_block(first)


def _unpack_compressed(source: Source, magic: bytes, extractor: Extractor, name: str) -> None:
    """A compressed tar, or a single compressed file."""
    engine = engine_of(magic, extractor.limits)
    first = b""
    stream = Decompressed(source, engine, extractor.limits)
    while len(first) < BLOCK and (data := stream.read(BLOCK - len(first))):
        first += data
    source.seek(0)
    stream = Decompressed(source, engine, extractor.limits)
    if is_tar(first, name):
        unpack_tar(stream, extractor)
    else:
        extractor.take(bare_name(re.sub(r"\.(gz|zst)$", "", name, flags=re.IGNORECASE)), stream)


def _unpack_zip(source: Source, extractor: Extractor) -> None:
    with zipfile.ZipFile(cast(IO[bytes], source)) as archive:
        entries = archive.filelist
        if len(entries) > extractor.limits.files:
            raise BundleError(f"More than {extractor.limits.files} files (BUNDLE_MAX_FILES).")
        archive.NameToInfo.clear()  # of a hundred thousand entries only those to come are kept
        entries.reverse()
        while entries:
            _take_entry(archive, entries.pop(), extractor)


def _take_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, extractor: Extractor) -> None:
    extractor.count_entry()
    name = normal(info.filename)
    is_file = stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
    if name.endswith("/") or not extractor.wants(name, is_file=is_file):
        return
    if info.flag_bits & 1:
        raise BundleError("The zip is encrypted: upload it without a password.")
    if info.compress_type not in ZIP_METHODS:
        raise BundleError("The zip is compressed in an unusual way: only deflate, the usual one, can be read here.")
    with archive.open(info) as stream:
        size = extractor.take(name, stream)
    if size != info.file_size:
        raise BundleError(f"The archive is damaged: {name[:100]} has {size} bytes, not {info.file_size}.")


# folders (command line)


def read_folder(source: Path, limits: ArchiveLimits) -> Unpacked:
    """The files of a folder where they are; links are not followed."""
    extractor = Extractor(limits)
    for folder, folders, files in os.walk(source):
        folders.sort()
        for file in sorted(files):
            path = Path(folder) / file
            name = path.relative_to(source).as_posix()
            extractor.count_entry()
            if extractor.wants(name, is_file=path.is_file() and not path.is_symlink()):
                size = path.stat().st_size
                extractor.count_bytes(size)
                extractor.unpacked.members.append(Member(name=name, path=path, size=size))
    return extractor.unpacked

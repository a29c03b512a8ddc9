"""Archives that are odd, broken or meant to do harm. tests/site/test_archives.py has the usual ones."""

from __future__ import annotations

import gzip
import io
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path

import pytest

from leaderboard.bundles.archives import unpack
from leaderboard.bundles.types import ArchiveLimits, BundleError
from tests.bundles import hostile
from tests.bundles.conftest import LIMITS, Read
from tests.bundles.test_formats import limited
from tests.site.bundles import lines, link, row, tar_of, tgz_of, zip_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ONE, OTHER = lines(row()), lines(row(kernel="sort_u32"))
TWO = {"a.jsonl": ONE, "b.jsonl": OTHER}


def refused(read: Read, data: bytes, says: str, name: str = "upload", limits: ArchiveLimits = LIMITS) -> None:
    with pytest.raises(BundleError, match=says):
        read(data, name, limits=limits)


# Bombs


@pytest.mark.parametrize("make", [hostile.zeros_zip, hostile.zeros_gzip, hostile.zeros_zstd])
def test_ten_gigabytes_of_zeros_are_noticed_after_the_first_megabytes(tmp_path: Path, make: object) -> None:
    path, into = tmp_path / "zeros", tmp_path / "into"
    into.mkdir()
    make(path, 10 * 1024)  # type: ignore[operator]
    with pytest.raises(BundleError, match="BUNDLE_MAX_RATIO"):
        unpack(path, into, limited(unpacked_mb=4096, ratio=400))
    assert (into / "members").stat().st_size <= 150 << 20


def test_a_file_in_many_gzip_members_is_one_file_up_to_the_limit(read: Read) -> None:
    assert len(read(b"".join(gzip.compress(lines(row())) for _ in range(20)), "a.jsonl.gz").answers) == 20
    refused(read, gzip.compress(b"") * 1001, "BUNDLE_MAX_FILES")


def test_zstd_that_wants_a_gigabyte_of_memory_is_refused(read: Read) -> None:
    options = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.content_size_flag: 0}
    packer = zstd.ZstdCompressor(options=options)
    refused(read, packer.compress(ONE) + packer.flush(), "BUNDLE_MAX_WINDOW_MB")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_giant_header_of_any_kind_names_the_limit(tmp_path: Path, kind: bytes) -> None:
    hostile.giant_header_tar(tmp_path / "tar", kind, 30)
    (tmp_path / "into").mkdir()
    with pytest.raises(BundleError, match="BUNDLE_MAX_HEADER_MB"):
        unpack(tmp_path / "tar", tmp_path / "into", LIMITS)


def test_many_headers_before_one_file_count_together(read: Read) -> None:
    one = tarfile.TarInfo("x")
    one.type, one.size = tarfile.XGLTYPE, 3 << 18
    header = one.tobuf(tarfile.GNU_FORMAT) + (b"7 ab=c\n" * ((3 << 18) // 7)).ljust(3 << 18, b"\0")
    refused(read, header * 2, "BUNDLE_MAX_HEADER_MB")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_in_another_compression_is_refused_since_it_would_be_held_in_memory(read: Read, method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.jsonl", ONE)
    refused(read, buffer.getvalue(), "unusual way")


@pytest.mark.parametrize(
    ("magic", "kind"), [(b"BZh91AY", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07", "rar")]
)
def test_archives_of_other_kinds_are_named(read: Read, magic: bytes, kind: str) -> None:
    refused(read, magic + bytes(100), f"This is a {kind} file: zip, tar, tar.gz, tar.zst")


# Odd, and fine


def test_a_zip_written_to_a_stream_has_its_sizes_behind_the_data(read: Read) -> None:
    class Stream(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        archive.writestr("a.jsonl", ONE)
    assert b"PK\7\10" in stream.data
    assert len(read(stream.data).answers) == 1


def test_zip64_is_read(read: Read) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("a.jsonl", "w", force_zip64=True) as file:
        file.write(ONE)
    assert len(read(buffer.getvalue()).answers) == 1


def test_a_zip_behind_other_data_is_read(read: Read) -> None:
    assert len(read(b"#!/bin/sh\nexit\n" + zip_of(TWO)).answers) == 2


@pytest.mark.parametrize("pack", [zip_of, tar_of, tgz_of])
def test_an_empty_archive_has_no_rows(read: Read, pack: object) -> None:
    found = read(pack({}), "nothing.tar.gz")  # type: ignore[operator]
    assert (found.answers, found.reading.rows) == ([], 0)


def test_of_two_members_of_one_name_both_are_read(read: Read) -> None:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")
        for content in (ONE, OTHER, ONE):
            archive.writestr("a.jsonl", content)
    found = read(buffer.getvalue())
    assert [answer.kernel for answer in found.answers] == ["dot_f32", "sort_u32"]
    assert found.reasons == ["duplicate: an earlier row of the bundle is the same"]


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize(
    "name", ["é/a.jsonl", "n" * 90 + "/" + "m" * 90 + ".jsonl", "\udcff.jsonl", "<b>&'\".jsonl", "\u202e\n.jsonl"]
)
def test_names_in_tars_of_every_format(read: Read, form: int, name: str) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        info = tarfile.TarInfo(name)
        info.size = 8
        archive.addfile(info, io.BytesIO(b"no json\n"))
    (item,) = read(buffer.getvalue()).skipped
    assert item.member == name.replace("\udcff", "\ufffd")


def test_a_name_of_sixty_thousand_characters_is_listed_in_part(read: Read) -> None:
    for pack in (zip_of, tar_of):
        found = read(pack({"n" * 60_000 + ".jsonl": ONE, "good.jsonl": ONE}))
        assert len(found.answers) == 1
        assert found.reasons == ["a name of over 1000 characters"]
        assert len(found.skipped[0].member) <= 400


def test_an_entry_without_a_name_is_passed_over(read: Read) -> None:
    data = bytearray(zip_of({"a.jsonl": ONE, "b": b""}))
    at = data.rfind(b"PK\1\2")  # found by bench/fuzz_readers.py: zipfile looks at a name's last character
    struct.pack_into("<H", data, at + 28, 0)
    struct.pack_into("<H", data, at + 30, 1)
    assert len(read(bytes(data)).answers) == 1


def test_links_devices_and_sparse_files_are_listed_where_they_could_hold_answers(read: Read) -> None:
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
    extra = [link(f"{number}.jsonl", "/etc/passwd", kind) for number, kind in enumerate(kinds)]
    found = read(tgz_of(TWO, *extra, link("logs/latest", "attempt_1")))
    assert len(found.answers) == 2
    assert len(found.skipped) == len(kinds)
    assert all("only plain files" in reason for reason in found.reasons)


def test_what_a_folder_holds_besides_files_is_listed(tmp_path: Path, read: Read) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "good.jsonl").write_bytes(ONE)
    (folder / "link.jsonl").symlink_to("/etc/passwd")
    (folder / "inner.zip").write_bytes(zip_of(TWO))
    found = read(folder)
    assert len(found.answers) == 1
    assert {item.member for item in found.skipped} == {"link.jsonl", "inner.zip"}


def test_names_of_files_are_never_paths_that_are_written_to(tmp_path: Path) -> None:
    names = ["../x.jsonl", "/x.jsonl", "C:/x.jsonl", "..\\x.jsonl", "a/../../x.jsonl", "good/../x.jsonl", "x.jsonl"]
    for pack in (zip_of, tar_of):
        into = Path(tempfile.mkdtemp(dir=tmp_path))
        (tmp_path / "source").write_bytes(pack(dict.fromkeys(names, ONE)))
        unpacked = unpack(tmp_path / "source", into, LIMITS)
        assert [member.name for member in unpacked.members] == ["x.jsonl"]
        assert len(unpacked.skipped) == len(names) - 1
        assert [path.name for path in into.iterdir()] == ["members"]


# Broken, and never in silence


def test_a_zip_that_lies_about_its_sizes_is_damaged(read: Read) -> None:
    data = bytearray(zip_of({"a.jsonl": ONE}))
    at = data.rfind(b"PK\1\2")
    for size in (1, len(ONE) * 2, 0xFFFFFFF0):
        struct.pack_into("<L", data, at + 24, size)
        refused(read, bytes(data), "damaged")


def test_a_tar_with_a_broken_header_in_the_middle_is_damaged_and_not_just_shorter(read: Read) -> None:
    data = bytearray(tar_of(TWO))
    data[data.find(b"b.jsonl") + 150] ^= 0xFF
    refused(read, bytes(data), "damaged: no file starts at byte 1024 of the tar")
    refused(read, gzip.compress(data), "damaged: no file starts at byte 1024")


def test_a_tar_without_its_end_mark_says_that_it_may_have_been_cut_off(read: Read) -> None:
    found = read(tar_of(TWO)[:1024])
    assert len(found.answers) == 1
    assert found.reasons == ["the tar has no end mark: it may have been cut off"]


def test_two_tars_put_together_are_not_both_read_without_a_word(read: Read) -> None:
    found = read(gzip.compress(tar_of({"a.jsonl": ONE})) + gzip.compress(tar_of({"b.jsonl": OTHER})))
    assert len(found.answers) == 1
    assert found.reasons == ["more data follows the tar's end mark: it was not read"]


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
@pytest.mark.parametrize("cut", [1, 5, 10, 200])
def test_compressed_lines_that_were_cut_off_are_damaged_and_not_just_fewer(read: Read, pack: object, cut: int) -> None:
    many = lines(*(row(answer=f"{number * 7919}") for number in range(200)))
    refused(read, pack(many)[:-cut], "damaged", "a.jsonl")  # type: ignore[operator]


@pytest.mark.parametrize("pack", [zip_of, tgz_of, lambda files: zstd.compress(tar_of(files))])
def test_an_archive_cut_off_anywhere_is_an_error_or_says_so(read: Read, pack: object) -> None:
    data = pack(TWO)  # type: ignore[operator]
    for cut in range(1, len(data), 7):
        try:
            found = read(data[:cut])
        except BundleError:
            continue
        assert len(found.answers) == 2 or found.skipped


def test_rubbish_behind_gzip_is_damaged_and_zeros_are_padding(read: Read) -> None:
    assert len(read(tgz_of(TWO) + bytes(1024)).answers) == 2
    refused(read, gzip.compress(ONE) + b"rubbish", "damaged")

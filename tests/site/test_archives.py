from __future__ import annotations

import gzip
import io
import resource
import tarfile
import tempfile
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from backports import zstd

from leaderboard.bundles.archives import unpack
from leaderboard.bundles.types import ArchiveLimits, BundleError, Unpacked
from tests.site.bundles import lines, link, row, tar_of, tgz_of, zip_of

LINES = lines(row())
SMALL = ArchiveLimits(unpacked_mb=4, ratio=50, files=20, line_mb=1, rows=1000)


@pytest.fixture
def take(tmp_path):
    """take(data, name): what is unpacked of it. Nothing may be written anywhere else."""

    def take_one(data: bytes, name: str = "bundle", limits: ArchiveLimits = SMALL) -> Unpacked:
        source, into = tmp_path / "source", Path(tempfile.mkdtemp(dir=tmp_path))
        source.write_bytes(data)
        before = set(tmp_path.rglob("*"))
        try:
            return unpack(source, into, limits, name)
        finally:
            assert all(path.parent == into for path in set(tmp_path.rglob("*")) - before)
            assert all(path.is_file() and not path.is_symlink() for path in into.iterdir())

    return take_one


def names(unpacked: Unpacked) -> list[str]:
    return [member.name for member in unpacked.members]


def content(unpacked: Unpacked) -> list[bytes]:
    return [member.read_bytes() for member in unpacked.members]


PACKED = {
    "zip": zip_of({"run/traces.jsonl": LINES}),
    "tar": tar_of({"run/traces.jsonl": LINES}),
    "tar.gz": tgz_of({"run/traces.jsonl": LINES}),
    "tar.zst": zstd.compress(tar_of({"run/traces.jsonl": LINES})),
}


@pytest.mark.parametrize("kind", PACKED)
def test_every_kind_of_archive_is_known_by_its_content_whatever_it_is_called(take, kind):
    unpacked = take(PACKED[kind], "misnamed.txt")
    assert names(unpacked) == ["run/traces.jsonl"]
    assert content(unpacked) == [LINES]


@pytest.mark.parametrize(
    ("data", "name"), [(LINES, "answers.jsonl"), (gzip.compress(LINES), "answers.jsonl.gz"), (LINES, "x.txt")]
)
def test_a_bare_file_is_lines(take, data, name):
    unpacked = take(data, name)
    assert names(unpacked)[0].endswith(".jsonl")
    assert content(unpacked) == [LINES]


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", bytes(range(128, 256)) * 9, b"PK\1\2\0 a zip without its beginning"])
@pytest.mark.parametrize("name", ["run.zip", "RUN.TAR.GZ", "run.zst"])
def test_what_is_only_named_like_an_archive_is_refused_as_a_whole(take, data, name):
    with pytest.raises(BundleError, match="named like an archive"):
        take(data, name)


def test_lines_in_a_file_named_like_an_archive_are_lines(take):
    text = '{"answer": "é"}\n'.encode() * 50
    for data in (text, text[:512], text[:513], text.decode().encode("utf-16")):
        assert content(take(data, "run.zip")) == [data]


def test_what_systems_leave_behind_is_passed_over(take):
    files = dict.fromkeys(
        [
            "__MACOSX/run/._traces.jsonl",
            "run/.DS_Store",
            "run/.hidden.jsonl",
            ".git/x.jsonl",
            "run/Thumbs.db",
            "run/logs/eval.log",
        ],
        b"x",
    )
    assert names(take(zip_of(files | {"run/traces.jsonl": LINES}))) == ["run/traces.jsonl"]


def test_windows_separators_are_slashes(take):
    assert names(take(tgz_of({"run\\configs\\eval.json": b"{}"}))) == ["run/configs/eval.json"]


@pytest.mark.parametrize("name", ["../../evil.jsonl", "/etc/evil.jsonl", "C:\\evil.jsonl", "a/../../evil.jsonl"])
@pytest.mark.parametrize("pack", [zip_of, tgz_of])
def test_paths_that_lead_out_are_skipped_with_the_reason(take, pack, name):
    unpacked = take(pack({name: LINES, "good.jsonl": LINES}))
    assert names(unpacked) == ["good.jsonl"]
    assert "leads out" in unpacked.skipped[0].reason


def test_links_and_devices_are_not_made(take):
    extra = [
        link("a.jsonl", "/etc/passwd"),
        link("b.jsonl", "good.jsonl", tarfile.LNKTYPE),
        link("c.jsonl", "", tarfile.CHRTYPE),
        link("d.jsonl", "", tarfile.FIFOTYPE),
    ]
    assert names(take(tgz_of({"good.jsonl": LINES}, *extra))) == ["good.jsonl"]


def test_a_link_in_a_zip_is_not_followed(take):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("link.jsonl")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("good.jsonl", LINES)
    assert names(take(buffer.getvalue())) == ["good.jsonl"]


def test_an_archive_inside_is_named_and_not_opened(take):
    unpacked = take(zip_of({"inner.zip": PACKED["zip"], "good.jsonl": LINES}))
    assert names(unpacked) == ["good.jsonl"]
    assert "inside the archive" in unpacked.skipped[0].reason


def test_too_much_when_unpacked_names_the_limit(take):
    with pytest.raises(BundleError, match="BUNDLE_MAX_UNPACKED_MB"):
        take(zip_of({"a.jsonl": bytes(5 << 20)}))
    with pytest.raises(BundleError, match="BUNDLE_MAX_UNPACKED_MB"):
        take(tgz_of({"not-wanted.bin": bytes(5 << 20)}))


def test_a_bomb_is_noticed_by_its_ratio(take):
    limits = ArchiveLimits(unpacked_mb=10_000, ratio=50, files=20, line_mb=1, rows=1000)
    with pytest.raises(BundleError, match="BUNDLE_MAX_RATIO"):
        take(gzip.compress(bytes(100 << 20)), limits=limits)


def test_too_many_files_name_the_limit(take):
    files = {f"{number}.txt": b"" for number in range(30)}
    for pack in (zip_of, tgz_of):
        with pytest.raises(BundleError, match="BUNDLE_MAX_FILES"):
            take(pack(files))


def test_a_zip_with_an_endless_directory_is_refused_before_it_is_read(take):
    data = zip_of({f"{'long/' * 200}{number}.txt": b"" for number in range(1100)})
    limits = ArchiveLimits(unpacked_mb=9, ratio=9, files=10_000, line_mb=1, rows=9, header_mb=1)
    with pytest.raises(BundleError, match="BUNDLE_MAX_HEADER_MB"):
        take(data, limits=limits)


def test_an_encrypted_zip_says_what_to_do(take):
    data = bytearray(zip_of({"a.jsonl": LINES}))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.find(signature) + offset] |= 1
    with pytest.raises(BundleError, match="encrypted"):
        take(bytes(data))


def test_a_tar_with_a_giant_header_does_not_fill_the_memory(take):
    header = tarfile.TarInfo("././@LongLink")
    header.type = tarfile.GNUTYPE_LONGNAME
    header.size = 1 << 30
    compressor = zlib.compressobj(9, wbits=31)
    data = compressor.compress(header.tobuf(tarfile.GNU_FORMAT))
    data += compressor.compress(bytes(64 << 20)) + compressor.flush()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(BundleError):
        take(data, limits=ArchiveLimits(unpacked_mb=10_000, ratio=10_000, files=20, line_mb=1, rows=1000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_a_truncated_archive_is_an_error_or_less_but_never_a_traceback(take, kind, cut):
    data = PACKED[kind]
    with suppress(BundleError):
        take(data[: int(len(data) * cut)])


def test_a_folder_is_read_in_place_without_following_links(tmp_path):
    run = tmp_path / "run"
    (run / "logs" / "attempt_1").mkdir(parents=True)
    (run / "traces.jsonl").write_bytes(LINES)
    (run / "link.jsonl").symlink_to("/etc/passwd")
    (run / "logs" / "latest").symlink_to("attempt_1")
    assert names(unpack(run, Path("/nowhere"), SMALL)) == ["traces.jsonl"]

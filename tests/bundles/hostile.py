"""Files that mean harm, written without the time or the space that they claim to take."""

from __future__ import annotations

import json
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path

from tests.site.bundles import lines, row

MB = 1 << 20
NAME = b"zeros.jsonl"
ZSTD_BLOCK = 128 << 10


def deflated_zeros(megabytes: int) -> bytes:
    """A raw deflate stream of zeros: a full flush makes a megabyte that can be repeated."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(MB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + zlib.compressobj(9, wbits=-15).flush()


def zeros_gzip(path: Path, megabytes: int) -> None:
    path.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + deflated_zeros(megabytes) + bytes(8))


def zeros_zstd(path: Path, megabytes: int) -> None:
    """One frame of blocks that each say: this byte, 128 kB of it."""

    def block(last: int) -> bytes:
        return (last | 1 << 1 | ZSTD_BLOCK << 3).to_bytes(3, "little") + b"\0"

    count = megabytes * MB // ZSTD_BLOCK
    path.write_bytes(b"\x28\xb5\x2f\xfd\x00\x50" + block(0) * (count - 1) + block(1))


def zeros_zip(path: Path, megabytes: int) -> None:
    """zip64, with the sizes as they are and a checksum that is not."""
    data, size = deflated_zeros(megabytes), megabytes * MB
    extra = struct.pack("<HHQQ", 1, 16, size, len(data))
    fields = struct.pack("<HHHHLLLHH", 0, 8, 0, 0x21, 0, 0xFFFFFFFF, 0xFFFFFFFF, len(NAME), len(extra))
    local = b"PK\3\4" + struct.pack("<H", 45) + fields + NAME + extra + data
    central = b"PK\1\2" + struct.pack("<HH", 45, 45) + fields + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + NAME + extra
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    path.write_bytes(local + central + end)


def many_files_zip(path: Path, count: int, name: str = "model/dot_f32/{}.c") -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(name.format(number)), b"int x;")


def many_files_tar(path: Path, count: int) -> None:
    with path.open("wb") as file:
        for number in range(count):
            info = tarfile.TarInfo(f"model/dot_f32/{number}.c")
            info.size = 6
            file.write(info.tobuf(tarfile.GNU_FORMAT) + b"int x;".ljust(512, b"\0"))
        file.write(bytes(1024))


def giant_header_tar(path: Path, kind: bytes, megabytes: int) -> None:
    """A header of the kind that tarfile reads at once: pax, global pax, GNU's long names."""
    info = tarfile.TarInfo("header")
    info.type = kind
    info.size = megabytes * MB
    packer = zlib.compressobj(9, wbits=31)
    with path.open("wb") as file:
        file.write(packer.compress(info.tobuf(tarfile.GNU_FORMAT)))
        for _ in range(megabytes):
            file.write(packer.compress(b"7 ab=c\n" * (MB // 7) + bytes(MB % 7)))
        file.write(packer.flush())


def sparse_tar(path: Path, blocks: int) -> None:
    """GNU's old sparse format: a file whose map goes on for ever."""
    info = tarfile.TarInfo("sparse.jsonl")
    info.type = tarfile.GNUTYPE_SPARSE
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    head[482] = 1  # more of the map follows
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    more = (b"%011o\0" % 1) * 42 + b"\1" + bytes(7)
    path.write_bytes(bytes(head) + more * blocks)


def long_line(path: Path, megabytes: int) -> None:
    with path.open("wb") as file:
        file.write(b'{"model": "m", "kernel": "dot_f32", "answer": "')
        for _ in range(megabytes):
            file.write(b"x" * MB)
        file.write(b'"}\n' + lines(row()))


def heavy_lines(path: Path, filling: str, count: int = 3, *, megabytes: float = 7.9) -> None:
    """Rows as long as allowed, of what takes most memory for its length."""
    line = f'{{"model": "m", "kernel": "dot_f32", "answer": "x", "more": [{filling}'
    with path.open("wb") as file:
        for _ in range(count):
            part = f",{filling}".encode()
            file.write(line.encode() + part * int(megabytes * MB / len(part)) + b"]}\n")
        file.write(lines(row()))


def heavy_replies(path: Path, character: str, count: int, *, characters: int = 2 * MB - 100) -> None:
    """Answers as long as allowed, one after another, each with a trace id."""
    with path.open("w") as file:
        for number in range(count):
            reply = json.dumps(f"<answer>{character * characters}</answer>", ensure_ascii=False)
            file.write(f'{{"model": "m", "kernel": "dot_f32", "trace_id": "{number}", "answer": {reply}}}\n')


def many_models(path: Path, count: int) -> None:
    path.write_bytes(lines(*(row(model=f"{number:0300}", answer="") for number in range(count))))

"""Bundles for hypothesis: valid ones of every format, changed in every layer, and plain noise."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.bundles import samples
from tests.bundles.samples import episode, result, trace
from tests.conftest import OLDER_RUNS
from tests.site.bundles import link, row, tar_of, tgz_of, zip_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@dataclass(frozen=True)
class Upload:
    name: str
    data: bytes


def real_rows() -> list[dict[str, Any]]:
    """The first rows of each real run."""
    rows = []
    for path in sorted(Path(OLDER_RUNS).rglob("*.jsonl")):
        rows += [json.loads(line) for line in path.read_text().splitlines()[:3]]
    return rows


FAILED = {"stop_condition": "provider_error", "errors": [{"message": "no", "status_code": 500}]}
ROWS: list[dict[str, Any]] = [
    episode("dot_f32", "one"),
    episode("sort_u32", "two", traces=[]),
    episode("dot_f32", "three", traces=[trace("dot_f32", "three", **FAILED), trace("dot_f32", "four")]),
    trace("crc32_ieee", "five"),
    result("dot_f32", "six"),
    result("dot_f32", "seven", error={"error": "ModelError"}, completion=[]),
    row(),
    row(raw=True, rollout=3, trace_id="eight"),
    *real_rows(),
]
ODD: list[Any] = [
    None,
    True,
    -1,
    2**31,
    2**64,
    1.5,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\0",
    "\ud800",
    "é\u202e",
    "<script>alert(1)</script>",
    "=1+1",
    "x" * 400,
    "dot_f32",
    "trace-one",
    [],
    {},
    [[]],
    [None],
    [{}],
    {"": {}},
    {"content": 7},
    [{"sampled": True}],
]
NAMES = [
    "traces.jsonl",
    "run/traces.jsonl",
    "run/config.toml",
    "run/configs/resolved/eval.json",
    "run\\results.jsonl",
    "run/metadata.json",
    "model/dot_f32.c",
    "model/dot_f32/0.c",
    "dot_f32/1.C",
    "../../outside.jsonl",
    "/tmp/outside.jsonl",
    "C:\\outside.jsonl",
    "a/../../outside.c",
    "__MACOSX/run/traces.jsonl",
    "run/.hidden.jsonl",
    "inner.zip",
    "run/<b>&.jsonl",
    "run/" + "n" * 1200 + ".jsonl",
    "run/\udcff.jsonl",
    "readme.txt",
    "./",
]
KINDS = ("0", "1", "2", "3", "4", "6")  # of what stands in a tar: file, hard link, symbolic link, devices, fifo
PACKINGS: list[Callable[[dict[str, bytes]], bytes]] = [
    zip_of,
    tar_of,
    tgz_of,
    lambda files: zstd.compress(tar_of(files)),
    lambda files: b"".join(files.values()),
    lambda files: gzip.compress(b"".join(files.values())),
    lambda files: b"".join(gzip.compress(content) for content in files.values()),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a row."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in [(*path, key), *places(item, (*path, key))]]


def changed(value: Any, path: tuple[Any, ...], to: Any) -> Any:
    if not path:
        return to
    if isinstance(value, dict):
        return {key: changed(item, path[1:], to) if key == path[0] else item for key, item in value.items()}
    return [changed(item, path[1:], to) if number == path[0] else item for number, item in enumerate(value)]


@st.composite
def rows(draw: st.DrawFn) -> bytes:
    """One line: a row of a random format, some of whose fields hold something else."""
    one = draw(st.sampled_from(ROWS))
    for _ in range(draw(st.integers(0, 3))):
        if found := places(one):
            path = draw(st.sampled_from(found))
            swapped = draw(st.booleans())
            one = changed(one, path, at(one, draw(st.sampled_from(found))) if swapped else draw(st.sampled_from(ODD)))
    return json.dumps(one).encode() + draw(st.sampled_from([b"\n", b"\r\n", b"\n\n", b""]))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


CONFIGS = [samples.CONFIG_TOML, samples.eval_json(), samples.eval_json(model=None), b"", b"[", b'{"model": "\\ud800"}']
contents = st.one_of(
    st.lists(rows(), max_size=4).map(b"".join),
    st.sampled_from(CONFIGS),
    st.binary(max_size=60),
)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Bits flipped, parts left out, doubled or exchanged, the end cut off."""
    for _ in range(draw(st.integers(0, 3))):
        if not data:
            return data
        start = draw(st.integers(0, len(data) - 1))
        length = draw(st.integers(1, 40))
        part, rest = data[start : start + length], data[start + length :]
        how = draw(st.sampled_from(["flip", "cut", "remove", "double", "replace", "zero"]))
        if how == "flip":
            part = bytes([part[0] ^ 1 << draw(st.integers(0, 7))]) + part[1:]
        elif how == "cut":
            part, rest = b"", b""
        elif how == "remove":
            part = b""
        elif how == "double":
            part *= 2
        else:
            part = bytes(len(part)) if how == "zero" else draw(st.binary(max_size=8))
        data = data[:start] + part + rest
    return data


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    files = {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)):
        content = draw(contents)
        files[name] = draw(damaged(content)) if draw(st.booleans()) else content
    pack = draw(st.sampled_from(PACKINGS))
    if pack in (tar_of, tgz_of) and draw(st.booleans()):
        extra = link(draw(st.sampled_from(NAMES)), "/etc/passwd", draw(st.sampled_from(KINDS)).encode())
        return pack(files, extra)  # type: ignore[call-arg]
    try:
        return pack(files)
    except UnicodeEncodeError:  # a name that this kind of archive cannot have
        return pack({name.encode("ascii", "ignore").decode(): content for name, content in files.items()})


MAGIC = [b"PK\3\4", b"PK\5\6", b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"BZh9", b"\xfd7zXZ\0", b"{", b""]
noise = st.builds(lambda magic, data: magic + data, st.sampled_from(MAGIC), st.binary(max_size=700))
uploads = st.builds(
    Upload,
    name=st.sampled_from(["a.zip", "a.tar.gz", "a.jsonl", "dot_f32.c", "a.tar", "<i>.zst", ""]),
    data=st.one_of(archives(), archives().flatmap(damaged), archives().flatmap(damaged), noise),
)

"""A coverage-guided fuzzer on the readers of bundles: anything but an answer, a skipped row or a BundleError is a find.

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install atheris -r requirements.txt
    /tmp/fuzz/bin/python -m bench.fuzz_readers [MINUTES] [--corpus FOLDER]

atheris is no dependency of the project: it has no wheels for every Python that we support. What it finds becomes a test in
tests/bundles/; the seeds are the real runs in tests/data/runs, and runs of every other writer.
"""

from __future__ import annotations

import argparse
import gzip
import io
import itertools
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

try:
    import atheris  # type: ignore[import-untyped]
except ImportError:
    sys.exit(__doc__)

with atheris.instrument_imports():
    import tomllib  # noqa: F401  # instrumented, since it is written in Python as the next two are

    from kernels.catalog import load_catalog
    from leaderboard.bundles.archives import unpack
    from leaderboard.bundles.parser import BundleParser
    from leaderboard.bundles.types import Answer, ArchiveLimits, BundleError, Skipped

from tests.bundles import samples
from tests.site.bundles import lines, tar_of, zip_of

ROOT = Path(__file__).resolve().parent.parent
LIMITS = ArchiveLimits(
    unpacked_mb=4, ratio=50, files=20, line_mb=1, rows=200, values=5000, models=20, reply_mb=1, header_mb=2, window_mb=1
)
KERNELS = set(load_catalog())
RSS_MB, SECONDS_EACH = 400, 20
MEMORY = Path("/dev/shm")
scratch = Path(tempfile.mkdtemp(prefix="fuzz-readers-", dir=MEMORY if MEMORY.is_dir() else None))


def as_it_is(data: bytes) -> bytes:
    return data


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 1)


def with_toml(data: bytes) -> bytes:
    """The bytes as a configuration beside a valid trace."""
    return tar_of({"traces.jsonl": TRACE, "config.toml": data})


def with_json(data: bytes) -> bytes:
    return tar_of({"results.jsonl": RESULT, "metadata.json": data})


def as_member(data: bytes) -> bytes:
    """The first line is a name, the rest what stands in the file of that name."""
    name, _, content = data.partition(b"\n")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("run/traces.jsonl", data)
    return buffer.getvalue()


TRACE = lines(samples.without(samples.trace("dot_f32", "x"), "agent", "calls"))
RESULT = lines(samples.result("dot_f32", "x"))
WAYS = (as_it_is, as_it_is, gzipped, with_toml, with_json, as_member, zipped)


def fuzz_one(data: bytes) -> None:
    if not data:
        return
    body = WAYS[data[0] % len(WAYS)](data[1:])
    source = scratch / "source"
    source.write_bytes(body)
    try:
        read_all(source, scratch)
    finally:
        (scratch / "members").unlink()


def read_all(source: Path, into: Path) -> None:
    try:
        reading = BundleParser(unpacked=unpack(source, into, LIMITS, "upload.jsonl"), kernels=KERNELS, limits=LIMITS)
        items = list(reading)
    except BundleError:
        return
    answers = [item for item in items if isinstance(item, Answer)]
    skipped = [item for item in items if isinstance(item, Skipped)]
    assert len(answers) + sum(item.counts for item in skipped) == reading.rows
    for answer in answers:
        (answer.model + answer.member + answer.identity).encode()
    for item in skipped:
        assert item.reason
        (item.member + item.reason).encode()


def seeds() -> Iterator[bytes]:
    """Every way on every kind of valid file."""
    for way, run in itertools.product(range(len(WAYS)), samples.RUNS.values()):
        lines_of_run, *config = run.values()
        yield bytes([way]) + lines_of_run
        yield bytes([way]) + (config[0] if config else b"")
        yield bytes([way]) + b"run/traces.jsonl\n" + lines_of_run
    for pack, run in itertools.product((zip_of, tar_of), samples.ALL.values()):
        yield b"\0" + pack(run)
        yield b"\2" + pack(run)
    for path in (ROOT / "tests/data/runs").rglob("*.jsonl"):
        for row in path.read_bytes().splitlines(keepends=True)[:2]:
            yield b"\1" + row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("--corpus", type=Path, default=scratch / "corpus", help="keeps what reached new code")
    options = parser.parse_args()
    options.corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        (options.corpus / f"seed-{number}").write_bytes(seed)
    limits = [f"-max_total_time={int(options.minutes * 60)}", f"-rss_limit_mb={RSS_MB}", f"-timeout={SECONDS_EACH}"]
    atheris.Setup([sys.argv[0], str(options.corpus), *limits, "-max_len=65536", "-print_final_stats=1"], fuzz_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

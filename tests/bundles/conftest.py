from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernels.catalog import load_catalog
from leaderboard.bundles.archives import unpack
from leaderboard.bundles.parser import BundleParser
from leaderboard.bundles.types import Answer, ArchiveLimits, Skipped
from tests.site.conftest import kernels

__all__ = ["kernels"]

LIMITS = ArchiveLimits(unpacked_mb=100, ratio=1000, files=1000, line_mb=1, rows=1000)


@dataclass
class Found:
    answers: list[Answer]
    skipped: list[Skipped]
    reading: BundleParser

    @property
    def reasons(self) -> list[str]:
        return [item.reason for item in self.skipped]

    @property
    def places(self) -> list[tuple[str, int]]:
        return [(item.member, item.line) for item in self.skipped]


Read = Callable[..., Found]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """read(a folder, a file, or a file's bytes): what is found in it. Rows and what became of them agree."""

    def read_one(source: Path | bytes, name: str = "answers.jsonl", *, model: str = "", limits: ArchiveLimits = LIMITS) -> Found:
        if isinstance(source, bytes):
            path = tmp_path / "source"
            path.write_bytes(source)
            source = path
        unpacked = unpack(source, Path(tempfile.mkdtemp(dir=tmp_path)), limits, name)
        reading = BundleParser(unpacked=unpacked, kernels=set(load_catalog()), limits=limits, model=model)
        items = list(reading)
        found = Found(
            [item for item in items if isinstance(item, Answer)], [item for item in items if isinstance(item, Skipped)], reading
        )
        assert len(found.answers) + sum(item.counts for item in found.skipped) == reading.rows
        return found

    return read_one

"""The sources of the harness and of all kernels as one upload: once a sandbox and content."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from grading.harness_source import HarnessSource
from grading.sandbox.prime.script import unpack_script
from kernels.catalog import load_catalog


@dataclass(frozen=True)
class Sources:
    script: bytes  # sh SCRIPT FOLDER unpacks them

    @property
    def key(self) -> str:
        return hashlib.sha256(self.script).hexdigest()[:16]


@cache
def sources_with(source: HarnessSource) -> Sources:
    """All kernels' sources; where `source` is of a kernel that is not in the catalog (or another than there), it takes that
    place."""
    files: dict[str, bytes] = {}
    for kernel in load_catalog().values():
        with suppress(OSError):  # a broken kernel keeps no other from being graded
            files |= HarnessSource(kernel).files()
    return Sources(unpack_script(files | source.files()))

"""The harness on its way into a sandbox: one shell script that unpacks the sources of harness and kernel and builds them.

A sandbox has gcc, binutils and a shell, so the script relies on nothing but printf (a builtin) and mkdir to unpack.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from grading.version import HARNESS, built_hash, harness_files, header_files
from kernels.spec import KernelSpec

BUILD_TIMEOUT_S = 300.0
SCRIPT_NAME = "build-harness.sh"


@dataclass(frozen=True)
class HarnessSource:
    """The harness for one kernel: a broken kernel keeps no other from being graded."""

    kernel: KernelSpec

    def key(self, *built_by: str) -> str:
        """Names a built harness. built_by: toolchain and processor, where builds of several meet (-march=native ties a build to
        both)."""
        digest = hashlib.sha256("\0".join([built_hash(self.kernel), *built_by]).encode()).hexdigest()
        return f"{self.kernel.name}-{digest[:16]}"

    @cached_property
    def script(self) -> bytes:
        """sh SCRIPT FOLDER: unpacks below FOLDER-src and builds FOLDER, which must not exist yet."""
        files = self.files()
        folders = sorted({str(PurePosixPath(path).parent) for path in files})
        lines = ["set -eu", 'to=$1; src=$1-src; mkdir -p "$src" "$to"; cd "$src"']
        lines += [f"mkdir -p {folder}" for folder in folders]
        lines += [f"printf %s {_quoted(data.decode())} >{path}" for path, data in files.items()]
        lines += [f'sh harness/build.sh "$src" "$to" {self.kernel.name}', 'cd /; rm -rf "$src"']
        return ("\n".join(lines) + "\n").encode()

    def files(self) -> dict[str, bytes]:
        """The sources: the path where build.sh looks for each -> its contents."""
        files = {f"harness/{path.relative_to(HARNESS)}": path.read_bytes() for path in harness_files()}
        files |= {f"include/{path.name}": path.read_bytes() for path in header_files()}
        files |= {f"{self.kernel.name}/{name}": (self.kernel.folder / name).read_bytes() for name in ("bench.c", "reference.c")}
        return files


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"

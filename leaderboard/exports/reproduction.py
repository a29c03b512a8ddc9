"""A folder that grades one answer at home as it was graded here: the answer, its kernel, the grader, a script."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kernels.catalog import get_kernel
from leaderboard.models import Submission

ROOT = Path(__file__).resolve().parents[2]
WHEN = (2026, 1, 1, 0, 0, 0)  # of every file in the archive: the same content is the same archive
SUFFIXES = {".py", ".c", ".h", ".sh", ".toml", ".md"}
README = """\
# Grade this answer again

    sh reproduce.sh

grades `answer.c` on kernel `{kernel}` in a sandbox on this machine and prints the record; `record.json` is what the site
recorded.
It wants Linux on amd64 or arm64, gcc, binutils, bubblewrap, Python 3.11 or newer with numpy and scipy
(`pip install numpy scipy`). Verdicts agree everywhere; times are this machine's. Versions: {versions}.
"""
SCRIPT = """\
#!/bin/sh
# Grades answer.c on {kernel}; further options go to python -m grading, for example --sandbox docker.
set -eu
cd "$(dirname "$0")"
exec "${{PYTHON:-python3}}" -m grading --kernel {kernel} --json "$@" answer.c
"""


def reproduction(submission: Submission, records: Sequence[dict[str, Any]]) -> bytes:
    """The zip archive, everything in one folder. Raises UnknownKernel for a kernel whose folder is gone."""
    name = submission.kernel.name
    versions = sorted({record["kernel_version"] for record in records}) or [submission.kernel.version]
    texts = {
        "README.md": README.format(kernel=name, versions=", ".join(versions)),
        "reproduce.sh": SCRIPT.format(kernel=name),
        "answer.c": submission.source or "",
        "record.json": json.dumps({"submission": submission.uid, "results": records}, indent=1, ensure_ascii=False) + "\n",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in texts.items():
            _add(archive, f"{submission.uid}/{path}", text.encode(), 0o755 if path.endswith(".sh") else 0o644)
        for file in _program(get_kernel(name).folder):
            _add(archive, f"{submission.uid}/{file.relative_to(ROOT)}", file.read_bytes(), 0o644)
    return buffer.getvalue()


def _program(kernel: Path) -> Iterator[Path]:
    """The grader and this kernel alone, in a fixed order."""
    yield from sorted(path for path in (ROOT / "kernels").glob("*.*") if path.suffix in SUFFIXES)
    for folder in (ROOT / "kernels" / "include", kernel, ROOT / "grading"):
        yield from sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def _add(archive: zipfile.ZipFile, path: str, data: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(path, WHEN)
    entry.external_attr = mode << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)

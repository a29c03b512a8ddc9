"""The harness's sources laid out for build.sh, as the grader does it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kernels.catalog import load_catalog
from kernels.spec import INCLUDE

HARNESS = Path(__file__).resolve().parents[2] / "grading" / "harness"


@pytest.fixture(scope="session")
def harness_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harness-sources")
    shutil.copytree(HARNESS, folder / "harness")
    shutil.copytree(INCLUDE, folder / "include")
    for spec in load_catalog().values():
        shutil.copytree(spec.folder, folder / spec.name)
    return folder


def build(sources: Path, out: Path, *kernels: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(HARNESS / "build.sh"), str(sources), str(out), *kernels],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "WERROR": "-Werror", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

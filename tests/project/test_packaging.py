"""The wheel: kernels and grader, usable without the checkout."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine())


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content, as pip would lay it into site-packages."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_every_file_of_kernels_and_grader(unpacked: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "kernels", "grading"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    assert [name for name in listed.stdout.split() if (ROOT / name).exists() and not (unpacked / name).exists()] == []


def test_the_wheel_leaves_the_site_out(unpacked: Path) -> None:
    assert {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")} == {
        "kernels",
        "grading",
        "leaderboard",
    }
    assert not (unpacked / "leaderboard" / "settings.py").exists()


def test_bundles_are_uploaded_without_the_site(unpacked: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules.update(django=None)\nfrom leaderboard.bundles.upload_client import main; main(['--help'])"
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, "upload" in done.stdout) == (0, True), done.stderr


@pytest.mark.slow
@pytest.mark.skipif(HERE is None, reason="graded on amd64 and arm64 only")
def test_an_unpacked_wheel_grades(unpacked: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "grading", "--kernel", "matmul_f32", "--baseline", "tuned", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(unpacked)}, capture_output=True, text=True)
    assert json.loads(done.stdout)["verdict"] == "passed", done.stderr

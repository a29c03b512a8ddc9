"""The site on a disk that is really full, or really read-only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grading.sandbox.local import cache_root
from tests.conftest import ROOT
from tests.site.disks import SmallDisk, small_disk


class Readers:
    """A site of several answers on a small disk, and programs that read it."""

    def __init__(self, disk: SmallDisk) -> None:
        self.disk = disk
        self.known = json.loads(self.run("make"))
        self.well = self.ask()

    def run(self, *arguments: str, **environment: str) -> str:
        kept = {
            key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")
        }
        command = [sys.executable, "-m", "tests.site.ask_everything", *arguments]
        env = kept | {"DATA_DIR": str(self.disk.path / "data"), "API_READS_PER_MINUTE": "600"} | environment
        done = subprocess.run(command, env=env, cwd=ROOT.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.log = done.stderr
        return done.stdout

    def ask(self, **environment: str) -> dict[str, tuple[int, str]]:
        return dict(json.loads(self.run("ask", self.known["session"], self.known["token"], **environment)))


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    disk = small_disk(tmp_path_factory.mktemp("small") / "disk")
    try:
        yield Readers(disk)
    finally:
        disk.close()


def whatever_fails(found: dict[str, Any], *may_fail: str) -> dict[str, Any]:
    return {address: said for address, said in found.items() if said[0] >= 500 and address not in ("/readyz", *may_fail)}


@pytest.mark.parametrize("kept_open", ["", "1"], ids=["nobody else is connected", "another process is connected"])
@pytest.mark.parametrize("state", ["full", "read-only"])
def test_every_page_and_export_is_shown_when_nothing_can_be_written(readers: Readers, state: str, kept_open: str) -> None:
    well = readers.well
    assert not whatever_fails(well)
    try:
        readers.disk.leave(0) if state == "full" else readers.disk.read_only()
        found = readers.ask(ARCH_KERNELS_KEPT_OPEN=kept_open)
    finally:
        readers.disk.read_only(False)
        readers.disk.empty()
    logins = ("wrong password", "right password")
    assert not whatever_fails(found, *logins)
    assert {address for address in well if well[address][0] != found[address][0]} <= {"/readyz", *logins}
    reason = "our disk is full" if state == "full" else "cannot be written to"
    for login in logins:
        status, page = found[login]
        assert status in (503, 507), page
        assert reason in page.lower()
    assert found["/readyz"][0] == 503
    assert len(readers.log.splitlines()) < 40, readers.log


@pytest.mark.parametrize("points", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_what_is_graded_while_the_sites_disk_is_full_is_right_or_graded_later(points: int, tmp_path: Path) -> None:
    disk = small_disk(tmp_path / "disk", 64)
    kept = {
        key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")
    }
    env = kept | {"DATA_DIR": str(disk.path / "data"), "ARCH_KERNELS_CACHE": str(cache_root())}
    command = [sys.executable, "-m", "tests.site.grade_on_a_full_disk", str(disk.path), str(points)]
    try:
        done = subprocess.run(command, env=env, cwd=ROOT.parent, capture_output=True, text=True, check=False)
    finally:
        disk.close()
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for expected in ("passed", "compile_error"):
        assert set(found["verdicts"].get(expected, {})) <= {expected}, found
        assert set(found["afterwards"][expected]) == {expected}, found
    assert (found["open"], found["failed"]) == (0, 0), found

"""Who may read what the site writes."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from grading.files import kept_text, write_whole
from grading.sandbox.cache import HarnessCache
from grading.sandbox.local import is_reachable
from leaderboard.storage import private
from tests.conftest import ROOT
from tests.site.bundles import lines, row
from tests.site.disks import small_disk
from tests.site.running import Site, free_port, wait_until

# {the first folder: (folders, files)}; everything else is 0700 and 0600, DATA_DIR itself 0711
EXCEPTIONS = {"static": ({0o755}, {0o644}), "harness": ({0o755}, {0o755, 0o644, 0o600})}


def modes(data: Path) -> dict[str, str]:
    """What is not as it should be."""
    wrong = {}
    for path in private.below(data):
        mode = path.lstat().st_mode
        name = path.relative_to(data)
        folders, files = EXCEPTIONS.get(name.parts[0], ({0o700}, {0o600}))
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            right = folders if stat.S_ISDIR(mode) else files
            if stat.S_IMODE(mode) not in right:
                wrong[str(name)] = oct(stat.S_IMODE(mode))
    return wrong


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "db.sqlite3").touch(0o644)  # as an earlier version has left it
    (data / "logs").mkdir(mode=0o755)
    site = Site(data, "--port", str(free_port()), "--log-files", ARCH_KERNELS_CACHE=str(data / "harness"), HUNG_S="120")
    yield site
    if site.process:
        site.kill()


@pytest.mark.slow
def test_what_a_running_site_writes_is_its_own(site: Site, tmp_path: Path) -> None:
    os.umask(0o022)
    site.start()
    wait_until(lambda: site.log.exists() and "Serving" in site.output, 120, "the site is up")

    def serves() -> bool:
        with suppress(OSError):
            return urllib.request.urlopen(f"http://127.0.0.1:{site.options[1]}/kernels/", timeout=5).status == 200
        return False

    wait_until(serves, 60, "the first page")
    answers = tmp_path / "answers.jsonl"
    answers.write_bytes(lines(row(), row(answer="<answer>int y;</answer>", rollout=1)))
    site.manage("import_bundle", str(answers))
    HarnessCache(site.data / "harness").get_or_build("dot_f32-1", lambda folder: folder.mkdir(mode=0o755))
    wait_until(lambda: site.query("select 1 from leaderboard_result where state = 'done' limit 1"), 180, "something is graded")
    assert {path.suffix for path in site.data.glob("db.sqlite3*")} == {".sqlite3", ".sqlite3-wal", ".sqlite3-shm"}
    assert list((site.data / "logs").glob("*.log"))
    assert list((site.data / "media" / "bundles").rglob("*.jsonl"))
    assert modes(site.data) == {}
    assert stat.S_IMODE(site.data.stat().st_mode) == private.TOP


def test_looser_modes_of_an_earlier_version_are_mended_and_others_files_left_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name in ("media/bundles/a.zip", "static/css/site.css", "harness/dot/judge", "cache/x.djcache"):
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        path.chmod(0o666)
        path.parent.chmod(0o777)
    (data / "harness/dot/judge").chmod(0o755)
    data.chmod(0o755)
    outside = tmp_path / "outside"
    outside.write_text("not ours to change")
    outside.chmod(0o666)
    (data / "media" / "link").symlink_to(outside)
    assert private.mend(data) > 4
    assert modes(data) == {}
    assert stat.S_IMODE(outside.stat().st_mode) == 0o666
    assert stat.S_IMODE((data / "harness/dot/judge").stat().st_mode) == 0o755
    assert private.mend(data) == 0


def python_of(uid: int) -> str:
    """A Python that the user may run: a test's own may lie in somebody's closed home."""
    for python in (sys.executable, "/usr/bin/python3"):
        with suppress(OSError, subprocess.CalledProcessError):
            command = [python, "-c", f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"]
            subprocess.run(command, check=True, user=uid, group=uid, extra_groups=[], cwd="/")
            return python
    pytest.skip("no Python of this version that another user may run")


@contextmanager
def reachable_checkout(place: Path) -> Iterator[tuple[Path, Path]]:
    """The checkout and the folder of its packages, for another user: at `place` where they lie in somebody's closed folder."""
    checkout, packages = ROOT.parent, Path(sysconfig.get_path("purelib"))
    if is_reachable(checkout):
        yield checkout, packages
        return
    place.mkdir(mode=0o755)
    mounted = subprocess.run(["mount", "--bind", str(checkout), str(place)], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield place, place / packages.relative_to(checkout) if packages.is_relative_to(checkout) else packages
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
        place.rmdir()


@pytest.mark.parametrize("uid", [0, 65534], ids=["root", "a plain user"])
def test_a_grading_works_whatever_the_umask_is(tmp_path: Path, uid: int) -> None:
    if os.geteuid():
        pytest.skip("to become another user takes root")
    data = Path("/tmp") / f"arch-kernels-test-{os.getpid()}-{uid}"  # out of pytest's closed folders
    data.mkdir(mode=0o711)
    os.chown(data, uid, uid)
    try:
        with reachable_checkout(data.with_name(f"{data.name}-checkout")) as (checkout, packages):
            done = subprocess.run(
                [python_of(uid), "-m", "grading", "--kernel", "dot_f32", "--baseline", "naive"],
                env=os.environ | {"ARCH_KERNELS_CACHE": str(data / "harness"), "TMPDIR": "/tmp", "PYTHONPATH": str(packages)},
                cwd=checkout,
                capture_output=True,
                text=True,
                check=False,
                umask=private.UMASK,
                user=uid,
                group=uid,
                extra_groups=[],
            )
        assert "passed" in done.stdout, done.stdout + done.stderr
        assert stat.S_IMODE((data / "harness").stat().st_mode) == 0o755
    finally:
        shutil.rmtree(data)


def test_a_full_disk_leaves_no_empty_key_and_no_half_of_a_state(tmp_path: Path) -> None:
    disk = small_disk(tmp_path / "disk", 4)
    state = disk.path / "state"
    try:
        write_whole(state, "old")
        disk.leave(0)
        with pytest.raises(OSError, match="No space left"):
            kept_text(disk.path / "key", lambda: "k" * 50)
        with pytest.raises(OSError, match="No space left"):
            write_whole(state, "new" * 5000)
        assert state.read_text() == "old"
        assert sorted(path.name for path in disk.path.iterdir()) == ["ballast", "state"]
        disk.empty()
        assert kept_text(disk.path / "key", lambda: "k" * 50) == "k" * 50
        assert kept_text(disk.path / "key", lambda: "another") == "k" * 50
        assert stat.S_IMODE((disk.path / "key").stat().st_mode) == 0o600
    finally:
        disk.close()


def test_a_key_that_a_full_disk_has_emptied_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "key").touch()
    assert kept_text(tmp_path / "key", lambda: "made") == "made"

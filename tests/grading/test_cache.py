"""Built harnesses: whole or not at all, built once."""

import os
import threading
import time

import pytest

from grading.sandbox.cache import KEEP_S, HarnessCache, copy_plain


def test_a_harness_is_built_once_and_then_found(tmp_path):
    cache, builds = HarnessCache(tmp_path / "cache"), []

    def build(folder):
        builds.append(folder)
        folder.mkdir()
        (folder / "grade").write_text("x")

    first, second = cache.get_or_build("dot-1", build), cache.get_or_build("dot-1", build)
    assert first == second == tmp_path / "cache" / "dot-1"
    assert (first / "grade").read_text() == "x"
    assert len(builds) == 1


def test_two_at_once_build_once(tmp_path):
    builds = []

    def build(folder):
        builds.append(folder)
        time.sleep(0.2)
        folder.mkdir()

    threads = [threading.Thread(target=HarnessCache(tmp_path).get_or_build, args=("dot-1", build)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 1


def test_a_build_that_fails_leaves_nothing(tmp_path):
    def build(folder):
        folder.mkdir()
        raise RuntimeError("no")

    cache = HarnessCache(tmp_path)
    with pytest.raises(RuntimeError):
        cache.get_or_build("dot-1", build)
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path):
    (tmp_path / ".building-0" / "half").mkdir(parents=True)
    HarnessCache(tmp_path).get_or_build("dot-1", lambda folder: folder.mkdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "dot-1"]


def test_old_builds_of_the_same_kernel_are_forgotten(tmp_path):
    cache = HarnessCache(tmp_path)
    for key in ("dot-1", "dot-2", "sort-1"):
        cache.get_or_build(key, lambda folder: folder.mkdir())
    long_ago = time.time() - KEEP_S - 60
    for key in ("dot-1", "sort-1"):
        os.utime(tmp_path / key, (long_ago, long_ago))
    cache.get_or_build("dot-3", lambda folder: folder.mkdir())
    assert sorted(path.name for path in tmp_path.glob("*-*")) == ["dot-2", "dot-3", "sort-1"]


def test_only_plain_files_and_folders_are_copied_readable_by_all(tmp_path):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "data").write_text("1")
    (source / "tool").write_text("2")
    (source / "tool").chmod(0o700)
    (source / "link").symlink_to("/etc/passwd")
    os.mkfifo(source / "pipe")
    before = os.umask(0o077)
    try:
        copy_plain(source, tmp_path / "copy")
    finally:
        os.umask(before)
    copied = {str(path.relative_to(tmp_path / "copy")): path.stat().st_mode & 0o777 for path in (tmp_path / "copy").rglob("*")}
    assert copied == {"sub": 0o755, "sub/data": 0o644, "tool": 0o755}

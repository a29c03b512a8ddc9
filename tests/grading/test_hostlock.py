"""One grading at a time on a host."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from grading import hostlock
from grading.hostlock import host_lock

ROOT = Path(__file__).resolve().parents[2]
# What is still held by a process of this test stays so for as long as the test may run.
FOREVER_S = 3600
HOLDER = f"""
import time
from grading.hostlock import host_lock
with host_lock():
    print("held", flush=True)
    time.sleep({FOREVER_S})
"""

BUSY = """
import time
from grading.hostlock import host_lock
while True:
    with host_lock():
        time.sleep(0.2)
        print(flush=True)
"""


@pytest.fixture
def lock(tmp_path, monkeypatch):
    path = tmp_path / "host.lock"
    monkeypatch.setenv("ARCH_KERNELS_LOCK", str(path))
    return path


@pytest.fixture
def holder(lock):
    """Another process that holds the lock."""
    with subprocess.Popen([sys.executable, "-c", HOLDER], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


class GaveUp(Exception):
    pass


def give_up(waited_s):
    raise GaveUp(waited_s)


def test_the_lock_is_taken_at_once_when_nobody_holds_it(lock):
    with host_lock(give_up):
        pass


def test_nobody_else_gets_the_lock_while_it_is_held(holder, monkeypatch):
    monkeypatch.setattr(hostlock, "CALL_EVERY_S", 0.2)
    with pytest.raises(GaveUp), host_lock(give_up):
        pytest.fail("two at once")


def test_a_second_holder_in_the_same_process_waits_too(lock, monkeypatch):
    monkeypatch.setattr(hostlock, "CALL_EVERY_S", 0.2)
    with host_lock(), pytest.raises(GaveUp), host_lock(give_up):
        pytest.fail("two at once")


def test_the_waiting_calls_back_so_that_a_lease_can_be_renewed(holder, monkeypatch):
    monkeypatch.setattr(hostlock, "CALL_EVERY_S", 0.1)
    calls = []

    def renew(waited_s):
        calls.append(waited_s)
        if len(calls) == 3:
            holder.kill()

    with host_lock(renew) as waited_s:
        assert calls == sorted(calls)
        assert waited_s >= calls[2]


def test_the_lock_is_free_when_its_holder_dies_however_that_happens(holder):
    holder.send_signal(signal.SIGKILL)
    with host_lock():
        pass


def test_the_lock_is_free_again_after_an_error(lock):
    with pytest.raises(ZeroDivisionError), host_lock():
        raise ZeroDivisionError
    with host_lock(give_up):
        pass


def test_one_that_takes_the_lock_again_and_again_lets_those_that_wait_go_first(lock):
    with subprocess.Popen([sys.executable, "-c", BUSY], cwd=ROOT, stdout=subprocess.PIPE) as busy:
        try:
            busy.stdout.readline()
            for _ in range(3):
                with host_lock():  # it never ends by itself: one that cannot get in meets the test's own limit
                    assert busy.poll() is None
        finally:
            busy.kill()


def test_the_lock_is_not_inherited_by_commands(lock):
    with host_lock():
        sleeper = subprocess.Popen(["sleep", str(FOREVER_S)])
    try:
        with host_lock(give_up):
            assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


def test_every_user_can_open_the_lock_whatever_the_umask(lock):
    before = os.umask(0o077)
    try:
        with host_lock():
            assert stat.S_IMODE(lock.stat().st_mode) == 0o666
    finally:
        os.umask(before)


def test_a_lock_file_that_was_swept_away_is_made_anew(lock):
    with host_lock():
        lock.unlink()
        # another file: a cleaner of /tmp may do that, and then only those who come later agree
        with host_lock(give_up):
            pass
    assert lock.exists()


def test_a_link_in_place_of_the_lock_is_refused(lock, tmp_path):
    (tmp_path / "elsewhere").touch()
    lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError), host_lock():
        pass


def test_all_users_agree_on_the_path(monkeypatch):
    monkeypatch.delenv("ARCH_KERNELS_LOCK", raising=False)
    monkeypatch.setenv("TMPDIR", "/somewhere/else")
    assert hostlock.lock_path().parent in (Path("/run/lock"), Path("/tmp"))

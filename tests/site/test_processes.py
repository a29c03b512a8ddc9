from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from leaderboard.lib.processes import children_of, die_with_parent, here, is_dead, pid_of, process_name


def test_a_living_process_is_known_by_its_name():
    name = process_name()
    assert len(name) <= 120
    assert not is_dead(name)
    assert pid_of(name) == os.getpid()


def test_a_process_that_ended_or_whose_number_was_given_anew_is_dead():
    child = subprocess.Popen(["sleep", "60"])
    name = process_name(child.pid)
    assert not is_dead(name)
    child.kill()
    time.sleep(0.1)
    assert is_dead(name)  # not collected yet
    child.wait()
    assert is_dead(name)
    assert is_dead(f"{here()}:{os.getpid()}:1")


def test_nothing_is_known_of_processes_elsewhere():
    assert not is_dead("other-host:abcdef12.4026531836:1:1")
    assert pid_of("other-host:abcdef12.4026531836:1:1") is None


def lives(pid: int) -> bool:
    """A zombie does not: whoever adopts it may take its time to bury it."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_child_dies_with_its_parent():
    script = (
        "import subprocess, sys, time; sys.path.insert(0, '.');"
        "from leaderboard.lib.processes import die_with_parent;"
        "p = subprocess.Popen(['sleep', '60'], preexec_fn=die_with_parent); print(p.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    grandchild = int(parent.stdout.readline())
    assert children_of(parent.pid) == [grandchild]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and lives(grandchild):
        time.sleep(0.05)
    assert not lives(grandchild)


def test_dying_with_the_parent_can_be_switched_off_again():
    die_with_parent(0)

"""One sandbox per worker, found again after a restart; the leaked ones swept."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from grading.sandbox.prime import sweep as prime_sweep
from grading.sandbox.prime.settings import PrimeSettings, installation
from grading.sandbox.prime.slots import Slot
from grading.sandbox.prime.sweep import sweep
from tests.doubles.prime.boxes import as_plain_user

ROOT = Path(__file__).resolve().parents[2]
WORKER = """
import os, signal
from grading.sandbox.prime.sandbox import PrimeSandbox
sandbox = PrimeSandbox("amd64")
sandbox.put("left", b"by the worker before")
sandbox.run(["true"], 10)
print(sandbox.place.id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def worker_killed_after_an_answer() -> str:
    """The id of the sandbox that a worker used in a process of its own, which has died since."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", WORKER], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == -9, done.stderr
    return done.stdout.strip()


def leave(sandbox):
    """End like a worker that is stopped: without closing."""
    sandbox._places.slot.release()
    return sandbox.place.id


def age(double, **how_old):
    """Make sandboxes and slots that much older."""
    for box in double.running:
        box.made_at -= timedelta(**how_old)
    for path in Path(os.environ["ARCH_KERNELS_CACHE"]).glob("prime-slots/*"):
        known = path.stat().st_mtime
        os.utime(path, times=(known, known - timedelta(**how_old).total_seconds()))


def test_a_sandbox_is_what_the_settings_say(prime, double):
    prime.run(["true"], 10)
    (box,) = double.running
    asked = box.request
    assert (asked["cpu_cores"], asked["memory_gb"], asked["arch"], asked["vm"]) == (2.0, 4.0, "amd64", True)
    assert asked["network_allowlist"] == []
    assert (asked["timeout_minutes"], asked["idle_timeout_minutes"]) == (-1, 20)
    assert asked["idempotency_key"]
    labels = {"arch-kernels", "arch-amd64", f"installation-{installation()}", f"generation-{prime._places.settings.generation}"}
    assert labels < set(asked["labels"])
    assert PrimeSettings().image == "gcc:14"


def test_a_worker_uses_one_sandbox_for_all_its_answers(prime, double):
    for _ in range(3):
        prime.run(["true"], 10)
    assert double.made == 1


def test_a_worker_that_starts_anew_takes_over_the_sandbox_of_the_killed_one(double, open_prime):
    left = worker_killed_after_an_answer()
    sandbox = open_prime()
    assert sandbox.run(["cat", "left"], 10).stdout == b"by the worker before"
    assert sandbox.place.id == left
    assert double.made == 1


def test_what_a_killed_worker_left_running_is_ended_before_the_next_command(double, open_prime):
    first = open_prime()
    first.run(["true"], 10)
    (box,) = double.running
    work = f"{box.root}/srv/arch-kernels/work"
    leftover = subprocess.Popen(["sleep", "600"], cwd=work, start_new_session=True, **as_plain_user())
    leave(first)
    open_prime().run(["true"], 10)
    assert leftover.wait(300) == -9


def test_two_workers_never_share_a_sandbox(open_prime):
    assert open_prime().place.id != open_prime().place.id


def test_an_architecture_has_its_own(open_prime):
    assert open_prime("amd64").run(["uname", "-m"], 10).stdout == b"x86_64\n"
    assert open_prime("arm64").run(["uname", "-m"], 10).stdout == b"aarch64\n"


def test_a_sandbox_of_other_settings_is_not_taken_over_but_ended(double, open_prime, monkeypatch):
    left = leave(open_prime())
    monkeypatch.setenv("PRIME_MEMORY_GB", "8")
    assert open_prime().place.id != left
    assert len(double.running) == 1


def test_a_sandbox_that_was_given_up_is_not_taken_over(double, open_prime):
    first = open_prime()
    given_up = first.place.id
    double.troubles.plan("delete", "500", times=50)  # so it stays
    first.close()
    assert [box.id for box in double.running] == [given_up]
    assert open_prime().place.id != given_up


def test_a_lost_answer_to_create_leaves_no_second_sandbox(prime, double):
    double.troubles.plan("create", "lost")
    prime.run(["true"], 10)
    assert double.made == 1
    assert double.count("create") == 2


def test_close_ends_the_sandbox(prime, double):
    prime.run(["true"], 10)
    prime.close()
    prime.close()
    assert double.running == []


def test_nothing_is_started_before_the_first_answer(prime, double):
    prime.describe()
    assert double.count() == 0


def test_the_sweep_leaves_what_is_in_use_and_what_may_be_taken_over(double, open_prime):
    open_prime().run(["true"], 10)
    leave(open_prime("arm64"))
    age(double, minutes=9)
    assert sweep() == []
    assert len(double.running) == 2


def test_the_sweep_ends_what_no_worker_came_back_for(double, open_prime):
    used = open_prime()
    used.run(["true"], 10)
    left = leave(open_prime("arm64"))
    age(double, minutes=11)
    assert sweep() == [left]
    assert [box.id for box in double.running] == [used.place.id]


def test_the_sweep_ends_what_was_given_up(double, open_prime):
    worker = open_prime()
    given_up = worker.place.id
    worker._places.slot.give_up(given_up)  # as when its deletion fails
    assert sweep() == [given_up]


def test_the_sweep_ends_a_sandbox_beside_the_one_in_use(double, open_prime):
    """An orphan is left when a sandbox is deleted while it is starting."""
    worker = open_prime()
    worker.run(["true"], 10)
    (used,) = double.running
    orphan = double.make(used.request | {"idempotency_key": "orphan"})
    assert sweep() == []  # it may be one that is just being started
    age(double, minutes=16)
    assert sweep() == [orphan.id]
    assert double.running == [used]


def test_the_sweep_ends_only_its_own_installations(double, open_prime, monkeypatch):
    monkeypatch.setenv("PRIME_INSTALLATION", "Another One")
    leave(open_prime())
    monkeypatch.delenv("PRIME_INSTALLATION")
    age(double, hours=2)
    assert sweep() == []
    assert len(sweep("another-one")) == 1


def test_the_sweep_ends_another_checkouts_only_when_it_never_started(double, open_prime, monkeypatch, tmp_path):
    monkeypatch.setenv("PRIME_INSTALLATION", "shared")
    left = leave(open_prime())
    monkeypatch.setenv("ARCH_KERNELS_CACHE", str(tmp_path / "other-host"))
    age(double, hours=2)
    assert sweep() == []
    double.boxes[left].status = "PENDING"
    assert sweep() == [left]


def test_a_sweep_that_cannot_delete_tries_the_next_time(double, open_prime):
    left = leave(open_prime())
    age(double, minutes=11)
    double.troubles.plan("delete", "500")
    assert sweep() == []
    assert sweep() == [left]


def test_a_slot_is_free_again_when_its_worker_has_ended(double, surroundings):
    first, second = Slot("amd64"), Slot("amd64")
    assert first.name != second.name
    first.release()
    assert Slot("amd64").name == first.name


def test_the_installations_name_is_kept(surroundings):
    assert installation() == installation()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"sandbox": 1}'])
def test_a_damaged_slot_is_an_empty_one(double, open_prime, text):
    slot = Slot("amd64")
    slot.release()
    Path(slot._path).write_text(text)
    assert open_prime().run(["true"], 10).exit_code == 0
    assert time.time() - Path(slot._path).stat().st_mtime < prime_sweep.UNUSED_S

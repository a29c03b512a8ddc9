"""One command: deadline, bounded output, nothing left."""

import signal
import time

import pytest

from grading.faults import SandboxTimeout
from grading.sandbox import process
from grading.sandbox.base import OUTPUT_LIMIT_BYTES
from grading.sandbox.process import descendants, run_bounded
from tests.grading.processes import alive

ENV = {"PATH": "/usr/bin:/bin"}


def run(script, timeout_s=20.0):
    return run_bounded(["sh", "-c", script], cwd="/", env=ENV, timeout_s=timeout_s)


def test_a_command_gives_its_status_and_both_streams():
    done = run("printf out; printf err >&2; exit 7")
    assert (done.exit_code, done.stdout, done.stderr) == (7, b"out", b"err")


def test_a_command_ended_by_a_signal_gives_128_and_its_number():
    assert run("kill -SEGV $$").exit_code == 128 + signal.SIGSEGV


def test_a_command_sees_no_environment_but_its_own(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "secret")
    assert b"secret" not in run("env").stdout


def test_endless_output_is_cut_and_does_not_block():
    done = run(f"head -c {3 * OUTPUT_LIMIT_BYTES} /dev/zero; echo end >&2")
    assert len(done.stdout) == OUTPUT_LIMIT_BYTES
    assert done.stderr == b"end\n"


def test_what_runs_too_long_is_a_fault_and_its_whole_tree_is_killed():
    began = time.monotonic()
    with pytest.raises(SandboxTimeout):
        run("sh -c 'trap \"\" TERM; sleep 7201 & sleep 7201' & sleep 7201", timeout_s=0.5)
    assert time.monotonic() - began < 300
    assert not alive(b"7201")


def test_a_process_that_keeps_the_pipe_open_does_not_hold_us_up():
    began = time.monotonic()
    assert run("sleep 7206 & echo done").stdout == b"done\n"
    assert time.monotonic() - began < 300
    for pid in alive(b"7206"):
        process.kill_tree(pid)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_an_exception_kills_the_whole_tree(monkeypatch, error):
    def interrupted(running, deadline):
        time.sleep(0.3)
        assert descendants(running.pid)
        raise error

    monkeypatch.setattr(process, "_read_both", interrupted)
    with pytest.raises(error):
        run("sleep 7202 & sleep 7202")
    assert not alive(b"7202")


def test_nothing_is_sent_to_the_number_of_a_process_that_has_ended(monkeypatch):
    """The kernel may have given it to another process meanwhile."""
    monkeypatch.setattr(process, "kill_tree", lambda pid: pytest.fail(f"{pid} was to be killed"))
    assert run("exit 3").exit_code == 3


def test_a_command_that_is_not_there_says_so():
    with pytest.raises(FileNotFoundError):
        run_bounded(["/nonexistent/tool"], cwd="/", env=ENV, timeout_s=5)

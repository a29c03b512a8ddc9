"""Quirks of the client, as its users know them: what it does with forks, time and large answers must not reach us."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grading.faults import SandboxGone
from grading.sandbox.prime import client
from grading.sandbox.prime.client import DeadlineClient, PrimeService, within

ROOT = Path(__file__).resolve().parents[2]


def in_a_process(code: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


FORKING = """
import os
from grading.faults import SandboxUnavailable
from grading.sandbox.prime.sandbox import PrimeSandbox
sandbox = PrimeSandbox("amd64")
sandbox.run(["true"], 10)
child = os.fork()
if not child:
    try:
        PrimeSandbox("arm64").run(["true"], 10)
    except SandboxUnavailable as fault:
        print(fault.reason, flush=True)
        os._exit(0)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), sandbox.run(["echo", "parent"], 10).stdout)
sandbox.close()
"""


def test_a_process_forked_after_a_command_says_so_instead_of_hanging(double):
    out, err = in_a_process(FORKING).communicate(timeout=300)
    assert out.splitlines()[0].startswith("this process was forked after a Prime command"), err
    assert out.splitlines()[1] == r"0 b'parent\n'"


FORKED_BEFORE = """
import os
from grading.sandbox.prime.sandbox import PrimeSandbox, why_unavailable
assert why_unavailable("amd64") is None
if not os.fork():
    sandbox = PrimeSandbox("amd64")
    print(sandbox.run(["echo", "child"], 10).stdout, flush=True)
    sandbox.close()
    os._exit(0)
os.wait()
"""


def test_a_worker_forked_before_any_command_works(double):
    out, err = in_a_process(FORKED_BEFORE).communicate(timeout=300)
    assert out.strip() == r"b'child\n'", err


STOPPED = """
import signal, sys
from grading.sandbox.prime.sandbox import PrimeSandbox
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
sandbox = PrimeSandbox("amd64")
sandbox.run(["true"], 10)
print("ready", flush=True)
sandbox.run(["sleep", "60"], 90)
"""


def test_a_worker_told_to_stop_does_not_wait_for_its_command(double):
    worker = in_a_process(STOPPED)
    assert worker.stdout.readline() == "ready\n"
    time.sleep(0.5)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(300) == 3


@pytest.mark.parametrize("call", ["create", "list", "status", "auth"])
def test_a_control_plane_that_hangs_meets_a_deadline(prime, double, monkeypatch, call):
    monkeypatch.setattr(client, "CONTROL_TIMEOUT_S", 0.3)
    double.troubles.plan(call, "hang", times=100)
    began = time.monotonic()
    with pytest.raises(SandboxGone):
        prime.run(["true"], 10)
    assert time.monotonic() - began < 300


def test_a_command_that_hangs_meets_a_deadline(prime, double, monkeypatch):
    prime.run(["true"], 10)
    monkeypatch.setattr(client, "COMMAND_MARGIN_S", 1)
    double.troubles.plan("execute", "hang")
    began = time.monotonic()
    with pytest.raises(SandboxGone, match="does not answer"):
        prime.run(["true"], 1)
    assert time.monotonic() - began < 300
    assert double.running == []


def test_an_upload_that_hangs_meets_a_deadline(prime, double, monkeypatch):
    monkeypatch.setattr(client, "UPLOAD_TIMEOUT_S", 1)
    double.troubles.plan("upload", "hang", times=100)
    prime.put("large", bytes(100_000))
    with pytest.raises(SandboxGone):
        prime.run(["true"], 10)


def test_a_client_that_never_comes_back_meets_a_deadline():
    with pytest.raises(SandboxGone, match="did not come back within 0 s, sleeping"):
        within(0.2, "sleeping", lambda: time.sleep(5))


def test_every_call_of_the_control_plane_has_a_timeout(double, monkeypatch):
    seen = []

    def request(self, *args, timeout=None, **kwargs):
        seen.append(timeout)
        return {"sandboxes": [], "total": 0, "page": 1, "perPage": 100, "hasNext": False}

    monkeypatch.setattr(DeadlineClient.__mro__[1], "request", request)
    assert list(PrimeService().active("x")) == []
    assert seen == [client.CONTROL_TIMEOUT_S]


def test_forty_megabytes_from_the_service_do_no_harm(prime, double):
    prime.run(["true"], 10)
    double.troubles.plan("execute", "flood")
    done = prime.run(["echo", "hi"], 10)
    assert (done.stdout, done.stderr) == (b"hi\n", b"")


def test_a_done_command_whose_answer_is_lost_is_read_and_not_repeated(prime, double):
    prime.run(["true"], 10)
    prime.put("seed", b"x")
    double.troubles.plan("execute", "lost")
    count = "mv seed taken && echo once >>log && cat log"  # would fail the second time
    assert prime.run(["sh", "-c", count], 10).stdout == b"once\n"


def test_a_command_cut_off_before_its_end_is_repeated_from_the_start(prime, double):
    prime.run(["true"], 10)
    prime.put("large", bytes(100_000))
    prime.put("small", b"x")
    double.troubles.plan("execute", "drop")
    assert prime.run(["sh", "-c", "mv large taken && mv small also && echo done"], 10).stdout == b"done\n"
    assert double.count("upload") == 2  # what the first try may have used up is put again


def test_the_last_pages_of_a_list_are_read(open_prime, double, monkeypatch):
    monkeypatch.setattr(client, "PAGE", 2)
    for _ in range(5):
        open_prime().run(["true"], 10)
    assert len(list(PrimeService().active("arch-kernels"))) == 5

"""One sandbox, one grading at a time, whoever asks: with sandboxes that execute nothing."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from arch_kernels_v1 import grader
from arch_kernels_v1.grader import ATTEMPTS, Grader, Place
from grading.faults import HarnessBroken, SandboxGone, SandboxUnavailable
from tests.grading.fakes import FakeSandbox

ANSWER = "<answer>float dot_f32(const float *a, const float *b, size_t n) { return 0; }</answer>"
PLACE = Place(sandbox="fake", arch="amd64", cpu=2, memory_gb=4)
WAIT_S = 30


class SlowSandbox(FakeSandbox):
    """Takes its time, and counts who is in it."""

    def __init__(self, seconds=0.02):
        super().__init__()
        self.seconds = seconds
        self.inside = self.most = 0
        self.entered = threading.Event()
        self.ended = threading.Event()

    def run(self, command, timeout_s):
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.set()
        gone = self.ended.wait(self.seconds)
        self.inside -= 1
        if gone:
            raise SandboxGone("closed meanwhile")
        return super().run(command, timeout_s)

    def close(self):
        super().close()
        self.ended.set()


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(grader, "PAUSE_S", 0.01)
    monkeypatch.setattr(grader, "GRACE_S", 0.2)


@pytest.fixture
def opened():
    return []


@pytest.fixture
def make(opened):
    """A grader whose sandboxes are those given, one after the other."""
    graders = []

    def make(*sandboxes):
        waiting = list(sandboxes)

        def open_one():
            opened.append(waiting.pop(0))
            if isinstance(opened[-1], Exception):
                raise opened[-1]
            return opened[-1]

        graders.append(Grader(PLACE, open_one))
        return graders[-1]

    yield make
    for one in graders:
        one.stop()


def test_nothing_is_opened_before_the_first_answer(make, opened):
    one = make(FakeSandbox())
    assert opened == []
    assert one.submit(ANSWER, "dot_f32").result(WAIT_S)["verdict"] == "passed"
    assert len(opened) == 1


def test_eight_at_once_are_graded_one_at_a_time_in_one_sandbox(make, opened):
    sandbox = SlowSandbox()
    one = make(sandbox)
    with ThreadPoolExecutor(8) as pool:
        futures = list(pool.map(lambda _: one.submit(ANSWER, "dot_f32"), range(8)))
    assert [future.result(WAIT_S)["verdict"] for future in futures] == ["passed"] * 8
    assert sandbox.most == 1
    assert opened == [sandbox]


def test_a_lost_sandbox_is_replaced_and_the_same_answer_graded(make, opened):
    lost = FakeSandbox(SandboxGone("lost"))
    one = make(lost, SandboxGone("does not start"), FakeSandbox())
    assert one.submit(ANSWER, "dot_f32").result(WAIT_S)["verdict"] == "passed"
    assert len(opened) == ATTEMPTS
    assert lost.closed


def test_a_fault_that_stays_is_raised_and_the_next_answer_is_tried_anew(make, opened):
    one = make(*(FakeSandbox(HarnessBroken("broken")) for _ in range(ATTEMPTS)), FakeSandbox())
    with pytest.raises(HarnessBroken, match="broken"):
        one.submit(ANSWER, "dot_f32").result(WAIT_S)
    assert one.submit(ANSWER, "dot_f32").result(WAIT_S)["verdict"] == "passed"
    assert len(opened) == ATTEMPTS + 1


def test_what_needs_an_operator_is_raised_at_once(make, opened):
    one = make(SandboxUnavailable("no key"))
    with pytest.raises(SandboxUnavailable, match="no key"):
        one.submit(ANSWER, "dot_f32").result(WAIT_S)
    assert len(opened) == 1


def test_a_mistake_of_ours_is_raised_and_ends_nothing(make):
    one = make(FakeSandbox())
    with pytest.raises(ValueError, match="no kernel 'nope'"):
        one.submit(ANSWER, "nope").result(WAIT_S)
    assert one.submit(ANSWER, "dot_f32").result(WAIT_S)["verdict"] == "passed"


def test_a_cancelled_answer_is_not_graded(make):
    sandbox = SlowSandbox(0.2)
    one = make(sandbox)
    first, second = one.submit(ANSWER, "dot_f32"), one.submit(ANSWER, "dot_f32")
    assert sandbox.entered.wait(WAIT_S)
    assert second.cancel()
    assert first.result(WAIT_S)["verdict"] == "passed"
    one.stop()
    assert len([command for command, _ in sandbox.commands if not command[0].endswith("/describe")]) == 1


def test_stopping_closes_the_sandbox(make):
    sandbox = FakeSandbox()
    one = make(sandbox)
    one.submit(ANSWER, "dot_f32").result(WAIT_S)
    one.stop()
    one.stop()
    assert sandbox.closed


def test_stopping_does_not_wait_for_a_long_grading_and_cancels_what_is_queued(make, opened):
    sandbox = SlowSandbox(60)
    one = make(sandbox, FakeSandbox())
    running, queued = one.submit(ANSWER, "dot_f32"), one.submit(ANSWER, "dot_f32")
    assert sandbox.entered.wait(WAIT_S)
    began = time.monotonic()
    one.stop()
    assert time.monotonic() - began < 300
    assert sandbox.closed
    with pytest.raises(SandboxGone):
        running.result(WAIT_S)
    with pytest.raises(CancelledError):
        queued.result(WAIT_S)
    assert len(opened) == 1  # no second try on a fresh sandbox


def test_a_sandbox_an_architecture_is_shared_by_the_process(monkeypatch):
    opened = []

    def open_sandbox(name, arch, resources):
        opened.append((name, arch, resources.cpu, resources.memory_gb))
        return FakeSandbox()

    monkeypatch.setattr(grader, "open_sandbox", open_sandbox)
    other = Place(sandbox="fake", arch="arm64", cpu=2, memory_gb=8)
    futures = [grader.submit(place, ANSWER, "dot_f32") for place in (PLACE, other, PLACE, other)]
    assert {future.result(WAIT_S)["verdict"] for future in futures} == {"passed"}
    assert sorted(opened) == [("fake", "amd64", 2, 4), ("fake", "arm64", 2, 8)]
    grader.stop_all()
    assert grader.submit(PLACE, ANSWER, "dot_f32").result(WAIT_S)["verdict"] == "passed"  # another run of the same process
    grader.stop_all()
    assert len(opened) == 3


def test_a_sandbox_that_is_not_there_is_refused_before_a_model_is_asked(monkeypatch):
    monkeypatch.delenv("PRIME_API_KEY", raising=False)
    with pytest.raises(SandboxUnavailable, match="unknown sandbox 'fake'"):
        grader.refuse_if_unavailable(PLACE)
    with pytest.raises(SandboxUnavailable, match="unknown architecture"):
        grader.refuse_if_unavailable(Place(sandbox="local", arch="mips", cpu=2, memory_gb=4))

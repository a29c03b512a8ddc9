"""One sandbox per architecture for all concurrent rollouts of this process, in which answers are graded one after the other.

Theory of operation. A sandbox is not for several threads at once, and two benchmarks at once would measure each other. So each
has one thread of its own, which opens it for the first answer, grades what is handed to it in order, and closes it in the end.
The thread is a daemon: a program that is told to end does not wait for a grading. stop_all() closes what is open; a killed
process leaves its Prime sandbox to the next one (which takes it over), to the sweep, or to the service's idle timeout.
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from arch_kernels_v1.kernels_import import get_kernel
from grading.faults import Fault, SandboxGone, SandboxUnavailable
from grading.pipeline import Options, grade_reply
from grading.sandbox.base import Resources, Sandbox
from grading.sandbox.registry import backend, open_sandbox, why_unavailable

log = logging.getLogger(__name__)

ATTEMPTS = 3  # of one answer, when something of ours fails: each on a fresh sandbox
PAUSE_S = 2.0  # between them
GRACE_S = 2.0  # for a grading that is just ending, when we are told to stop
CLOSING_S = 20.0  # for the service to end a sandbox


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where answers are graded: equal ones share a sandbox."""

    sandbox: str
    arch: str
    cpu: float
    memory_gb: float

    def open(self) -> Sandbox:
        sandbox = open_sandbox(self.sandbox, self.arch, Resources(cpu=self.cpu, memory_gb=self.memory_gb))
        _sweep(self.sandbox)
        return sandbox


@dataclass(frozen=True)
class _Job:
    reply: str
    kernel: str
    outcome: Future[dict[str, Any]]


class Grader:
    """See the head of this file."""

    def __init__(self, place: Place, open_sandbox: Callable[[], Sandbox] | None = None) -> None:
        self._place = place
        self._open = open_sandbox or place.open
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._sandbox: Sandbox | None = None
        self._thread = threading.Thread(target=self._work, name=f"grader {place.sandbox} {place.arch}", daemon=True)
        self._thread.start()

    def submit(self, reply: str, kernel: str) -> Future[dict[str, Any]]:
        """The record of the answer's grading, when it is its turn; cancelled before that, it is not graded. Raises Fault."""
        job = _Job(reply, kernel, Future())
        self._jobs.put(job)
        return job.outcome

    def stop(self) -> None:
        """Close the sandbox. What is queued is cancelled; a grading that does not end soon loses its sandbox."""
        self._stopping.set()
        self._jobs.put(None)
        self._thread.join(GRACE_S)
        if self._thread.is_alive() and (sandbox := self._sandbox) is not None:
            with suppress(Exception):
                sandbox.close()
        else:
            self._thread.join(CLOSING_S)  # it is closing the sandbox itself

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._stopping.is_set():
                job.outcome.cancel()
            if not job.outcome.set_running_or_notify_cancel():
                continue
            try:
                job.outcome.set_result(self._grade(job))
            except BaseException as error:
                job.outcome.set_exception(error)
        self._close()

    def _grade(self, job: _Job) -> dict[str, Any]:
        kernel = get_kernel(job.kernel)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                if self._sandbox is None:
                    self._sandbox = self._open()
                return grade_reply(job.reply, kernel, self._sandbox, Options(on_wait=self._end_if_stopping)).to_dict()
            except Fault as fault:
                self._close()
                log.warning("grading %s, attempt %d of %d: %s", job.kernel, attempt, ATTEMPTS, fault.reason)
                if fault.needs_operator or attempt == ATTEMPTS or self._stopping.wait(PAUSE_S):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _end_if_stopping(self, waited_s: float) -> None:
        del waited_s
        if self._stopping.is_set():
            raise SandboxGone("stopped while another grading had the machine")

    def _close(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            with suppress(Exception):  # it ends by itself, or the sweep ends it
                sandbox.close()


_graders: dict[Place, Grader] = {}
_lock = threading.Lock()


def submit(place: Place, reply: str, kernel: str) -> Future[dict[str, Any]]:
    """Have an answer graded in the one sandbox of this process for that place."""
    with _lock:
        if place not in _graders:
            _graders[place] = Grader(place)
        return _graders[place].submit(reply, kernel)


def refuse_if_unavailable(place: Place) -> None:
    """Asked before a model is: its reply could not be graded. Raises SandboxUnavailable."""
    with _lock:
        if place in _graders:
            return
    if reason := why_unavailable(place.sandbox, place.arch):
        raise SandboxUnavailable(reason)


def stop_all() -> None:
    """Leave no sandbox behind."""
    with _lock:
        graders = list(_graders.values())
        _graders.clear()
    for grader in graders:
        grader.stop()


def _sweep(name: str) -> None:
    """End what killed runs have left long ago. It may fail: a service ends idle sandboxes by itself."""
    with suppress(Fault):
        for ended in backend(name).sweep():
            log.info("ended the leaked %s sandbox %s", name, ended)


def _forget() -> None:
    """A forked process has none of our threads, and the sandboxes are its parent's."""
    global _lock
    _lock = threading.Lock()
    _graders.clear()


atexit.register(stop_all)
os.register_at_fork(after_in_child=_forget)

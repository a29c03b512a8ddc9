"""The Prime service by its own client, with what the client lacks: a deadline on every call, and our faults.

Theory of operation. Every call of the client runs in a thread of its own while we wait for it with a deadline. The client's own
timeouts come first; the thread is for what they do not cover: a client that hangs for ever (its Rust part does in a process that
was forked after a command), and signals, which Python handles only between calls, so that a worker told to stop would otherwise
end with its grading.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from prime_sandboxes import APIClient, CreateSandboxRequest, Sandbox, SandboxClient

from grading.faults import SandboxGone, SandboxUnavailable
from grading.sandbox.prime.errors import Hiccup, NotFound, fault_of

CONTROL_TIMEOUT_S = 30.0  # of one try of a control-plane call; the client itself tries up to 3 times
CONTROL_DEADLINE_S = 180.0  # of a control-plane call with the client's own tries and waits (10 and 30 s when asked to slow down)
UPLOAD_TIMEOUT_S = 60
UPLOAD_DEADLINE_S = 480.0  # with the client's own tries and waits
COMMAND_MARGIN_S = 20  # what the way to a sandbox and back may take beyond the command itself
CREATION_POLLS = 180  # about six minutes to start, and as many to become reachable
IMAGE_BUILD_S = 900  # the first use of an image: about ten minutes
CREATION_DEADLINE_S = 1800.0
PAUSES_S = (1.0, 4.0)  # before the second and the third try
PAGE = 100
ENDED = {"ERROR", "TERMINATED", "TIMEOUT"}

T = TypeVar("T")
_commanded_by: int | None = None  # the process that has sent a command


class DeadlineClient(APIClient):
    """The control plane: the client itself waits for ever unless told otherwise."""

    def request(
        self,
        method: str,
        endpoint: str,
        params: dict[str, Any] | None = None,
        json: dict[str, Any] | None = None,
        timeout: float | None = None,
        idempotent_post: bool = False,
    ) -> dict[str, Any]:
        return super().request(
            method, endpoint, params=params, json=json, timeout=timeout or CONTROL_TIMEOUT_S, idempotent_post=idempotent_post
        )


@dataclass(frozen=True, kw_only=True)
class Reply:
    exit_code: int
    stdout: str
    stderr: str


class PrimeService:
    """Calls that either return or raise a fault. To be made in the process that uses it."""

    def __init__(self) -> None:
        self._client: SandboxClient = within(CONTROL_TIMEOUT_S, "making a client", lambda: SandboxClient(DeadlineClient()))

    @property
    def url(self) -> str:
        return str(self._client.client.base_url)

    def create(self, request: CreateSandboxRequest) -> Sandbox:
        """A sandbox on its way. Repeated with the request's own idempotency key, so that a lost answer leaves no second one."""
        assert request.idempotency_key
        return tried(lambda: within(CONTROL_DEADLINE_S, "making a sandbox", lambda: self._client.create(request)))

    def wait(self, sandbox_id: str) -> None:
        """Until it runs and answers."""

        def wait() -> None:
            self._client.wait_for_creation(sandbox_id, max_attempts=CREATION_POLLS, image_build_timeout_seconds=IMAGE_BUILD_S)

        _no_commands_after_a_fork()
        within(CREATION_DEADLINE_S, "waiting for a sandbox", wait)

    def is_running(self, sandbox_id: str) -> bool:
        try:
            found = within(CONTROL_DEADLINE_S, "looking at a sandbox", lambda: self._client.get(sandbox_id))
        except NotFound:
            return False
        return found.status not in ENDED

    def active(self, label: str) -> Iterator[Sandbox]:
        """The sandboxes with a label that have not ended, newest first."""
        found: dict[str, Sandbox] = {}
        page, more = 1, True
        while more:
            listed = within(CONTROL_DEADLINE_S, "listing sandboxes", lambda page=page: self._list(label, page))  # type: ignore[misc]
            # whether several labels mean "and" is nowhere said, and a service may ignore what it does not know
            found |= {box.id: box for box in listed.sandboxes if label in box.labels and box.status not in ENDED}
            page, more = page + 1, bool(listed.has_next and listed.sandboxes)
        yield from sorted(found.values(), key=lambda box: box.created_at, reverse=True)

    def _list(self, label: str, page: int) -> Any:
        return self._client.list(labels=[label], page=page, per_page=PAGE, exclude_terminated=True)

    def delete(self, sandbox_id: str) -> None:
        """Gone afterwards, or gone already."""
        try:
            within(CONTROL_DEADLINE_S, "deleting a sandbox", lambda: self._client.delete(sandbox_id))
        except NotFound:
            return

    def upload(self, sandbox_id: str, path: str, data: bytes) -> None:
        name = path.rpartition("/")[2]
        within(
            UPLOAD_DEADLINE_S,
            f"uploading {name}",
            lambda: self._client.upload_bytes(sandbox_id, path, data, name, timeout=UPLOAD_TIMEOUT_S),
        )

    def execute(self, sandbox_id: str, script: str, timeout_s: float) -> Reply:
        """Run a script in bash. Its output comes back whole: it must bound that itself, and its own time."""
        _no_commands_after_a_fork()
        wait_s = math.ceil(timeout_s) + COMMAND_MARGIN_S  # the client takes whole seconds
        done = within(
            wait_s + COMMAND_MARGIN_S + CONTROL_DEADLINE_S,  # a token may have to be fetched first
            "running a command",
            lambda: self._client.execute_command(sandbox_id, script, timeout=wait_s),
        )
        return Reply(exit_code=done.exit_code, stdout=done.stdout, stderr=done.stderr)


def within(deadline_s: float, doing: str, call: Callable[[], T]) -> T:
    """What the call returns; a fault for what it raises, and when it has not come back by the deadline."""
    outcome: list[T] = []
    failure: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    threading.Thread(target=run, name=f"prime: {doing}", daemon=True).start()
    if not ended.wait(deadline_s):
        raise SandboxGone(f"the Prime client did not come back within {deadline_s:.0f} s, {doing}")
    if not failure:
        return outcome[0]
    if isinstance(failure[0], Exception):
        raise fault_of(failure[0], doing) from failure[0]
    raise failure[0]


def tried(call: Callable[[], T], *, is_worth_it: Callable[[], bool] = lambda: True) -> T:
    """A call that may be repeated: tried again after a pause where the failure often passes."""
    for pause_s in PAUSES_S:
        try:
            return call()
        except Hiccup:
            if not is_worth_it():
                raise
            time.sleep(pause_s)
    return call()


def age_s(box: Sandbox) -> float:
    made = box.created_at if box.created_at.tzinfo else box.created_at.replace(tzinfo=UTC)
    return (datetime.now(UTC) - made).total_seconds()


def _no_commands_after_a_fork() -> None:
    """A process that was forked after a command hangs at its own first one, for ever."""
    global _commanded_by
    if _commanded_by is None:
        _commanded_by = os.getpid()
    elif _commanded_by != os.getpid():
        raise SandboxUnavailable("this process was forked after a Prime command, and cannot send any: start the worker anew")

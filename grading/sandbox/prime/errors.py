"""What the Prime client raises -> a fault of ours, and whether trying again may help.

The client's exceptions have no status attribute: it is looked for along their causes, then in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from prime_sandboxes import (
    APIError,
    APITimeoutError,
    CommandTimeoutError,
    PaymentRequiredError,
    SandboxImagePullError,
    SandboxNotRunningError,
    UnauthorizedError,
)
from pydantic import ValidationError

from grading.faults import Fault, SandboxGone, SandboxUnavailable
from grading.text import clean

NO_KEY = "PRIME_API_KEY is not set: put the key of your Prime account there and restart"
# statuses that stay until somebody has changed something -> what to change
OPERATORS = {
    400: "Prime refuses the request (400): look at PRIME_IMAGE, PRIME_CPU, PRIME_MEMORY_GB and PRIME_DISK_GB",
    401: "Prime refuses the key (401): set PRIME_API_KEY to a valid one and restart",
    402: "Prime wants to be paid (402): add credit to the account of PRIME_API_KEY",
    403: "PRIME_API_KEY may not do this (403): give the key the right to use sandboxes, or set PRIME_TEAM_ID",
    422: "Prime refuses the sandbox (422): look at PRIME_IMAGE, PRIME_CPU, PRIME_MEMORY_GB and PRIME_DISK_GB",
}
STATUS_OF_CODE = {Code.UNAUTHENTICATED: 401, Code.PERMISSION_DENIED: 403, Code.NOT_FOUND: 404}
STATUS_IN_TEXT = re.compile(r"\bHTTP (\d{3})\b")


class Hiccup(SandboxGone):
    """A call failed in a way that often passes: worth another try on the same sandbox, if it still runs."""


class NotFound(SandboxGone):
    """The service knows no such sandbox (any more)."""


def fault_of(error: Exception, doing: str) -> Fault:
    """The fault behind an exception of the client. `doing` says what it was asked for."""
    status = status_of(error)
    said = "an answer that cannot be" if isinstance(error, ValidationError) else clean(str(error), 300).replace("\n", " ")
    if "No API key configured" in said:
        return SandboxUnavailable(NO_KEY)
    if isinstance(error, SandboxImagePullError):
        return SandboxUnavailable(f"Prime cannot get the image: look at PRIME_IMAGE; {said}")
    if status in OPERATORS:
        return SandboxUnavailable(OPERATORS[status] + ("" if status == 401 else f"; it said, {doing}: {said}"))
    if isinstance(error, SandboxNotRunningError):
        return SandboxGone(f"the Prime sandbox is gone, {doing}: {said}")
    if isinstance(error, CommandTimeoutError):  # the command's own fuse is shorter: the sandbox does not answer
        return SandboxGone(f"the Prime sandbox does not answer, {doing}: {said}")
    if status == 404:
        return NotFound(f"Prime knows no such thing, {doing}: {said}")
    return Hiccup(f"Prime failed, {doing}: {said or type(error).__name__}")


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind an exception of the client, if it was one."""
    for cause in causes(error):
        if isinstance(cause, UnauthorizedError):
            return 401
        if isinstance(cause, PaymentRequiredError):
            return 402
        if isinstance(cause, httpx.HTTPStatusError):
            return cause.response.status_code
        if isinstance(cause, ConnectError) and cause.code in STATUS_OF_CODE:
            return STATUS_OF_CODE[cause.code]
    if isinstance(error, APIError) and not isinstance(error, APITimeoutError):
        found = STATUS_IN_TEXT.search(str(error))
        return int(found[1]) if found else None
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it was raised from, or while handling."""
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__

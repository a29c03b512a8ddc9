"""A Docker daemon: calls that end within a deadline, and its failures as faults.

Commands go through `exec` with the stream read here, frame by frame, because the client's own reading has neither a deadline nor
a limit.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException, NotFound

from grading.faults import SandboxGone, SandboxTimeout, SandboxUnavailable
from grading.sandbox.base import OUTPUT_LIMIT_BYTES, Completed
from grading.sandbox.local import ENVIRONMENT
from grading.text import clean

CALL_S = 30  # for one call to the daemon
LOOK_EVERY_S = 0.5  # so often a silent command is looked at: a process that it left may hold its output open
HEADER = struct.Struct(">BxxxL")  # of a frame: which stream, how many bytes
STDOUT, STDERR = 1, 2
ARCH_OF_ENGINE = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def address() -> str:
    return os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"


def is_local(address: str) -> bool:
    return address.startswith(("unix://", "npipe://", "tcp://127.", "tcp://localhost", "tcp://[::1]"))


class Engine:
    """The daemon that DOCKER_HOST names, or the local one. Raises SandboxUnavailable where it cannot be reached."""

    def __init__(self) -> None:
        self.address = address()
        try:
            self.client = docker.from_env(timeout=CALL_S)
            self.version: dict[str, Any] = self.client.version()
        except (DockerException, requests.RequestException, OSError, ValueError) as error:
            raise SandboxUnavailable(f"no Docker daemon answers at {self.address}: {_said(error)}") from error

    @property
    def arch(self) -> str:
        machine = str(self.version.get("Arch", ""))
        return ARCH_OF_ENGINE.get(machine, machine)

    @property
    def is_on_this_host(self) -> bool:
        return is_local(self.address)

    def image(self, name: str) -> dict[str, Any]:
        """What the daemon knows of an image. Raises SandboxUnavailable when it does not have it: nothing is pulled unasked."""
        try:
            found: dict[str, Any] = self.client.images.get(name).attrs
        except NotFound:
            raise SandboxUnavailable(f"the image {name} is not there: docker pull --platform linux/{self.arch} {name}") from None
        except (DockerException, requests.RequestException) as error:
            raise SandboxUnavailable(f"no Docker daemon answers at {self.address}: {_said(error)}") from error
        return found

    def execute(self, container: str, command: list[str], *, user: str, timeout_s: float, stdin: bytes = b"") -> Completed:
        """Run a command in a container. Past timeout_s of wall time SandboxTimeout is raised, and the command still runs."""
        deadline = time.monotonic() + timeout_s
        api = self.client.api
        with faults_mapped():
            environment = ENVIRONMENT | {"TMPDIR": "/tmp"}
            made = api.exec_create(container, command, stdin=bool(stdin), user=user, environment=environment)
            stream = _plain_socket(api.exec_start(made["Id"], socket=True))
            try:
                stream.settimeout(CALL_S)
                stream.sendall(stdin)
                output = self._read(stream, made["Id"], deadline)
            finally:
                stream.close()
            while (state := api.exec_inspect(made["Id"]))["Running"]:
                if time.monotonic() > deadline:
                    raise TimeoutError
                time.sleep(0.01)
        if state["ExitCode"] is None:
            raise SandboxGone("the daemon does not know how a command ended")
        return Completed(exit_code=state["ExitCode"], stdout=bytes(output[STDOUT]), stderr=bytes(output[STDERR]))

    def _read(self, stream: Any, exec_id: str, deadline: float) -> dict[int, bytearray]:
        """Both outputs up to the limit, until the stream or the command ends."""
        output = {STDOUT: bytearray(), STDERR: bytearray()}
        waiting = bytearray()
        ended = False
        while True:
            if time.monotonic() > deadline:
                raise TimeoutError
            stream.settimeout(max(0.001, min(LOOK_EVERY_S, deadline - time.monotonic())))
            try:
                data = stream.recv(1 << 16)
            except TimeoutError:
                if ended:
                    return output
                ended = not self.client.api.exec_inspect(exec_id)["Running"]
                continue
            if not data:
                return output
            waiting += data
            _take_frames(waiting, output)


@contextmanager
def faults_mapped() -> Iterator[None]:
    """What the client raises, as faults: a gone container and a gone daemon may be better next time."""
    try:
        yield
    except TimeoutError:
        raise SandboxTimeout("a command in the container did not end in time") from None
    except NotFound as error:
        raise SandboxGone(f"the container is gone: {_said(error)}") from error
    except APIError as error:
        raise SandboxGone(f"the Docker daemon refused: {_said(error)}") from error
    except (DockerException, requests.RequestException, OSError) as error:
        raise SandboxGone(f"the Docker daemon does not answer: {_said(error)}") from error


def _take_frames(waiting: bytearray, output: dict[int, bytearray]) -> None:
    """Move whole frames from what was received into the outputs."""
    while len(waiting) >= HEADER.size:
        which, size = HEADER.unpack_from(waiting)
        if len(waiting) < HEADER.size + size:
            return
        kept = output.get(which)
        if kept is not None:
            kept += waiting[HEADER.size : HEADER.size + min(size, OUTPUT_LIMIT_BYTES - len(kept))]
        del waiting[: HEADER.size + size]


def _plain_socket(stream: Any) -> Any:
    """The socket under what the client returns (a SocketIO for plain ones): only that has timeouts."""
    return getattr(stream, "_sock") if isinstance(stream, socket.SocketIO) else stream  # noqa: B009


def _said(error: BaseException) -> str:
    """The daemon's own words, without the client's wrapping."""
    explanation = getattr(error, "explanation", None)
    with suppress(Exception):
        if isinstance(error, requests.ConnectionError):
            return clean(str(error.args[0]), 300)
    return clean(str(explanation or error), 300)

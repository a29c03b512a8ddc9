"""What a sandbox is: a place with gcc, binutils and a shell where commands run and nothing of ours can be reached.

An answer costs two trips to it: put the source, run one command. Everything else (the harness, what the machine is) is once a
sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from grading.faults import HarnessBroken
from grading.harness_source import BUILD_TIMEOUT_S, SCRIPT_NAME, HarnessSource
from grading.text import decode

HARNESS_MISSING = 96  # exit status: the sandbox has lost its harness (it was made anew, or restarted)
NO_FOLDER = 97  # exit status: the work folder cannot be made; standard error says why
SLOTS = 64  # workers of one architecture on one host, at most
OUTPUT_LIMIT_BYTES = 4 << 20  # of each stream; what a command prints beyond it is dropped


@dataclass(frozen=True, kw_only=True)
class Completed:
    """A command that ended; exit_code is 128 + the signal's number where one ended it."""

    exit_code: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What a rented or contained sandbox is to have, instead of what the settings say. A sandbox on this host has the host's."""

    cpu: float | None = None  # cores
    memory_gb: float | None = None


class Sandbox(Protocol):
    """Faults (gone, out of time, unusable) are raised as grading.faults.Fault."""

    name: str
    arch: str
    emulated: bool
    on_this_host: bool  # it shares this host's cores: gradings in it take the host-wide lock

    @property
    def is_walled(self) -> bool:
        """Whether files of ours are out of reach inside, whatever the harness can do there."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file into the sandbox's folder. `name` is a plain file name."""

    def run(self, command: list[str], timeout_s: float) -> Completed:
        """Run a command in the sandbox's folder; nothing that it started is alive afterwards."""

    def harness(self, source: HarnessSource) -> str:
        """Path, inside, of the built harness; built first where it is missing."""

    def describe(self) -> dict[str, Any]:
        """Facts that the backend knows about itself, for the record's machine: plain JSON. `isolation`: what the sandbox is."""

    def close(self) -> None:
        """Leave nothing behind. Twice does no harm."""


def build_harness(sandbox: Sandbox, source: HarnessSource, folder: str, environment: Mapping[str, str] | None = None) -> None:
    """Build the harness in `folder` (a path inside, not there yet) by put and run alone.

    environment: what build.sh takes from there, such as another compiler.
    """
    sandbox.put(SCRIPT_NAME, source.script)
    settings = [f"{name}={value}" for name, value in (environment or {}).items()]
    done = sandbox.run([*(["env", *settings] if settings else []), "sh", SCRIPT_NAME, folder], BUILD_TIMEOUT_S)
    if done.exit_code != 0:
        log = decode(done.stdout + done.stderr)
        last = next((line for line in reversed(log.splitlines()) if line.strip()), "no message")
        raise HarnessBroken(f"the harness for {source.kernel.name} does not build: {last.strip()}", log=log)

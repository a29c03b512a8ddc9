"""Prime sandboxes: virtual machines of a service, without network, one for each worker of an architecture.

Theory of operation. The first answer starts the sandbox; the next ones reuse it. Its labels say whose it is, so that a worker
that starts anew takes over the one of the worker before it (prime_slots), and the sweep ends those that nobody uses. Before it is
used, what is inside is looked at: architecture, compiler, tools. Sources go there once and are built there with its own gcc.
After that an answer is one command, which carries the answer's source with it (two calls for a source above INLINE_BYTES).

Whatever the service does wrong is a fault, never a verdict. A failed call is tried again while the sandbox still runs; then the
sandbox is given up, and the next grading begins with a fresh one.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from grading.faults import Fault, HarnessBroken, SandboxTimeout, SandboxUnavailable
from grading.harness_source import BUILD_TIMEOUT_S, HarnessSource
from grading.isolation import NO_OUTER
from grading.sandbox.base import Completed, Resources
from grading.sandbox.prime.settings import is_loopback, read_settings, sized, slot_label
from grading.text import decode

if TYPE_CHECKING:  # the client is an optional extra, and takes its time to import
    from grading.sandbox.prime.places import Place, Places

INLINE_BYTES = 64_000  # what travels inside a command: Linux takes 128 KiB in one argument
QUIET_S = 120.0  # after that long without a word, ask whether the sandbox still runs: the service ends idle ones
KILLED = 137
DOUBLE = "a double of the Prime service on this host: nothing measured there counts"


def why_unavailable(arch: str) -> str | None:
    """One line that names what is missing; asks nobody."""
    if find_spec("prime_sandboxes") is None:
        return "the package prime-sandboxes is not installed: pip install 'arch-kernels[prime]'"
    from prime_sandboxes import APIClient

    from grading.sandbox.prime.errors import NO_KEY
    from grading.sandbox.prime.places import MACHINES

    if arch not in MACHINES:
        return f"Prime has no {arch} sandboxes"
    try:
        read_settings()
        return None if APIClient().api_key else NO_KEY
    except SandboxUnavailable as fault:
        return fault.reason
    except ValueError as error:  # PRIME_CONTEXT names a profile that does not exist
        return f"the Prime client's settings cannot be read: {error}"


def check(arch: str) -> str | None:
    """Like why_unavailable, and asks the service whether it takes the key."""
    if reason := why_unavailable(arch):
        return reason
    from grading.sandbox.prime.client import PrimeService

    try:
        list(PrimeService().active(slot_label("none")))
    except Fault as fault:
        return fault.reason
    return None


def is_double() -> bool:
    """Whether the service that the client would ask is a double on this host."""
    if find_spec("prime_sandboxes") is None:
        return False
    from prime_sandboxes import APIClient

    try:
        return is_loopback(str(APIClient().base_url))
    except ValueError:  # PRIME_CONTEXT names a profile that does not exist
        return False


def sweep() -> list[str]:
    """End the sandboxes that nobody uses, where the service can be asked at all. Returns their ids; raises Fault."""
    if why_unavailable("amd64"):
        return []
    from grading.sandbox.prime.sweep import sweep as sweep_service

    return sweep_service()


class PrimeSandbox:
    """See the head of this file. Made in the process that uses it; not for several threads at once."""

    name = "prime"
    emulated = False
    on_this_host = False

    def __init__(self, arch: str, resources: Resources | None = None) -> None:
        if reason := why_unavailable(arch):
            raise SandboxUnavailable(reason)
        from grading.sandbox.prime.places import Places

        self.arch = arch
        self._places: Places = Places(arch, sized(read_settings(), resources or Resources()))
        self._place: Place | None = None
        self._files: dict[str, bytes] = {}  # put since the last command

    @property
    def place(self) -> Place:
        """The machine behind this sandbox, started where there is none: another object for another machine."""
        if self._place is None:
            self._place = self._places.open()
        return self._place

    def put(self, name: str, data: bytes) -> None:
        """The file travels with the next command."""
        if name in ("", ".", "..") or "/" in name:
            raise ValueError(f"{name!r} is not a plain file name")
        self._files[name] = data

    def run(self, command: list[str], timeout_s: float) -> Completed:
        from grading.sandbox.prime.client import tried

        place, token = self.place, uuid4().hex
        began = time.monotonic()
        try:
            done = tried(lambda: self._attempt(place, command, timeout_s, token), is_worth_it=self._still_runs)
        except Fault:
            self._give_up()
            raise
        self._files.clear()
        place.heard_at = time.monotonic()
        self._places.slot.touch()
        if done.exit_code == KILLED and time.monotonic() - began >= timeout_s:
            raise SandboxTimeout(f"{command[-1][:60]} did not end within {timeout_s:.0f} s")
        return done

    def harness(self, source: HarnessSource) -> str:
        from grading.sandbox.prime.script import HARNESSES, SOURCES
        from grading.sandbox.prime.sources import sources_with

        self._replace_if_ended()
        place, key, sources = self.place, source.key(), sources_with(source)
        folder, unpacked = f"{HARNESSES}/{key}", f"{SOURCES}/{sources.key}"
        if key in place.built:
            return folder
        steps = [f"rm -rf {folder} {folder}.new"]
        if sources.key not in place.sources:
            self.put("sources.sh", sources.script)
            steps.append(f"sh sources.sh {unpacked}")
        steps.append(f"sh {unpacked}/harness/build.sh {unpacked} {folder}.new {source.kernel.name}")
        steps.append(f"mv {folder}.new {folder}")
        done = self.run(["sh", "-c", " && ".join(steps)], BUILD_TIMEOUT_S)
        if done.exit_code != 0:
            log = decode(done.stdout + done.stderr)
            last = next((line for line in reversed(log.splitlines()) if line.strip()), "no message")
            raise HarnessBroken(f"the harness for {source.kernel.name} does not build: {last.strip()}", log=log)
        place.sources.add(sources.key)
        place.built.add(key)
        return folder

    def describe(self) -> dict[str, Any]:
        settings = self._places.settings
        facts: dict[str, Any] = {
            "backend": self.name,
            "image": settings.image,
            "generation": settings.generation,
            "cpu_cores": settings.cpu_cores,
            "memory_gb": settings.memory_gb,
            "isolation": "virtual machine without network" if self.is_walled else NO_OUTER,
        }
        if not self.is_walled:
            facts |= {"double": True, "warning": DOUBLE}
        return facts

    @property
    def is_walled(self) -> bool:
        """A double runs commands as they are, on this host."""
        return not is_loopback(self._places.service.url)

    def close(self) -> None:
        """End the sandbox. (A worker that just ends leaves it to the next one.)"""
        self._give_up()
        self._places.slot.release()

    def _attempt(self, place: Place, command: list[str], timeout_s: float, token: str) -> Completed:
        from grading.sandbox.prime.script import WORK, parse_run, run_script

        service = self._places.service
        inline: dict[str, bytes] = {}
        for name, data in sorted(self._files.items(), key=lambda item: len(item[1])):
            if sum(map(len, inline.values())) + len(data) <= INLINE_BYTES:
                inline[name] = data
            else:
                service.upload(place.id, f"{WORK}/{name}", data)
        script = run_script(command, token=token, owner=place.id, timeout_s=timeout_s, files=inline)
        return parse_run(service.execute(place.id, script, timeout_s).stdout)

    def _still_runs(self) -> bool:
        return self._place is not None and self._places.service.is_running(self._place.id)

    def _replace_if_ended(self) -> None:
        """After a long silence the service may have ended the sandbox: that is no fault, and costs no answer an attempt."""
        if self._place is not None and time.monotonic() - self._place.heard_at > QUIET_S and not self._still_runs():
            self._place = None

    def _give_up(self) -> None:
        place, self._place = self._place, None
        self._files.clear()
        if place is not None:
            self._places.give_up(place.id)

"""The sandboxes there are: a module each, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grading.architectures import ARCHS
from grading.faults import SandboxUnavailable
from grading.sandbox import emulated, local
from grading.sandbox.base import Resources, Sandbox
from grading.sandbox.docker import sandbox as docker
from grading.sandbox.prime import sandbox as prime


@dataclass(frozen=True)
class Backend:
    """A sandbox before it is opened, and what it says of itself: nobody tells sandboxes apart by their names."""

    open: Callable[[str, Resources], Sandbox]  # of an architecture
    why_unavailable: Callable[[str], str | None]  # quick: asked before every answer
    check: Callable[[str], str | None]  # may take its time: asked by people
    emulated: bool = False  # it tells whether an answer is right; it measures nothing
    is_on_this_host: Callable[[str], bool] = lambda arch: True  # whether it takes this host's cores, and so its lock
    is_double: Callable[[], bool] = lambda: False  # whether it is at a double of its service: nothing counts that is graded there
    sweep: Callable[[], list[str]] = list  # ends what nobody uses any more; returns what it was, for the log. Raises Fault


BACKENDS = {
    "local": Backend(
        open=lambda arch, _: local.LocalSandbox(arch), why_unavailable=local.why_unavailable, check=local.why_unavailable
    ),
    "docker": Backend(
        open=docker.DockerSandbox,
        why_unavailable=docker.why_unavailable,
        check=docker.check,
        is_on_this_host=docker.is_on_this_host,
    ),
    "prime": Backend(
        open=prime.PrimeSandbox,
        why_unavailable=prime.why_unavailable,
        check=prime.check,
        is_on_this_host=lambda arch: False,
        is_double=lambda: prime.is_double(),
        sweep=prime.sweep,
    ),
    "emulated": Backend(
        open=lambda arch, _: emulated.EmulatedSandbox(arch),
        why_unavailable=emulated.why_unavailable,
        check=emulated.why_unavailable,
        emulated=True,
    ),
}


def is_emulated(name: str) -> bool:
    """False too where no sandbox has that name; so are the next two."""
    return name in BACKENDS and BACKENDS[name].emulated


def is_on_this_host(name: str, arch: str) -> bool:
    return name in BACKENDS and BACKENDS[name].is_on_this_host(arch)


def is_double(name: str) -> bool:
    return name in BACKENDS and BACKENDS[name].is_double()


def sweep(name: str) -> list[str]:
    """End what nobody uses any more of a sandbox that is usable. Returns what it was. Raises Fault when that cannot be asked."""
    return BACKENDS[name].sweep() if name in BACKENDS else []


def why_unavailable(name: str, arch: str) -> str | None:
    """One line that names what is missing for this sandbox on this architecture; None if nothing is."""
    return _unknown(name, arch) or BACKENDS[name].why_unavailable(arch)


def check(name: str, arch: str) -> str | None:
    """Like why_unavailable, but thorough: it may start a container or ask a service."""
    return _unknown(name, arch) or BACKENDS[name].check(arch)


def _unknown(name: str, arch: str) -> str | None:
    if arch not in ARCHS:
        return f"unknown architecture {arch!r}; there are: {', '.join(ARCHS)}"
    if not name:
        return f"no {arch} sandbox configured"
    if name not in BACKENDS:
        return f"unknown sandbox {name!r}; there are: {', '.join(BACKENDS)}"
    return None


def open_sandbox(name: str, arch: str, resources: Resources | None = None) -> Sandbox:
    """A sandbox ready for work, to be closed by the caller. Raises SandboxUnavailable with the reason."""
    reason = why_unavailable(name, arch)
    if reason is not None:
        raise SandboxUnavailable(reason)
    return BACKENDS[name].open(arch, resources or Resources())

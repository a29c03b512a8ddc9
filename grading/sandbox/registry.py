"""The sandboxes there are: a module each, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grading.faults import SandboxUnavailable
from grading.sandbox import emulated, local
from grading.sandbox.base import Sandbox

ARCHITECTURES = ("amd64", "arm64")


@dataclass(frozen=True)
class Backend:
    open: Callable[[str], Sandbox]  # of an architecture
    why_unavailable: Callable[[str], str | None]


BACKENDS = {
    "local": Backend(open=local.LocalSandbox, why_unavailable=local.why_unavailable),
    "emulated": Backend(open=emulated.EmulatedSandbox, why_unavailable=emulated.why_unavailable),
}


def why_unavailable(name: str, arch: str) -> str | None:
    """One line that names what is missing for this sandbox on this architecture; None if nothing is."""
    if arch not in ARCHITECTURES:
        return f"unknown architecture {arch!r}; there are: {', '.join(ARCHITECTURES)}"
    if not name:
        return f"no {arch} sandbox configured"
    if name not in BACKENDS:
        return f"unknown sandbox {name!r}; there are: {', '.join(BACKENDS)}"
    return BACKENDS[name].why_unavailable(arch)


def open_sandbox(name: str, arch: str) -> Sandbox:
    """A sandbox ready for work, to be closed by the caller. Raises SandboxUnavailable with the reason."""
    reason = why_unavailable(name, arch)
    if reason is not None:
        raise SandboxUnavailable(reason)
    return BACKENDS[name].open(arch)

"""The registry of sandboxes: one module and one line here per sandbox. Callers ask for its properties, not for its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grading.architectures import ARCHS
from grading.faults import SandboxUnavailable
from grading.sandbox import emulated, local
from grading.sandbox.base import Resources, Sandbox
from grading.sandbox.docker import sandbox as docker
from grading.sandbox.prime import sandbox as prime


def nothing_swept() -> list[str]:
    return []


def always() -> bool:
    return True


def never() -> bool:
    return False


def nothing_missing(arch: str) -> str | None:
    del arch
    return None


@dataclass(frozen=True)
class Backend:
    open: Callable[[str, Resources], Sandbox]  # of an architecture
    why_unavailable: Callable[[str], str | None]  # quick: asked before every answer
    check: Callable[[str], str | None]  # may take its time: asked by people
    emulates: bool = False  # its times are not used
    on_this_host: Callable[[], bool] = always  # it computes on our own processors
    is_double: Callable[[], bool] = never  # of a service, for a test or a demonstration: nothing graded on it is shown
    file_isolation_missing: Callable[[str], str | None] = nothing_missing  # why it is refused unless its operator allows it
    sweep: Callable[[], list[str]] = nothing_swept  # ends what killed processes left, and names it; raises Fault


def _cannot_open(arch: str, resources: Resources) -> Sandbox:
    raise SandboxUnavailable(f"no {arch} sandbox configured")


BACKENDS = {
    "local": Backend(
        open=lambda arch, _: local.LocalSandbox(arch),
        why_unavailable=local.why_unavailable,
        check=local.why_unavailable,
        file_isolation_missing=lambda arch: local.file_isolation_missing() if arch == local.host_arch() else None,
    ),
    "docker": Backend(
        open=docker.DockerSandbox,
        why_unavailable=docker.why_unavailable,
        check=docker.check,
        on_this_host=docker.is_on_this_host,
    ),
    "prime": Backend(
        open=prime.PrimeSandbox,
        why_unavailable=prime.why_unavailable,
        check=prime.check,
        on_this_host=never,
        is_double=prime.is_double,
        sweep=prime.sweep,
    ),
    "emulated": Backend(
        open=lambda arch, _: emulated.EmulatedSandbox(arch),
        why_unavailable=emulated.why_unavailable,
        check=emulated.why_unavailable,
        emulates=True,
    ),
}
NONE = Backend(open=_cannot_open, why_unavailable=lambda arch: None, check=lambda arch: None, on_this_host=never)


def backend(name: str) -> Backend:
    """The backend of that name. For an empty or unknown name, which `why_unavailable` reports, one that does nothing."""
    return BACKENDS.get(name, NONE)


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

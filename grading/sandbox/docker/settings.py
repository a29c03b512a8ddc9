"""What a Docker sandbox is made of: all from the environment, with defaults that serve."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace

from grading.faults import SandboxUnavailable
from grading.sandbox.base import Resources

LAYOUT = 1  # raised when what we keep inside a container is laid out in another way: older ones are then not taken over


@dataclass(frozen=True, kw_only=True)
class DockerSettings:
    """DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH are the client's own and name the daemon."""

    image: str = "gcc:14"  # gcc, binutils, a shell and coreutils
    memory_mb: int = 4096
    pids: int = 256
    cpuset: str = ""  # CPUs of the daemon's machine, as in "2-3"; empty: all of them

    @property
    def generation(self) -> str:
        """Names what makes a container another one: those of other settings are not taken over."""
        facts = f"{LAYOUT} {self.image} {self.memory_mb} {self.pids} {self.cpuset}"
        return hashlib.sha256(facts.encode()).hexdigest()[:8]


def read_settings() -> DockerSettings:
    """The settings of now. Raises SandboxUnavailable naming the variable that cannot be."""
    return DockerSettings(
        image=os.environ.get("DOCKER_IMAGE") or DockerSettings.image,
        memory_mb=_count("DOCKER_MEMORY_MB", DockerSettings.memory_mb, least=2048),
        pids=_count("DOCKER_PIDS", DockerSettings.pids, least=32),
        cpuset=os.environ.get("DOCKER_CPUSET") or DockerSettings.cpuset,
    )


def sized(settings: DockerSettings, resources: Resources) -> DockerSettings:
    """Which CPUs a container has is DOCKER_CPUSET's matter: a quota of CPU time would disturb what is measured."""
    return settings if resources.memory_gb is None else replace(settings, memory_mb=round(resources.memory_gb * 1024))


def _count(variable: str, default: int, *, least: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isdecimal() or int(text) < least:
        raise SandboxUnavailable(f"{variable} must be a whole number of at least {least}, not {text[:40]!r}")
    return int(text)

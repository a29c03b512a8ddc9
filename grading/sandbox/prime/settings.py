"""What a Prime sandbox is made of: all from the environment, with defaults that serve."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from grading.faults import SandboxUnavailable
from grading.sandbox import local
from grading.sandbox.base import Resources
from grading.sandbox.checkout import as_label, checkout_id

LAYOUT = 1  # raised when what we keep inside a sandbox is laid out in another way: older ones are then not taken over
MARK = "arch-kernels"  # a label on every sandbox of ours


@dataclass(frozen=True, kw_only=True)
class PrimeSettings:
    image: str = "gcc:14"
    cpu_cores: float = 2.0
    memory_gb: float = 4.0
    disk_gb: float = 5.0
    idle_minutes: int = 20  # the service ends a sandbox that has done nothing for so long

    @property
    def generation(self) -> str:
        """Names what makes a sandbox another one: those of other settings are not taken over."""
        facts = f"{LAYOUT} {self.image} {self.cpu_cores:g} {self.memory_gb:g} {self.disk_gb:g}"
        return hashlib.sha256(facts.encode()).hexdigest()[:8]


def read_settings() -> PrimeSettings:
    """The settings of now. Raises SandboxUnavailable naming the variable that cannot be."""
    return PrimeSettings(
        image=os.environ.get("PRIME_IMAGE") or PrimeSettings.image,
        cpu_cores=_amount("PRIME_CPU", PrimeSettings.cpu_cores),
        memory_gb=_amount("PRIME_MEMORY_GB", PrimeSettings.memory_gb),
        disk_gb=_amount("PRIME_DISK_GB", PrimeSettings.disk_gb),
        idle_minutes=max(1, int(_amount("PRIME_IDLE_MINUTES", PrimeSettings.idle_minutes))),
    )


def sized(settings: PrimeSettings, resources: Resources) -> PrimeSettings:
    return replace(settings, cpu_cores=resources.cpu or settings.cpu_cores, memory_gb=resources.memory_gb or settings.memory_gb)


def installation() -> str:
    """The name of this installation, on the label of each of its sandboxes: PRIME_INSTALLATION, else this checkout's own."""
    return as_label(os.environ.get("PRIME_INSTALLATION") or checkout_id())


def labels_of(arch: str, settings: PrimeSettings, slot: str) -> list[str]:
    """The answer to create says nothing of the architecture, so the labels do."""
    return [MARK, installation_label(installation()), f"arch-{arch}", f"generation-{settings.generation}", slot_label(slot)]


def installation_label(name: str) -> str:
    return f"installation-{name}"


def slot_label(slot: str) -> str:
    return f"slot-{slot}"


def is_loopback(url: str) -> bool:
    """Is the service one on this host? Then it is a double for tests and demonstrations, and nothing measured there counts."""
    name = urlsplit(url).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def slots_folder() -> Path:
    return local.cache_root() / "prime-slots"


def _amount(variable: str, default: float) -> float:
    text = os.environ.get(variable, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:  # false for NaN
        raise SandboxUnavailable(f"{variable} must be a positive number, not {text[:40]!r}")
    return value

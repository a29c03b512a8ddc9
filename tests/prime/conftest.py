"""Fixtures: the double of the service, and the real client pointed at it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")

import tenacity.nap

from grading.sandbox.prime import client
from grading.sandbox.prime.sandbox import PrimeSandbox
from tests.doubles.prime import PrimeDouble


@pytest.fixture
def surroundings(tmp_path, monkeypatch):
    """A worker's own: its home (the client keeps tokens there), its cache, no settings from outside; and short pauses."""
    for name in ("PRIME_INSTALLATION", "PRIME_TEAM_ID", "PRIME_CONTEXT", "PRIME_CPU", "PRIME_MEMORY_GB", "PRIME_DISK_GB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ARCH_KERNELS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tenacity.nap, "time", SimpleNamespace(sleep=lambda seconds: None))  # the client's own pauses
    monkeypatch.setattr(client, "PAUSES_S", (0.01, 0.01))
    monkeypatch.setattr(client, "CREATION_POLLS", 2)
    return tmp_path


@pytest.fixture
def double(surroundings, monkeypatch):
    with PrimeDouble() as double:
        for name, value in double.environment.items():
            monkeypatch.setenv(name, value)
        yield double


@pytest.fixture
def open_prime(double):
    """Opens sandboxes as a worker does; they are closed at the end."""
    opened = []

    def open_prime(arch: str = "amd64") -> PrimeSandbox:
        opened.append(PrimeSandbox(arch))
        return opened[-1]

    yield open_prime
    for sandbox in opened:
        sandbox.close()


@pytest.fixture
def prime(open_prime):
    return open_prime()

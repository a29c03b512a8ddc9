"""Sandboxes of each backend in the registry, for tests that hold for all of them.

A Backend opens sandboxes and breaks them from outside. What cannot be had here is skipped, with the reason. A sandbox with a
folder on this host needs nothing here; one behind a service says in SERVICES how its service is started, and how a sandbox is
taken away there.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grading.architectures import ARCHS
from grading.sandbox.base import Sandbox
from grading.sandbox.local import host_arch
from grading.sandbox.registry import BACKENDS, open_sandbox, why_unavailable
from tests.engines.docker_daemon import IMAGE, CannotStart, Daemon, running_daemon

MARKS = {"docker": pytest.mark.engine}  # what an engine has to be started for


@dataclass(frozen=True)
class Backend:
    name: str
    arch: str
    destroy: Callable[[Any], None]  # take the sandbox away from under its user
    is_walled: bool  # namespaces around it: no network, nothing of ours writable

    def open(self) -> Sandbox:
        return open_sandbox(self.name, self.arch)


@pytest.fixture(scope="package", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Harnesses, slots and the host-wide lock of these tests are their own: nobody's gradings wait for them."""
    folder = Path("/var/tmp") / f"arch-kernels-engines-{os.getpid()}"
    folder.mkdir(mode=0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARCH_KERNELS_CACHE", str(folder))
        patch.setenv("ARCH_KERNELS_LOCK", str(tmp_path_factory.mktemp("lock") / "lock"))
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="package")
def docker_daemon(own_folders: Path) -> Iterator[Daemon]:
    """A daemon with an image, and the environment pointed at both."""
    with ExitStack() as stack:
        try:
            daemon = stack.enter_context(running_daemon())
        except CannotStart as reason:
            pytest.skip(str(reason))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("DOCKER_HOST", daemon.address)
        patch.setenv("DOCKER_IMAGE", IMAGE)
        yield daemon


@pytest.fixture(scope="package")
def prime_double(own_folders: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The Prime service's double, and the real client pointed at it."""
    pytest.importorskip("prime_sandboxes", reason="the package prime-sandboxes is not installed")
    from tests.doubles.prime import PrimeDouble

    with PrimeDouble() as double, pytest.MonkeyPatch.context() as patch:
        for name, value in double.environment.items():
            patch.setenv(name, value)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("PRIME_IMAGE", f"gcc:{gcc_major()}")  # the double runs this machine's
        yield double


@pytest.fixture(scope="package", params=[pytest.param(name, marks=MARKS.get(name, ())) for name in BACKENDS])
def backend(request: pytest.FixtureRequest, own_folders: Path) -> Backend:
    service = SERVICES.get(request.param)
    return service(request) if service else _on_this_host(request.param)


@pytest.fixture(scope="package")
def sandbox(backend: Backend) -> Iterator[Sandbox]:
    """One sandbox of the backend, for all tests that leave it as it was."""
    sandbox = backend.open()
    yield sandbox
    sandbox.close()


@pytest.fixture
def fresh_sandbox(backend: Backend) -> Iterator[Sandbox]:
    """One of the test's own."""
    sandbox = backend.open()
    yield sandbox
    sandbox.close()


def _on_this_host(name: str) -> Backend:
    """On the architecture that it has here, this host's own where there is a choice."""
    reasons = {arch: why_unavailable(name, arch) for arch in sorted(ARCHS, key=lambda arch: arch != host_arch())}
    arch = next((arch for arch, reason in reasons.items() if reason is None), None)
    if arch is None:
        pytest.skip("; ".join(f"{arch}: {reason}" for arch, reason in reasons.items()))
    sandbox = open_sandbox(name, arch)
    says = sandbox.describe()
    sandbox.close()
    return Backend(name, arch, destroy=_remove_folder, is_walled="warning" not in says)


def _docker(request: pytest.FixtureRequest) -> Backend:
    daemon: Daemon = request.getfixturevalue("docker_daemon")

    def destroy(sandbox: Any) -> None:
        daemon.client("rm", "-f", sandbox._container.id)

    return Backend("docker", host_arch(), destroy=destroy, is_walled=True)


def _prime(request: pytest.FixtureRequest) -> Backend:
    double = request.getfixturevalue("prime_double")

    def destroy(sandbox: Any) -> None:
        double.vanish(sandbox.place.id)

    return Backend("prime", host_arch(), destroy=destroy, is_walled=False)


def _remove_folder(sandbox: Any) -> None:
    folder = getattr(sandbox, "folder", None)
    assert folder, f"how is a sandbox {sandbox.name!r} taken away? Its line in SERVICES of tests/engines/conftest.py says it"
    shutil.rmtree(folder)


SERVICES: dict[str, Callable[[pytest.FixtureRequest], Backend]] = {"docker": _docker, "prime": _prime}


class MarkedProcesses:
    """Processes that are told by a number on their command line, here or inside of a sandbox."""

    def __init__(self) -> None:
        self.mark = f"9{secrets.randbelow(10**7):07}"

    def left_in(self, sandbox: Sandbox) -> int:
        look = 'for folder in /proc/[0-9]*; do tr "\\0" " " <$folder/cmdline; echo; done 2>/dev/null'
        inside = sandbox.run(["sh", "-c", look], 60).stdout.decode(errors="replace")
        return f"{inside}{self._here()}".count(f"sleep {self.mark}")

    def _here(self) -> str:
        text = ""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                text += path.read_bytes().replace(b"\0", b" ").decode(errors="replace") + "\n"
        return text


@pytest.fixture
def marked_processes() -> MarkedProcesses:
    return MarkedProcesses()


def gcc_major() -> str:
    return subprocess.run(["gcc", "-dumpversion"], check=True, capture_output=True, text=True).stdout.split(".")[0].strip()

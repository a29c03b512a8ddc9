"""The containers of this checkout: one for each worker, found again by its name, swept when nobody uses it.

A worker's slot is a file of this host that it keeps locked; the slot names the container, so a worker that starts anew (after
kill -9, say) takes over the container of the worker before it, and no two workers ever share one.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from docker.errors import APIError, NotFound
from docker.models.containers import Container
from docker.types import LogConfig, Ulimit

from grading.faults import Fault, SandboxUnavailable
from grading.sandbox.base import SLOTS
from grading.sandbox.checkout import checkout_id
from grading.sandbox.docker.engine import Engine, faults_mapped
from grading.sandbox.docker.settings import DockerSettings
from grading.sandbox.local import cache_root

LABEL = "arch-kernels"
BUILDER = "61001:61001"  # owns the harness; runs nothing of an answer
GRADER = "61002:61002"
SANDBOX, HARNESS = "/sandbox", "/harness"
MIB = 1 << 20

# Ends by itself when it has not been used between two looks: a worker's host may die, and the daemon is another machine.
FIRST_PROCESS = f"trap 'exit 0' TERM; while rm {HARNESS}/.used; do sleep 14400 & wait $!; done"
USED = f": >{HARNESS}/.used"


class Slot:
    """The first free slot of an architecture, ours until released or until this process ends."""

    def __init__(self, arch: str) -> None:
        folder = slots_folder()
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(SLOTS):
            self.name = f"{arch}-{number}"
            if (descriptor := lock_slot(self.name)) is not None:
                self._descriptor = descriptor
                return
        raise SandboxUnavailable(f"{SLOTS} workers of this host have a container for {arch} already")

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def slots_folder() -> Path:
    return cache_root() / "docker-slots"


def lock_slot(name: str) -> int | None:
    """The locked descriptor; None while a worker has the slot."""
    descriptor = os.open(slots_folder() / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def find_or_create(engine: Engine, arch: str, slot: Slot, settings: DockerSettings) -> Container:
    """The slot's container, running. One of other settings, or that has ended, is replaced."""
    with faults_mapped():
        image = engine.image(settings.image)["Id"]
        wanted = labels_of(arch, slot.name, settings) | {f"{LABEL}.image": image}
        with suppress(NotFound):
            found = engine.client.containers.get(container_name(slot.name))
            if found.status == "running" and wanted.items() <= found.labels.items():
                return found
            remove(found)
        container = engine.client.containers.create(**_creation(arch, slot, settings, wanted))
        try:
            container.start()
        except BaseException:
            remove(container)
            raise
        return container


def sweep(engine: Engine) -> list[str]:
    """Remove the containers of workers that are gone. Returns their names; never raises: the next sweep tries again."""
    swept = []
    with suppress(Fault), faults_mapped():
        for container in engine.client.containers.list(all=True, filters={"label": f"{LABEL}.checkout={checkout_id()}"}):
            slot = container.labels.get(f"{LABEL}.slot", "")
            if Path(slot).name != slot or (lock := lock_slot(slot)) is None:
                continue
            try:
                remove(container)
                swept.append(str(container.name))
            finally:
                os.close(lock)
    return swept


def remove(container: Container) -> None:
    """Remove a container with all that runs in it; one that is gone, or going already, is fine."""
    try:
        container.remove(force=True, v=True)
    except APIError as error:
        if error.status_code not in (404, 409):
            raise


def container_name(slot: str) -> str:
    return f"{LABEL}-{checkout_id()}-{slot}"


def labels_of(arch: str, slot: str, settings: DockerSettings) -> dict[str, str]:
    return {
        f"{LABEL}.checkout": checkout_id(),
        f"{LABEL}.arch": arch,
        f"{LABEL}.slot": slot,
        f"{LABEL}.generation": settings.generation,
    }


def _creation(arch: str, slot: Slot, settings: DockerSettings, labels: dict[str, str]) -> dict[str, Any]:
    """No network, nothing writable but three file systems in memory, no capability, no way to get one."""
    in_memory = "rw,exec,nosuid,nodev,mode=0755"
    builder, grader = BUILDER.partition(":")[0], GRADER.partition(":")[0]
    return {
        "image": settings.image,
        "name": container_name(slot.name),
        "platform": f"linux/{arch}",
        "labels": labels,
        "entrypoint": ["sh", "-c", f"{USED}; {FIRST_PROCESS}"],
        "command": [],
        "user": BUILDER,
        "working_dir": SANDBOX,
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {
            SANDBOX: f"{in_memory},uid={grader},gid={grader},size=512m",
            HARNESS: f"{in_memory},uid={builder},gid={builder},size=1024m",
            "/tmp": "rw,exec,nosuid,nodev,mode=1777,size=128m",
        },
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": settings.memory_mb * MIB,
        "memswap_limit": settings.memory_mb * MIB,
        "pids_limit": settings.pids,
        "cpuset_cpus": settings.cpuset or None,
        "ipc_mode": "none",
        "ulimits": [Ulimit(name="core", soft=0, hard=0)],
        "log_config": LogConfig(type="none"),
        "healthcheck": {"test": ["NONE"]},
    }

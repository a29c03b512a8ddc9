"""The sandbox behind a worker: taken over from the worker before it, or made; looked at before it is used; given up when it
fails."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from prime_sandboxes import CreateSandboxRequest, Sandbox

from grading.faults import Fault, SandboxGone, SandboxUnavailable
from grading.sandbox.prime.client import PrimeService, age_s, tried
from grading.sandbox.prime.script import LOOK, parse_look
from grading.sandbox.prime.settings import PrimeSettings, labels_of, slot_label
from grading.sandbox.prime.slots import Slot

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
LOOK_TIMEOUT_S = 60.0
STARTING_S = 900.0  # a predecessor's sandbox that has not started after that long never will


@dataclass(eq=False)
class Place:
    """One sandbox of the service, and what is known to be in it."""

    id: str
    built: set[str] = field(default_factory=set)  # harnesses, by key
    sources: set[str] = field(default_factory=set)  # sources, by hash
    heard_at: float = field(default_factory=time.monotonic)  # when it last answered


class Places:
    """The source of one worker's sandboxes. To be made in the process that uses it."""

    def __init__(self, arch: str, settings: PrimeSettings) -> None:
        self.arch = arch
        self.settings = settings
        self.service = PrimeService()
        self.slot = Slot(arch)

    def open(self) -> Place:
        """A sandbox that runs and is what we need: the predecessor's, else a fresh one."""
        predecessor = self._predecessor()
        if predecessor is not None:
            with suppress(SandboxGone):
                return self._entered(predecessor)
        return self._entered(self._made())

    def give_up(self, sandbox_id: str) -> None:
        """Never use it again. Its deletion may fail: then the sweep ends it."""
        self.slot.give_up(sandbox_id)
        with suppress(Fault):
            self.service.delete(sandbox_id)

    def _predecessor(self) -> str | None:
        """The sandbox that this slot's last worker left, if it is of our settings. Others of the slot have nobody: they end."""
        wanted = set(labels_of(self.arch, self.settings, self.slot.name))
        found: str | None = None
        for box in self.service.active(slot_label(self.slot.name)):
            if found is None and wanted <= set(box.labels) and self._may_take(box):
                found = box.id
            else:
                with suppress(SandboxGone):
                    self.service.delete(box.id)
        return found

    def _may_take(self, box: Sandbox) -> bool:
        return box.id not in self.slot.given_up and (box.status == "RUNNING" or age_s(box) < STARTING_S)

    def _made(self) -> str:
        request = CreateSandboxRequest(
            name=f"arch-kernels-{self.slot.name}",
            docker_image=self.settings.image,
            checkpoint_id=None,
            arch="arm64" if self.arch == "arm64" else "amd64",
            cpu_cores=self.settings.cpu_cores,
            memory_gb=self.settings.memory_gb,
            disk_size_gb=self.settings.disk_gb,
            timeout_minutes=-1,  # no absolute lifetime: that would end a busy one
            idle_timeout_minutes=self.settings.idle_minutes,
            network_allowlist=[],  # no network
            labels=labels_of(self.arch, self.settings, self.slot.name),
            idempotency_key=uuid4().hex,
        )
        return self.service.create(request).id

    def _entered(self, sandbox_id: str) -> Place:
        """The sandbox, running and found to be what we need; given up otherwise."""
        self.slot.remember(sandbox_id)
        try:
            self.service.wait(sandbox_id)
            return self._look(sandbox_id)
        except Fault:
            self.give_up(sandbox_id)
            raise

    def _look(self, sandbox_id: str) -> Place:
        said = tried(lambda: parse_look(self.service.execute(sandbox_id, LOOK, LOOK_TIMEOUT_S).stdout))
        machine, compiler, version = (said.get(name, [""])[0] for name in ("machine", "compiler", "version"))
        image, promised = self.settings.image, gcc_of(self.settings.image)
        if machine != MACHINES[self.arch]:
            raise SandboxUnavailable(f"Prime gave {self.arch} a {machine or 'nameless'} machine: look at PRIME_IMAGE ({image})")
        if missing := said.get("missing"):
            raise SandboxUnavailable(f"the image {image} has no {', '.join(missing)}: look at PRIME_IMAGE")
        if not compiler or (promised and version.partition(".")[0] != promised):
            raise SandboxUnavailable(f"the image {image} has {compiler or 'a gcc that does not run'}: look at PRIME_IMAGE")
        return Place(sandbox_id, set(said.get("built", [])), set(said.get("sources", [])))


def gcc_of(image: str) -> str | None:
    """The major version that an image of the official `gcc` line promises, as in gcc:14 and gcc:14.2-bookworm."""
    name, _, tag = image.partition("@")[0].rpartition(":")
    major = tag.partition(".")[0].partition("-")[0]
    return major if name.rpartition("/")[2] == "gcc" and major.isdigit() else None

"""End the Prime sandboxes that nobody uses: of workers that did not come back, given up but not deleted, or never started.

The service ends idle sandboxes by itself; the sweep is for what that leaves, and sooner.
"""

from __future__ import annotations

from pathlib import Path

from prime_sandboxes import Sandbox

from grading.faults import SandboxGone
from grading.sandbox.prime.client import PrimeService, age_s
from grading.sandbox.prime.places import STARTING_S
from grading.sandbox.prime.settings import MARK, installation, installation_label
from grading.sandbox.prime.slots import if_free, path_of, read_slot

UNUSED_S = 600.0  # a worker that is started anew comes back sooner


def sweep(installation_name: str | None = None) -> list[str]:
    """End what is leaked of an installation (this one's by default). Returns the ids; raises Fault when the service cannot be
    asked."""
    service = PrimeService()
    boxes = list(service.active(installation_label(installation_name or installation())))
    return [box.id for box in boxes if MARK in box.labels and _end_if_leaked(service, box)]


def _end_if_leaked(service: PrimeService, box: Sandbox) -> bool:
    path = _slot_of(box)
    if path is None:  # another checkout's: its own sweep, or the service's idle timeout, ends it once it runs
        return box.status != "RUNNING" and age_s(box) > 4 * STARTING_S and _end(service, box)
    with if_free(path) as unused_s:
        if unused_s is not None:  # no worker
            return min(unused_s, age_s(box)) > UNUSED_S and _end(service, box)
        in_use, given_up = read_slot(path)
        is_leaked = box.id in given_up or (box.id != in_use and age_s(box) > STARTING_S)
        return is_leaked and _end(service, box)


def _slot_of(box: Sandbox) -> Path | None:
    names = [label.removeprefix("slot-") for label in box.labels if label.startswith("slot-")]
    return path_of(names[0]) if names else None


def _end(service: PrimeService, box: Sandbox) -> bool:
    try:
        service.delete(box.id)
    except SandboxGone:
        return False  # the next sweep tries again
    return True

"""Where a result was measured: facts of the machine inside a sandbox, asked for once."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from grading.driver import parse_object
from grading.faults import HarnessBroken
from grading.sandbox.base import Sandbox
from grading.text import clean

DESCRIBE_TIMEOUT_S = 60.0
FIELDS = (
    "arch",
    "cpu_model",
    "vcpus",
    "memory_mb",
    "kernel_release",
    "compiler",
    "libc",
    "page_size_bytes",
    "huge_pages",
    "flags",
)

_known: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def machine_facts(sandbox: Sandbox, harness: str) -> dict[str, Any]:
    """What `describe` of the harness says inside, and what the backend says of itself. A machine of another architecture is a
    fault."""
    place = getattr(sandbox, "place", sandbox)  # a backend that may replace the machine behind it says which one it is
    facts = _known.get(place)
    if facts is None:
        raw = parse_object(sandbox.run([f"{harness}/describe"], DESCRIBE_TIMEOUT_S), "the harness' describe")
        facts = {name: _plain(raw.get(name)) for name in FIELDS}
        if facts["arch"] != sandbox.arch and not sandbox.emulated:
            raise HarnessBroken(f"the sandbox for {sandbox.arch} is {facts['arch']} inside")
        facts["defences"] = {clean(str(name), 40): value is True for name, value in (raw.get("defences") or {}).items()}
        facts |= {"arch": sandbox.arch, "emulated": sandbox.emulated} | sandbox.describe()
        _known[place] = facts
    return dict(facts)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value, 500)
    return value if isinstance(value, int | float | None) else None

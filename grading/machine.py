"""Where a result was measured: facts of the machine inside a sandbox, asked for once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from grading.driver import parse_object
from grading.faults import HarnessBroken
from grading.sandbox.base import Sandbox
from grading.text import clean
from grading.typed import amount, number, table, text

DESCRIBE_TIMEOUT_S = 60.0
COUNT_LIMIT = 2**31  # of the database's columns


def _words(value: Any) -> str:
    return clean(text(value), 500)


def _count(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= number(value) < COUNT_LIMIT:
        raise ValueError(f"{str(value)[:40]} is no count")
    return value


FIELDS: dict[str, Callable[[Any], Any]] = {
    "arch": _words,
    "cpu_model": _words,
    "vcpus": _count,
    "memory_mb": amount,
    "kernel_release": _words,
    "compiler": _words,
    "libc": _words,
    "page_size_bytes": _count,
    "huge_pages": _words,
    "flags": _words,
    "memory_resolution_mb": amount,
}

_known: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def machine_facts(sandbox: Sandbox, harness: str) -> dict[str, Any]:
    """What `describe` of the harness says inside, and what the backend says of itself. A machine of another architecture is a
    fault."""
    place = getattr(sandbox, "place", sandbox)  # a backend that may replace the machine behind it says which one it is
    facts = _known.get(place)
    if facts is None:
        raw = parse_object(sandbox.run([f"{harness}/describe"], DESCRIBE_TIMEOUT_S), "the harness' describe")
        try:
            facts = {name: None if raw.get(name) is None else parse(raw[name]) for name, parse in FIELDS.items()}
            defences = {clean(name, 40): value is True for name, value in table(raw.get("defences")).items()}
        except ValueError as error:
            raise HarnessBroken(f"the harness describes a machine that cannot be: {clean(str(error), 200)}") from error
        if facts["arch"] != sandbox.arch and not sandbox.emulated:
            raise HarnessBroken(f"the sandbox for {sandbox.arch} is {facts['arch']} inside")
        facts |= {"defences": defences, "arch": sandbox.arch, "emulated": sandbox.emulated} | sandbox.describe()
        _known[place] = facts
    return dict(facts)

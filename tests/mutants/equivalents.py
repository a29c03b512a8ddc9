"""equivalent.toml: the mutants that no test can kill, each with a sentence why."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutator import Mutant

FILE = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Equivalent:
    kernel: str
    source: str
    why: str
    mutants: frozenset[str]  # Mutant.name of each


def load(path: Path = FILE) -> list[Equivalent]:
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    found = [Equivalent(entry["kernel"], entry["source"], entry["why"], frozenset(entry["mutants"])) for entry in entries]
    for entry in found:
        if not entry.why.endswith(".") or " " not in entry.why or not entry.mutants:
            raise ValueError(f"{path.name}: {entry.kernel}/{entry.source}: `why` is a sentence, and `mutants` names at least one")
    return found


def split(
    survivors: Iterable[Mutant], entries: Iterable[Equivalent], kernel: str, source: str
) -> tuple[list[Mutant], list[Mutant], list[str]]:
    """The survivors that have a sentence, those that have none, and what is listed but survived nowhere (stale)."""
    listed = {name for entry in entries if (entry.kernel, entry.source) == (kernel, source) for name in entry.mutants}
    explained, bare = [], []
    for mutant in survivors:
        (explained if mutant.name in listed else bare).append(mutant)
    return explained, bare, sorted(listed - {mutant.name for mutant in explained})

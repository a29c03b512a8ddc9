"""KernelSpec: what kernel.toml and its folder say of one kernel."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INCLUDE = Path(__file__).resolve().parent / "include"
HEADER = INCLUDE / "kernel.h"
SCORED = Path(__file__).resolve().parent / "scored.md"  # for {scored} in a prompt: how every answer is scored
FILES = ("kernel.toml", "prompt.md", "reference.c", "tuned.c", "bench.c")
HASHED = ("kernel.toml", "reference.c", "bench.c")  # what a measurement depends on; prompts and baselines' code do not change it
DEFAULT_SUITE = "arch-kernels-v1"  # of a kernel that names none; what pages and commands show where no other is asked for
SUITE = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")  # it stands in addresses
LIMITS = {"read_bandwidth": "bytes", "copy_bandwidth": "bytes", "fma_f32": "FLOP"}


class SpecError(ValueError):
    """A kernel's folder is incomplete or its kernel.toml is wrong; says which file and what to do."""


@dataclass(frozen=True, kw_only=True)
class MachineLimit:
    """The machine's own limit that bounds the kernel: per_unit bytes (bandwidths) or FLOP (fma_f32) for each unit of work."""

    kind: str
    per_unit: float


@dataclass(frozen=True, kw_only=True)
class KernelSpec:
    """One kernel: names, limits, benchmark and where its files are."""

    name: str
    title: str
    summary: str
    unit: str
    measurement: int
    signature: str
    memory_limit_mb: float
    position: int
    benchmark_description: str
    benchmark_size: int
    rounds: int
    processes: int
    limit: MachineLimit | None
    folder: Path
    suite: str = DEFAULT_SUITE  # kernels that are scored together: no mean is taken over two suites

    @property
    def entry(self) -> str:
        """The name of the function an answer defines."""
        match = re.search(r"(\w+)\s*\(", self.signature)
        assert match, self.signature  # checked by load_spec
        return match.group(1)

    @property
    def prompt(self) -> str:
        text = (self.folder / "prompt.md").read_text(encoding="utf-8")
        return text.replace("{scored}\n", SCORED.read_text(encoding="utf-8"))

    @property
    def reference_source(self) -> str:
        return (self.folder / "reference.c").read_text(encoding="utf-8")

    @property
    def tuned_source(self) -> str:
        return (self.folder / "tuned.c").read_text(encoding="utf-8")

    @property
    def content_hash(self) -> str:
        """sha256 (hex) of everything in the folder that a measurement depends on, and of the headers it is written against."""
        digest = hashlib.sha256()
        for path in [*(self.folder / name for name in HASHED), *sorted(INCLUDE.glob("*.h"))]:
            data = path.read_bytes()
            digest.update(f"{path.name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()


BASELINES: dict[str, Callable[[KernelSpec], str]] = {  # the sources that every kernel brings along, by the name of their model
    "naive": lambda kernel: kernel.reference_source,
    "tuned": lambda kernel: kernel.tuned_source,
}


def load_spec(folder: Path) -> KernelSpec:
    """Read kernels/<name>/; raise SpecError naming the file and the field when something is missing or of the wrong kind."""
    for name in FILES:
        if not (folder / name).is_file():
            raise SpecError(f"{folder / name} is missing: a kernel's folder holds {', '.join(FILES)}")
    path = folder / "kernel.toml"
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{path}: {error}") from error
    read = _Reader(path, raw)
    bench = _Reader(path, read.get("benchmark", dict), "benchmark.")
    limit = raw.get("limit")
    spec = KernelSpec(
        name=folder.name,
        title=read.get("title", str),
        summary=read.get("summary", str),
        unit=read.get("unit", str),
        measurement=read.get("measurement", int),
        signature=read.get("signature", str),
        memory_limit_mb=float(read.get("memory_limit_mb", int, float)),
        position=read.get("position", int),
        suite=read.get("suite", str, default=DEFAULT_SUITE),
        benchmark_description=bench.get("description", str),
        benchmark_size=bench.get("size", int),
        rounds=bench.get("rounds", int),
        processes=bench.get("processes", int),
        limit=None if limit is None else _limit(_Reader(path, limit, "limit.")),
        folder=folder,
    )
    if not re.search(rf"\b{re.escape(spec.name)}\s*\(", spec.signature):
        raise SpecError(f"{path}: signature must declare {spec.name}()")
    if not SUITE.fullmatch(spec.suite):
        raise SpecError(f"{path}: suite is a name of lower-case letters, digits, dots and dashes, not {spec.suite!r}")
    if spec.rounds < 5 or not 1 <= spec.processes <= spec.rounds:
        raise SpecError(f"{path}: benchmark.rounds is 5 at least, benchmark.processes between 1 and rounds")
    return spec


@dataclass(frozen=True)
class _Reader:
    path: Path
    table: dict[str, Any]
    prefix: str = ""

    def get(self, key: str, *kinds: type, default: Any = None) -> Any:
        value = self.table.get(key, default)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise SpecError(f"{self.path}: {self.prefix}{key} must be {' or '.join(k.__name__ for k in kinds)}, not {value!r}")
        return value


def _limit(read: _Reader) -> MachineLimit:
    kind = read.get("kind", str)
    if kind not in LIMITS:
        raise SpecError(f"{read.path}: limit.kind must be one of {', '.join(LIMITS)}, not {kind!r}")
    return MachineLimit(kind=kind, per_unit=float(read.get("per_unit", int, float)))

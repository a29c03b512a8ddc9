"""Every folder beside this file that holds a kernel.toml is a kernel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kernels.spec import KernelSpec, load_spec

ROOT = Path(__file__).resolve().parent


class UnknownKernel(ValueError):
    """No kernel of that name; says which there are."""


@cache
def load_catalog() -> dict[str, KernelSpec]:
    """All kernels by name, in the order of their position. Read once per process."""
    specs = [load_spec(path.parent) for path in ROOT.glob("*/kernel.toml")]
    return {spec.name: spec for spec in sorted(specs, key=lambda spec: (spec.position, spec.name))}


def get_kernel(name: str) -> KernelSpec:
    """The kernel of that exact name; UnknownKernel otherwise."""
    catalog = load_catalog()
    if name not in catalog:
        raise UnknownKernel(f"no kernel {name!r}; there are: {', '.join(catalog)}")
    return catalog[name]

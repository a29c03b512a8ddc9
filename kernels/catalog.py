"""Every folder beside this file that holds a kernel.toml is a kernel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from kernels.spec import DEFAULT_SUITE, KernelSpec, load_spec

ROOT = Path(__file__).resolve().parent


class UnknownKernel(ValueError):
    """No kernel of that name; says which there are."""


class BadSuite(ValueError):
    """There is no suite of that name, or kernels of two suites would go into one mean; the message lists what there is."""


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


def suites() -> list[str]:
    """The names of all suites, in the order of their first kernels."""
    return list(dict.fromkeys(spec.suite for spec in load_catalog().values()))


def of_suite(suite: str = DEFAULT_SUITE) -> dict[str, KernelSpec]:
    """The kernels of one suite by name, in the order of their position; BadSuite if there is none of that name."""
    found = {name: spec for name, spec in load_catalog().items() if spec.suite == suite}
    if not found and suite != DEFAULT_SUITE:
        raise BadSuite(f"no suite {suite!r}; there are: {', '.join(suites())}")
    return found


def choose(names: Iterable[str] = (), suite: str = "") -> dict[str, KernelSpec]:
    """These kernels, all of one suite, in the order of their position; without names the whole suite.

    An empty `suite` means the suite of the named kernels; without names, the default one. Raises UnknownKernel, BadSuite.
    """
    named = {name: get_kernel(name) for name in names}
    if not named:
        return of_suite(suite or DEFAULT_SUITE)
    known = of_suite(suite or next(iter(named.values())).suite)
    if others := [spec for spec in named.values() if spec.name not in known]:
        first = others[0]
        raise BadSuite(
            f"{first.name} is in the suite {first.suite}, not in {next(iter(known.values())).suite}: choose kernels of one suite"
        )
    return {name: spec for name, spec in known.items() if name in named}

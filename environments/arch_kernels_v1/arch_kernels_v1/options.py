"""Which kernels a run is about."""

from __future__ import annotations

from collections.abc import Iterable

from arch_kernels_v1.kernels_import import DEFAULT_SUITE, choose, load_catalog, of_suite


def all_kernels(suite: str = DEFAULT_SUITE) -> list[str]:
    """Those of one suite, in the site's order. Raises ValueError naming the suites there are."""
    return list(of_suite(suite))


def in_one_suite(names: list[str], suite: str) -> list[str]:
    """The names as they are. Raises ValueError where one is not of the suite: a reward's mean is over one suite."""
    choose(names, suite)
    return names


def chosen_kernels(asked: object) -> list[str]:
    """The names asked for, once each: a list, or text with commas or blanks between. Raises ValueError naming those there are."""
    parts: Iterable[object] = asked if isinstance(asked, list | tuple | set) else [asked]
    names = [name for part in parts for name in _split(part)]
    known = list(load_catalog())
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no kernel {', '.join(map(repr, unknown))}; there are: {', '.join(known)}")
    if not names:
        raise ValueError(f"no kernel is named; there are: {', '.join(known)} (leave the option out for all)")
    return list(dict.fromkeys(names))


def _split(part: object) -> list[str]:
    if not isinstance(part, str):
        raise ValueError(f"kernels are given by name, not as {part!r}")
    return part.replace(",", " ").split()

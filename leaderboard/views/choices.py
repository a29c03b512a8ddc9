"""Selectors as links: they work without a script, and each is a permalink."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from leaderboard.board.selection import Selection
from leaderboard.models import Kernel


def choices(selection: Selection, name: str, labels: Mapping[Any, str]) -> list[dict[str, Any]]:
    """One link per value of the parameter `name`; labels: {value: what readers see}."""
    current = getattr(selection, name)
    return [{"label": label, "query": selection.query(**{name: key}), "chosen": key == current} for key, label in labels.items()]


def suite_choices(selection: Selection, kernels: Iterable[Kernel]) -> list[dict[str, Any]]:
    """One link per suite that has one of these kernels; none where there is nothing to choose."""
    ordered = sorted(kernels, key=lambda kernel: (kernel.position, kernel.name))
    suites = {kernel.suite: kernel.suite for kernel in ordered if not kernel.retired}
    return choices(replace(selection, kernels=()), "suite", suites) if len(suites) > 1 else []

"""A table that is shown and exported: its columns, with what they mean, and its rows. Its formats are in formats.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple


class Column(NamedTuple):
    """A column: its name in every export, its value of a row, what it means, and number, int, text, bool or time."""

    name: str
    value: Callable[[Any], Any]
    meaning: str
    kind: str = "number"


@dataclass(frozen=True, kw_only=True)
class Table:
    """rows is read once. meta says when, of what and with which filters it was made (exports.meta)."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Iterable[Any]
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def header(self) -> list[str]:
        return [column.name for column in self.columns]

    def only(self, names: Sequence[str]) -> Table:
        """The table with these columns only, in its own order. Raises KeyError for a column that it does not have."""
        missing = set(names) - set(self.header)
        if missing:
            raise KeyError(f"{self.name} has no column {min(missing)}; it has {', '.join(self.header)}")
        return replace(self, columns=[column for column in self.columns if column.name in names])

    def values(self) -> Iterable[list[Any]]:
        return ([column.value(row) for column in self.columns] for row in self.rows)

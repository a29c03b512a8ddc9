"""The registry of bundle formats: one module and one line here per format. All that depends on formats is derived from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from leaderboard.bundles.formats.base import FileFormat, Format, Row, RowFormat
from leaderboard.bundles.formats.c_files import CFiles
from leaderboard.bundles.formats.episodes import Episodes
from leaderboard.bundles.formats.plain_lines import Lines
from leaderboard.bundles.formats.traces import Traces
from leaderboard.bundles.formats.vf_eval_v0 import Results


@dataclass(frozen=True)
class Registry:
    """The formats in their order: the first that takes a row reads it."""

    formats: tuple[Format, ...]

    def of_file(self, name: str) -> FileFormat | None:
        """The format of the file as a whole; None for a file of lines, each of which is recognised by itself."""
        name = name.lower()
        return next((one for one in self.formats if isinstance(one, FileFormat) and name.endswith(one.suffixes)), None)

    def of_row(self, row: Row) -> RowFormat | None:
        return next((one for one in self._of_rows if one.takes(row)), None)

    def wants(self, name: str) -> bool:
        """Whether a file of that name may hold answers."""
        return name.lower().endswith(self._suffixes)

    @cached_property
    def configs(self) -> tuple[str, ...]:
        """Where a run's configuration may lie, from the folder of its rows; the newest writer's place first."""
        return tuple(dict.fromkeys(place for one in self.formats for place in one.configs))

    @cached_property
    def config_names(self) -> frozenset[str]:
        return frozenset(place.rpartition("/")[2] for place in self.configs)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """What people may upload, in their words."""
        return tuple(dict.fromkeys(one.files for one in self.formats))

    @cached_property
    def usual_suffixes(self) -> tuple[str, ...]:
        """One for each kind of file, for sentences."""
        return tuple(dict.fromkeys(one.suffixes[0] for one in self.formats))

    @cached_property
    def _suffixes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(suffix for one in self.formats for suffix in one.suffixes))

    @cached_property
    def _of_rows(self) -> tuple[RowFormat, ...]:
        return tuple(one for one in self.formats if isinstance(one, RowFormat))


FORMATS = Registry((Episodes(), Traces(), Results(), Lines(), CFiles()))
NO_FILE = f"{' and '.join(f'no {suffix}' for suffix in FORMATS.usual_suffixes)} file"

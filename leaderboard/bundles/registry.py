"""The formats there are: a module each, and a line here. The first that takes a row reads it."""

from __future__ import annotations

from leaderboard.bundles.formats.base import Reader
from leaderboard.bundles.formats.episodes import Episodes
from leaderboard.bundles.formats.lines import Lines
from leaderboard.bundles.formats.results import Results
from leaderboard.bundles.formats.traces import Traces

READERS: tuple[Reader, ...] = (Episodes(), Traces(), Results(), Lines())

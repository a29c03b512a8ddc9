"""Exports: one table of columns each. New columns go at the end; tests hold names and order against the contract.

Rules of the CSV: UTF-8, a header, one line feed a row; booleans are 1 and 0, null is an empty cell, times are UTC in ISO 8601,
numbers keep full precision; a text that a spreadsheet would run as a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from leaderboard.board import Row, board_rows
from leaderboard.models import BundleEntry, Result
from leaderboard.selection import Selection

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
ROWS_A_CHUNK = 1000
FETCHED_AT_ONCE = 5000


@dataclass(frozen=True)
class LeaderboardColumn:
    """A column of leaderboard.csv: its name, its value, what it means."""

    name: str
    value: Callable[[Row], Any]
    meaning: str


@dataclass(frozen=True)
class ResultColumn:
    """A column of results.csv: its name, the field of Result it is read from, what it means."""

    name: str
    field: str
    meaning: str


def _fast_column(p: float) -> LeaderboardColumn:
    meaning = f"share of all answers that pass with a speedup of at least {p:g}"
    return LeaderboardColumn(f"fast_{p:g}", lambda r: r.summary.fast_at(p).value, meaning)


LEADERBOARD_COLUMNS = (
    LeaderboardColumn("model", lambda r: r.model.name, "the exact name in the runs"),
    LeaderboardColumn("kind", lambda r: r.model.kind, "llm or baseline"),
    LeaderboardColumn("arch", lambda r: r.arch, "amd64 or arm64"),
    LeaderboardColumn("answers", lambda r: r.summary.answers, "answers that count"),
    LeaderboardColumn("passed", lambda r: r.summary.passed, "of them, passed"),
    LeaderboardColumn("pass_rate", lambda r: r.summary.pass_rate.value, "passed / answers"),
    LeaderboardColumn("pass_rate_low", lambda r: r.summary.pass_rate.low, "95 % interval (Wilson)"),
    LeaderboardColumn("pass_rate_high", lambda r: r.summary.pass_rate.high, "95 % interval (Wilson)"),
    LeaderboardColumn("score", lambda r: r.summary.score.value, "mean over kernels of the mean kernel_score over answers"),
    LeaderboardColumn("score_low", lambda r: r.summary.score.low, "95 % interval; empty where there is none"),
    LeaderboardColumn("score_high", lambda r: r.summary.score.high, "95 % interval; empty where there is none"),
    LeaderboardColumn("speedup_geomean", lambda r: r.summary.speedup.value, "geometric mean over passed answers"),
    LeaderboardColumn("speedup_low", lambda r: r.summary.speedup.low, "95 % interval; empty where there is none"),
    LeaderboardColumn("speedup_high", lambda r: r.summary.speedup.high, "95 % interval; empty where there is none"),
    LeaderboardColumn(
        "extra_mb_geomean", lambda r: r.summary.extra_mb, "MiB, geometric mean over passed answers, one page at least"
    ),
    LeaderboardColumn("extra_share_of_limit", lambda r: r.summary.extra_share, "extra_mb / the kernel's limit, likewise"),
    LeaderboardColumn("rank_low", lambda r: r.rank[0] if r.rank else None, "1 + models surely better; empty for baselines"),
    LeaderboardColumn("rank_high", lambda r: r.rank[1] if r.rank else None, "models that are not surely worse, itself included"),
    LeaderboardColumn("kernels", lambda r: r.summary.kernels, "kernels with an answer that counts; the others are left out"),
    LeaderboardColumn(
        "speedup_failures_1x",
        lambda r: r.summary.speedup_all.value,
        "over all answers, a failed one as 1",
    ),
    LeaderboardColumn("speedup_failures_1x_low", lambda r: r.summary.speedup_all.low, "95 % interval; empty where there is none"),
    LeaderboardColumn(
        "speedup_failures_1x_high", lambda r: r.summary.speedup_all.high, "95 % interval; empty where there is none"
    ),
    LeaderboardColumn("extra_mb_low", lambda r: r.summary.extra.low, "95 % interval; empty where there is none"),
    LeaderboardColumn("extra_mb_high", lambda r: r.summary.extra.high, "95 % interval; empty where there is none"),
    LeaderboardColumn(
        "extra_share_of_reference", lambda r: r.summary.share_of_reference.value, "extra_mb / the reference's, likewise"
    ),
    LeaderboardColumn("throughput_geomean_m", lambda r: r.summary.throughput.value, "millions of units a second, passed answers"),
    *(_fast_column(p) for p in (1.0, 2.0, 4.0, 8.0)),
)

RESULT_COLUMNS = (
    ResultColumn("submission", "submission__uid", "the answer's public id: /submissions/<id>/"),
    ResultColumn("model", "model__name", "the exact name in the runs"),
    ResultColumn("kind", "model__kind", "llm or baseline"),
    ResultColumn("kernel", "kernel__name", "the kernel answered"),
    ResultColumn("kernel_version", "kernel_version", "measurement + hash, as it was when graded"),
    ResultColumn("arch", "arch", "amd64 or arm64"),
    ResultColumn("rollout", "submission__rollout", "which of the model's answers to the kernel"),
    ResultColumn("verdict", "verdict", "see /methodology/"),
    ResultColumn("answer_parsed", "answer_parsed", "the reply held C source"),
    ResultColumn("compiled", "compiled", "gcc accepted it; empty where it did not come to that"),
    ResultColumn("correct", "correct", "every result was right; empty where it did not come to that"),
    ResultColumn("within_memory", "within_memory", "extra_mb was within the kernel's limit"),
    ResultColumn("passed", "passed", "the verdict is passed"),
    ResultColumn("kernel_score", "kernel_score", "0 to 1; empty for emulated runs and faults of ours"),
    ResultColumn("speedup", "speedup", "ref_ms / sol_ms; empty unless passed"),
    ResultColumn("speedup_low", "speedup_low", "95 % bootstrap interval of this answer's rounds"),
    ResultColumn("speedup_high", "speedup_high", "95 % bootstrap interval of this answer's rounds"),
    ResultColumn("sol_ms", "sol_ms", "median time of the answer"),
    ResultColumn("ref_ms", "ref_ms", "median time of the reference, interleaved on the same inputs"),
    ResultColumn("throughput_m", "throughput_m", "millions of the kernel's units per second"),
    ResultColumn("extra_mb", "extra_mb", "MiB by which calling the answer raised peak resident memory"),
    ResultColumn("peak_mb", "peak_mb", "MiB of the whole process's peak, inputs included"),
    ResultColumn("emulated", "emulated", "measured under emulation: not a time to compare"),
    ResultColumn("sandbox", "sandbox", "what it ran in"),
    ResultColumn("machine", "machine__uid", "the machine's id: /machines/"),
    ResultColumn("cpu_model", "machine__cpu_model", "as the machine names it"),
    ResultColumn("compiler", "machine__compiler", "gcc's version"),
    ResultColumn("bundle", "bundle", "id of the first public bundle that brought the answer; empty for baselines"),
    ResultColumn("graded_at", "graded_at", "when it was graded, UTC"),
    ResultColumn("source_sha256", "submission__source_sha256", "of the C source; empty without one"),
)


def leaderboard_csv(selection: Selection) -> Iterator[str]:
    """One row per model and architecture, as the leaderboard shows it."""
    rows = ([column.value(row) for column in LEADERBOARD_COLUMNS] for row in board_rows(selection))
    return write_csv([column.name for column in LEADERBOARD_COLUMNS], rows)


def results_csv(selection: Selection, *, history: bool = False) -> Iterator[str]:
    """One row per current public result; with history every public one that was ever recorded."""
    rows = result_rows(selection, history=history).iterator(FETCHED_AT_ONCE)
    return write_csv([column.name for column in RESULT_COLUMNS], rows)


def result_rows(selection: Selection, *, history: bool = False) -> QuerySet[Result, tuple[Any, ...]]:
    """The values of RESULT_COLUMNS. Reads no more rows at a time than it needs."""
    public = BundleEntry.objects.filter(submission=OuterRef("submission"), bundle__public=True).order_by("bundle_id")
    results = Result.objects.public().done() if history else Result.objects.public().current()
    results = results.filter(selection.filters).annotate(bundle=Subquery(public.values("bundle__uid")[:1]))
    return results.order_by("id").values_list(*(column.field for column in RESULT_COLUMNS))


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """CSV text in chunks of a thousand rows: one row a chunk takes five times as long to send."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    careful = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    for number, row in enumerate(rows, 1):
        cells = [cell(value) for value in row]
        # Lines end in \n here, so that the writer does not see that a lone \r has to be quoted, too.
        (careful if any("\r" in text for text in cells) else writer).writerow(cells)
        if number % ROWS_A_CHUNK == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def cell(value: Any) -> str:
    """A value as the rules above want it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text

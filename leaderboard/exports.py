"""What can be exported: one table of columns each. New columns go at the end; tests hold names and order against the contract.

A further table is a function from a selection to a Table and a line in TABLES: addresses, formats, `manage.py export`, the data
dictionary and the snapshot have it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, OuterRef, QuerySet, Subquery, Value, When

from grading.version import HARNESS_MEASUREMENT
from leaderboard.board import board_rows
from leaderboard.formats import csv_text
from leaderboard.marks import CONDITIONS
from leaderboard.models import BundleEntry, Kernel, Result
from leaderboard.pairs import pairs
from leaderboard.pairwise import compare
from leaderboard.selection import Selection
from leaderboard.tables import Column, Table

FETCHED_AT_ONCE = 5000


class ResultColumn(NamedTuple):
    """A column of results.csv: its name, the field of Result it is read from, what it means."""

    name: str
    field: str
    meaning: str


def _fast_column(p: float) -> Column:
    meaning = f"share of all answers that pass with a speedup of at least {p:g}"
    return Column(f"fast_{p:g}", lambda r: r.summary.fast_at(p).value, meaning)


LEADERBOARD_COLUMNS = (
    Column("model", lambda r: r.model.name, "the exact name in the runs"),
    Column("kind", lambda r: r.model.kind, "llm or baseline"),
    Column("arch", lambda r: r.arch, "amd64 or arm64"),
    Column("answers", lambda r: r.summary.answers, "answers that count"),
    Column("passed", lambda r: r.summary.passed, "of them, passed"),
    Column("pass_rate", lambda r: r.summary.pass_rate.value, "passed / answers"),
    Column("pass_rate_low", lambda r: r.summary.pass_rate.low, "95 % interval (Wilson)"),
    Column("pass_rate_high", lambda r: r.summary.pass_rate.high, "95 % interval (Wilson)"),
    Column("score", lambda r: r.summary.score.value, "mean over kernels of the mean kernel_score over answers"),
    Column("score_low", lambda r: r.summary.score.low, "95 % interval; empty where there is none"),
    Column("score_high", lambda r: r.summary.score.high, "95 % interval; empty where there is none"),
    Column("speedup_geomean", lambda r: r.summary.speedup.value, "geometric mean over passed answers"),
    Column("speedup_low", lambda r: r.summary.speedup.low, "95 % interval; empty where there is none"),
    Column("speedup_high", lambda r: r.summary.speedup.high, "95 % interval; empty where there is none"),
    Column("extra_mb_geomean", lambda r: r.summary.extra_mb, "MiB, geometric mean over passed answers, one page at least"),
    Column("extra_share_of_limit", lambda r: r.summary.extra_share, "extra_mb / the kernel's limit, likewise"),
    Column("rank_low", lambda r: r.rank[0] if r.rank else None, "1 + models surely better; empty for baselines"),
    Column("rank_high", lambda r: r.rank[1] if r.rank else None, "models that are not surely worse, itself included"),
    Column("kernels", lambda r: r.summary.kernels, "kernels with an answer that counts; the others are left out"),
    Column(
        "speedup_failures_1x",
        lambda r: r.summary.speedup_all.value,
        "over all answers, a failed one as 1",
    ),
    Column("speedup_failures_1x_low", lambda r: r.summary.speedup_all.low, "95 % interval; empty where there is none"),
    Column("speedup_failures_1x_high", lambda r: r.summary.speedup_all.high, "95 % interval; empty where there is none"),
    Column("extra_mb_low", lambda r: r.summary.extra.low, "95 % interval; empty where there is none"),
    Column("extra_mb_high", lambda r: r.summary.extra.high, "95 % interval; empty where there is none"),
    Column("extra_share_of_reference", lambda r: r.summary.share_of_reference.value, "extra_mb / the reference's, likewise"),
    Column("throughput_geomean_m", lambda r: r.summary.throughput.value, "millions of units a second, passed answers"),
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
    ResultColumn("flagged", "flagged", "too good to be counted before a person has looked"),
    ResultColumn("invalidated", "invalidated", "declared invalid by a person: never current"),
    ResultColumn("outdated", "outdated", "of an earlier measurement: counts in no summary"),
)


SAMPLE_COLUMNS = (
    Column("submission", lambda s: s[0], "the answer's public id: /submissions/<id>/", "text"),
    Column("arch", lambda s: s[1], "amd64 or arm64", "text"),
    Column("round", lambda s: s[2], "counted round of this grading, from 0", "int"),
    Column("process", lambda s: s[3], "set of processes it was measured in, from 0; empty where unknown", "int"),
    Column("answer_ns", lambda s: s[4], "CPU time of one call of the answer, an empty call's subtracted"),
    Column("reference_ns", lambda s: s[5], "the same of the reference, on the same inputs"),
)


def leaderboard_table(selection: Selection) -> Table:
    """One row per model and architecture, as the leaderboard shows it."""
    return _table("leaderboard", "Models by architecture", LEADERBOARD_COLUMNS, board_rows(selection), selection)


def results_table(selection: Selection, *, history: bool = False) -> Table:
    """One row per current public result; with history every public one that was ever recorded."""
    columns = [Column(c.name, itemgetter(i), c.meaning, kind_of(c.field)) for i, c in enumerate(RESULT_COLUMNS)]
    rows = result_rows(selection, history=history).iterator(FETCHED_AT_ONCE)
    return _table("results", "Every result", columns, rows, selection, history=history)


def samples_table(selection: Selection) -> Table:
    """Every counted round of every current public result that was timed."""
    results = (
        Result.objects.public()
        .current()
        .filter(selection.filters)
        .filter(selection.unhidden)
        .exclude(samples=None)
        .order_by("id")
    )
    found = results.values_list("submission__uid", "arch", "samples").iterator(FETCHED_AT_ONCE // 10)
    return _table("samples", "Every counted round", SAMPLE_COLUMNS, _rounds(found), selection)


def architectures_table(selection: Selection) -> Table:
    """One row per model and kernel, and one per model over all of them."""
    rows = [
        (ratios.model, kernel, own)
        for ratios in pairs(selection).models
        for kernel, own in [("all", ratios.overall), *sorted(ratios.kernels.items())]
    ]
    return _table("architectures", "The same answers on amd64 and arm64", ARCHITECTURE_COLUMNS, rows, selection)


def compare_table(selection: Selection) -> Table:
    """Two models on what both answered: one row per architecture and kernel, and one over all kernels. Others: no rows."""
    rows: list[tuple[Any, ...]] = []
    if len(selection.models) == 2:
        a, b = selection.models
        for own in compare(a, b, selection):
            rows.append((a, b, own.arch, "all", None, own.overall))
            rows += [(a, b, own.arch, pair.kernel, pair, pair.differences) for pair in own.kernels]
    return _table("compare", "Two models on what both answered", COMPARE_COLUMNS, rows, selection)


TABLES: dict[str, Callable[[Selection], Table]] = {
    "leaderboard": leaderboard_table,
    "results": results_table,
    "samples": samples_table,
    "architectures": architectures_table,
    "compare": compare_table,
}
ARCHITECTURE_COLUMNS = (
    Column("model", lambda r: r[0].name, "the exact name in the runs", "text"),
    Column("kind", lambda r: r[0].kind, "llm or baseline", "text"),
    Column("kernel", lambda r: r[1], "the kernel, or all", "text"),
    Column("answers_on_both", lambda r: r[2].pairs, "answers that passed on both architectures, natively measured", "int"),
    Column(
        "throughput_amd64_m", lambda r: _unless_all(r, r[2].amd64), "geometric mean, millions of units a second; empty for all"
    ),
    Column(
        "throughput_arm64_m", lambda r: _unless_all(r, r[2].arm64), "geometric mean, millions of units a second; empty for all"
    ),
    Column("throughput_ratio", lambda r: r[2].throughput.value, "arm64 / amd64, geometric mean over the answers"),
    Column("throughput_ratio_low", lambda r: r[2].throughput.low, "95 % interval; empty where there is none"),
    Column("throughput_ratio_high", lambda r: r[2].throughput.high, "95 % interval; empty where there is none"),
    Column("memory_ratio", lambda r: r[2].memory.value, "arm64 / amd64 of extra memory, one page at least"),
    Column("memory_ratio_low", lambda r: r[2].memory.low, "95 % interval; empty where there is none"),
    Column("memory_ratio_high", lambda r: r[2].memory.high, "95 % interval; empty where there is none"),
)


def _unless_all(row: Any, value: float | None) -> float | None:
    """Units differ between kernels: a mean over all of them means nothing by itself."""
    return None if row[1] == "all" else value


def _difference_columns(name: str, attribute: str, meaning: str) -> tuple[Column, ...]:
    interval = "95 % interval; empty where there is none"
    return (
        Column(name, lambda r: getattr(r[5], attribute).value, meaning),
        Column(f"{name}_low", lambda r: getattr(r[5], attribute).low, interval),
        Column(f"{name}_high", lambda r: getattr(r[5], attribute).high, interval),
    )


COMPARE_COLUMNS = (
    Column("model_a", lambda r: r[0].name, "the first model", "text"),
    Column("model_b", lambda r: r[1].name, "the second model", "text"),
    Column("arch", lambda r: r[2], "amd64 or arm64", "text"),
    Column("kernel", lambda r: r[3], "the kernel, or all that both answered", "text"),
    Column("outcome", lambda r: r[5].outcome, "of the first, in score: win, tie or loss", "text"),
    Column("score_a", lambda r: r[4] and r[4].scores[0], "mean score of the first; empty for all"),
    Column("score_b", lambda r: r[4] and r[4].scores[1], "mean score of the second; empty for all"),
    *_difference_columns("score_difference", "score", "first less second, mean over kernels"),
    *_difference_columns("pass_rate_difference", "pass_rate", "first less second, mean over kernels"),
    *_difference_columns("speedup_ratio", "speedup", "first / second, passed answers, geometric mean over kernels"),
    *_difference_columns("memory_ratio", "memory", "first / second, likewise"),
)


COLUMNS: dict[str, Sequence[Column | ResultColumn]] = {
    "leaderboard": LEADERBOARD_COLUMNS,
    "results": RESULT_COLUMNS,
    "samples": SAMPLE_COLUMNS,
    "architectures": ARCHITECTURE_COLUMNS,
    "compare": COMPARE_COLUMNS,
}
STREAMED = ("results", "samples")  # too long to be typeset, long enough for Parquet


def formats_of(table: str) -> tuple[str, ...]:
    if table not in TABLES:
        return ()
    return ("csv", "json", "parquet") if table in STREAMED else ("csv", "json", "tex", "md")


def meta(selection: Selection, **more: Any) -> dict[str, Any]:
    """When, from which versions and with which filters an export was made."""
    filters = {
        "arch": ",".join(selection.archs),
        "kernel": ",".join(kernel.name for kernel in selection.kernels),
        "model": ",".join(model.name for model in selection.models),
        "hide": ",".join(selection.hide),
        **more,
    }
    return {
        "generated_at": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "filters": {name: value for name, value in filters.items() if value},
        "harness": HARNESS_MEASUREMENT,
        "kernels": dict(Kernel.objects.active().values_list("name", "version")),
    }


def kind_of(path: str) -> str:
    """Of a column that is read from a field of Result, or of what it refers to."""
    model: Any = Result
    *relations, name = path.split("__")
    for relation in relations:
        model = model._meta.get_field(relation).related_model
    if name in ("bundle", "outdated"):  # computed by the query
        return {"bundle": "text", "outdated": "bool"}[name]
    kinds = {"BooleanField": "bool", "FloatField": "number", "PositiveIntegerField": "int", "DateTimeField": "time"}
    return kinds.get(model._meta.get_field(name).get_internal_type(), "text")


def _table(name: str, title: str, columns: Any, rows: Any, selection: Selection, **more: Any) -> Table:
    return Table(name=name, title=title, columns=tuple(columns), rows=rows, meta=meta(selection, **more))


def _rounds(results: Iterable[tuple[str, str, Any]]) -> Iterator[tuple[Any, ...]]:
    for uid, arch, samples in results:
        processes = samples.get("process") or ()
        times = zip(samples.get("answer_ns") or (), samples.get("reference_ns") or (), strict=False)
        for k, (answer, reference) in enumerate(times):
            yield uid, arch, k, processes[k] if k < len(processes) else None, answer, reference


def leaderboard_csv(selection: Selection) -> Iterator[str]:
    return csv_text(leaderboard_table(selection))


def results_csv(selection: Selection, *, history: bool = False) -> Iterator[str]:
    return csv_text(results_table(selection, history=history))


def result_rows(selection: Selection, *, history: bool = False) -> QuerySet[Result, tuple[Any, ...]]:
    """The values of RESULT_COLUMNS. Reads no more rows at a time than it needs."""
    public = BundleEntry.objects.filter(submission=OuterRef("submission"), bundle__public=True).order_by("bundle_id")
    results = Result.objects.public().done() if history else Result.objects.public().current()
    results = results.filter(selection.filters).filter(selection.unhidden)
    outdated = Case(When(CONDITIONS["outdated"], then=Value(True)), default=Value(False), output_field=BooleanField())
    results = results.annotate(outdated=outdated, bundle=Subquery(public.values("bundle__uid")[:1]))
    return results.order_by("id").values_list(*(column.field for column in RESULT_COLUMNS))

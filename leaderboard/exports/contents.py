"""What can be exported: a table each, whose columns are in columns.py.

A further table is a function from a selection to a Table and a line in TABLES: addresses, formats, `manage.py export`, the data
dictionary and the snapshot have it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from grading.version import HARNESS_MEASUREMENT
from leaderboard.board.architecture_ratios import ratios_of
from leaderboard.board.head_to_head import compare
from leaderboard.board.marks import CONDITIONS
from leaderboard.board.rows import board_rows
from leaderboard.board.selection import Selection
from leaderboard.exports.columns import (
    ARCHITECTURE_COLUMNS,
    COMPARE_COLUMNS,
    FAST_COLUMNS,
    KERNEL_COLUMNS,
    LEADERBOARD_COLUMNS,
    MACHINE_COLUMNS,
    RESULT_COLUMNS,
    SAMPLE_COLUMNS,
)
from leaderboard.exports.tables import Column, Table
from leaderboard.models import BundleEntry, BundleModel, Kernel, Machine, Result, Standing

FETCHED_AT_ONCE = 5000


def leaderboard_table(selection: Selection) -> Table:
    """One row per model and architecture, as the leaderboard shows it."""
    return _table("leaderboard", "Models by architecture", LEADERBOARD_COLUMNS, board_rows(selection), selection)


def fast_table(selection: Selection) -> Table:
    """fast_p from 0.5 to 32 in half octaves: one row per model, architecture and p."""
    rows = [(row, p, estimate) for row in board_rows(selection) for p, estimate in row.summary.fast]
    return _table("fast", "fast_p by model and architecture", FAST_COLUMNS, rows, selection)


def kernels_table(selection: Selection) -> Table:
    """One row per model, kernel and architecture, as kernels' and models' pages show them."""
    standings = Standing.objects.comparable().filter(selection.filters, answers__gt=0).select_related("model", "kernel")
    rows = standings.order_by("kernel__position", "kernel__name", "arch", "-model__kind", "model__name")
    return _table("kernels", "Models by kernel and architecture", KERNEL_COLUMNS, rows, selection)


def machines_table(selection: Selection) -> Table:
    """Every machine that measured something public; of the selection, and how much of it."""
    rows = Machine.objects.with_public_counts(selection.narrowed)
    return _table("machines", "Machines", MACHINE_COLUMNS, rows, selection)


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
        .filter(samples__isnull=False)
        .order_by("id")
    )
    found = results.values_list("submission__uid", "arch", "samples").iterator(FETCHED_AT_ONCE // 10)
    return _table("samples", "Every counted round", SAMPLE_COLUMNS, _rounds(found), selection)


def architectures_table(selection: Selection) -> Table:
    """One row per model and kernel, and one per model over all of them."""
    rows = [
        (ratios.model, kernel, own)
        for ratios in ratios_of(selection).models
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
    "fast": fast_table,
    "kernels": kernels_table,
    "machines": machines_table,
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
        "suite": selection.suite if selection.in_other_suite else "",
        **more,
    }
    return {
        "generated_at": timezone.now().astimezone(UTC).replace(microsecond=0).isoformat(),
        "filters": {name: value for name, value in filters.items() if value},
        "harness": HARNESS_MEASUREMENT,
        "kernels": dict(Kernel.objects.active().of_suite(selection.suite).values_list("name", "version")),
    }


def kind_of(path: str) -> str:
    """The type of a column that is read from a field of Result, or of what it refers to, or that the query computes."""
    if path in COMPUTED:
        return COMPUTED[path].kind
    model: Any = Result
    *relations, name = path.split("__")
    for relation in relations:
        model = model._meta.get_field(relation).related_model
    kinds = {"BooleanField": "bool", "FloatField": "number", "PositiveIntegerField": "int", "DateTimeField": "time"}
    return kinds.get(model._meta.get_field(name).get_internal_type(), "text")


def _table(name: str, title: str, columns: Any, rows: Any, selection: Selection, **more: Any) -> Table:
    return Table(name=name, title=title, columns=tuple(columns), rows=rows, meta=meta(selection, **more))


def _rounds(results: Iterable[tuple[str, str, Any]]) -> Iterator[tuple[Any, ...]]:
    for uid, arch, samples in results:
        samples = samples or {}
        processes = samples.get("process") or ()
        times = zip(samples.get("answer_ns") or (), samples.get("reference_ns") or (), strict=False)
        for k, (answer, reference) in enumerate(times):
            yield uid, arch, k, processes[k] if k < len(processes) else None, answer, reference


class Computed(NamedTuple):
    """A column of results that is not a field: its kind, and the expression that the query computes."""

    kind: str
    expression: Callable[[], Any]


def _brought_by(value: str) -> Subquery:
    """A value of the first public bundle that brought the answer."""
    public = BundleEntry.objects.filter(submission=OuterRef("submission"), bundle__public=True).order_by("bundle_id")
    return Subquery(public.values(value)[:1])


def _sampled_with(setting: str) -> Subquery:
    """A sampling setting of the run in the first public bundle that brought the answer."""
    told = BundleModel.objects.filter(
        model=OuterRef("model"), bundle__entries__submission=OuterRef("submission"), bundle__public=True
    ).order_by("bundle_id")
    return Subquery(told.values(said=KeyTextTransform(setting, "sampling"))[:1])


COMPUTED = {
    "outdated": Computed(
        "bool",
        lambda: Case(When(CONDITIONS["outdated"], then=Value(True)), default=Value(False), output_field=BooleanField()),
    ),
    "bundle": Computed("text", lambda: _brought_by("bundle__uid")),
    "temperature": Computed("text", lambda: _sampled_with("temperature")),
    "max_tokens": Computed("text", lambda: _sampled_with("max_tokens")),
}


def result_rows(selection: Selection, *, history: bool = False) -> QuerySet[Result, tuple[Any, ...]]:
    """The values of RESULT_COLUMNS. Reads no more rows at a time than it needs."""
    results = Result.objects.public().done() if history else Result.objects.public().current()
    results = results.filter(selection.filters).filter(selection.unhidden)
    results = results.annotate(**{name: computed.expression() for name, computed in COMPUTED.items()})
    return results.order_by("id").values_list(*(column.field for column in RESULT_COLUMNS))

"""The summary of a comparison as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from grading.architectures import ARCHS
from leaderboard.lib.formatting import MISSING, mib, three_digits

HEADER = (
    *("kernel", "code", "M units/s amd64", "arm64", "arm64/amd64", "95 %"),
    *("MiB amd64", "arm64", "arm64/amd64", "95 %", "passed amd64", "arm64"),
)
LEFT = (0, 1)  # columns of words
NAMES = {"reference": "reference", "tuned": "tuned", "answer": "answers"}
LISTED = 50

Row = Mapping[str, Any]


def summary_text(summary: Mapping[str, Any]) -> str:
    """Everything that a reader should see before opening the file."""
    rows = [_cells(row["kernel"], NAMES[row["code"]], row) for row in summary["kernels"]]
    overall = [_cells("all kernels", NAMES[row["code"]], row) for row in summary["overall"]]
    models = [_cells("all kernels", row["model"], row) for row in summary["models"]]
    lines = [*_table([HEADER, *rows, *overall, *models], breaks=(1, 1 + len(rows), 1 + len(rows) + len(overall)))]
    return "\n".join([*lines, "", *_notes(summary), "", *_one_sided(summary["one_sided"])])


def _cells(kernel: str, code: str, row: Row) -> tuple[str, ...]:
    speed, extra = row["throughput_m"], row["extra_mb"]
    return (
        kernel,
        code,
        three_digits(speed["amd64"]),
        three_digits(speed["arm64"]),
        *_ratio(speed),
        mib(extra["amd64"]),
        mib(extra["arm64"]),
        *_ratio(extra),
        f"{row['passed']['amd64']}/{row['graded']['amd64']}",
        f"{row['passed']['arm64']}/{row['graded']['arm64']}",
    )


def _ratio(measured: Row) -> tuple[str, str]:
    if measured["ratio"] is None:
        return MISSING, ""
    low, high = measured["ratio_low"], measured["ratio_high"]
    return three_digits(measured["ratio"]), "" if low is None else f"{three_digits(low)}–{three_digits(high)}"


def _table(rows: Sequence[Sequence[str]], breaks: Iterable[int]) -> Iterator[str]:
    """Columns as wide as their widest cell; a rule before each of the rows in `breaks`."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    for number, row in enumerate(rows):
        if number in breaks:
            yield "─" * (sum(widths) + 2 * (len(widths) - 1))
        cells = [
            cell.ljust(width) if i in LEFT else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _notes(summary: Mapping[str, Any]) -> Iterator[str]:
    """What the numbers can and cannot say."""
    yield "M units/s and MiB are geometric means over what passed on both; where nothing has, over what passed on each."
    cpus = summary["vcpus"]
    counts = ", ".join(f"{arch} {'/'.join(map(str, cpus[arch])) or 'unknown'}" for arch in ARCHS)
    verdict = {True: "equal", False: "NOT equal: throughputs compare different machines", None: "not known for both"}[
        cpus["equal"]
    ]
    yield f"vCPUs: {counts}: {verdict}."
    for arch in summary["emulated"]:
        yield f"{arch} was emulated: verdicts compare, but neither time nor memory is measured there, so there are no ratios."
    for arch, found in summary["machines"].items():
        if len(found) > 1:
            yield f"{arch} was graded on {len(found)} different machines: ratios mix these machines."
        for machine in found:
            words = (
                machine["cpu_model"],
                machine["compiler"],
                f"sandbox {machine['sandbox']}",
                f"{machine['gradings']} gradings",
            )
            yield f"{arch}: {', '.join(str(word) for word in words if word)}"


def _one_sided(found: Sequence[Row]) -> Iterator[str]:
    if not found:
        yield "Nothing passes on one architecture only."
        return
    yield f"{len(found)} {'passes' if len(found) == 1 else 'pass'} on one architecture only:"
    for row in found[:LISTED]:
        who = f"{row['model']}, rollout {row['rollout']}" if row["kind"] == "answer" else row["kind"]
        why = " ".join(filter(None, (f"{row['verdict']} on {row['failed_on']}:", row["detail"], row["note"])))
        yield f"  {row['kernel']}, {who}: passes on {row['passed_on']}, {why}"
    if len(found) > LISTED:
        yield f"  and {len(found) - LISTED} more, in the file"

"""Write the report's folder: README.md, figures/, and the tables as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from kernels.spec import DEFAULT_SUITE
from leaderboard.board.architecture_ratios import shown_models
from leaderboard.board.selection import Selection
from leaderboard.exports import contents
from leaderboard.exports.formats import csv_text
from leaderboard.figures import charts
from leaderboard.figures.plots import Figure
from leaderboard.report import sections
from leaderboard.report.data import Report, read
from leaderboard.report.drawing import draw
from leaderboard.report.failures import failure_bars
from leaderboard.report.markdown import figure

FIGURES = "figures"
CAPTIONS = {
    "speedup": "Geometric-mean speedup over passed answers, with 95 % intervals: circles on amd64, diamonds on arm64.",
    "memory": "Geometric-mean extra memory of passed answers, with 95 % intervals: circles on amd64, diamonds on arm64.",
    "failures": "What became of the answers of each model, in equal shares.",
    "architectures-throughput": "Throughput on arm64 / amd64 by kernel: naive (squares), tuned (triangles) and a model (stars).",
    "architectures-memory": "Extra memory on arm64 / amd64 by kernel: naive (squares), tuned (triangles) and a model (stars).",
}


def write_report(out: Path, note: str = "", suite: str = DEFAULT_SUITE) -> list[str]:
    """Write the files; those of an earlier report that this one has not are removed. Returns their names."""
    report = read(suite)
    drawn = figures(report)
    files = {f"{FIGURES}/{name}.svg": text for name, text in drawn.items()}
    files |= {f"{name}.csv": "".join(csv_text(contents.TABLES[name](Selection(suite=suite)))) for name in sections.TABLES}
    files["README.md"] = document(report, list(drawn), note)
    (out / FIGURES).mkdir(parents=True, exist_ok=True)
    for stale in (out / FIGURES).glob("*.svg"):
        if stale.stem in CAPTIONS and stale.stem not in drawn:
            stale.unlink()
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    return list(files)


def document(report: Report, drawn: list[str], note: str = "") -> str:
    """The Markdown, with those figures that there are."""

    def shown(*names: str) -> Iterator[str]:
        for name in names:
            if name in drawn:
                yield from figure(f"{FIGURES}/{name}.svg", CAPTIONS[name])

    lines = chain(
        sections.summary(report, note),
        sections.models(report),
        shown("speedup", "memory"),
        sections.kernel_by_model(report),
        sections.architectures(report),
        shown("architectures-throughput", "architectures-memory"),
        sections.failures(report),
        shown("failures"),
        sections.method(report),
        sections.machines(report),
        sections.versions(report),
        sections.reproduce(),
    )
    return "\n".join(lines).rstrip("\n") + "\n"


def figures(report: Report) -> dict[str, str]:
    """The SVG documents by name; empty ones are left out."""
    rows = [row for board in report.boards.values() for row in board]
    archs, names = tuple(report.boards), [kernel.name for kernel in report.kernels]
    compared = shown_models(report.pairs)
    found: dict[str, Figure] = {}
    if rows:
        found["speedup"] = charts.speedup_of_models(rows, archs)
        found["memory"] = charts.memory_of_models(rows, archs)
    if compared:
        found["architectures-throughput"] = charts.ratios_of_kernels(compared, names, "throughput")
        found["architectures-memory"] = charts.ratios_of_kernels(compared, names, "memory")
    drawn = {name: draw(made, CAPTIONS[name]) for name, made in found.items() if any(trace["x"] for trace in made["data"])}
    bars = [
        (f"{model} · {arch}", counts)
        for arch, own in report.verdicts.items()
        for model, counts in sections.by_model(own, report.models)
        if not model.is_baseline
    ]
    return drawn | ({"failures": failure_bars(bars, CAPTIONS["failures"])} if bars else {})

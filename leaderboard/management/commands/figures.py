import logging
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import QueryDict

from leaderboard.board.answers import load_answers
from leaderboard.board.architecture_ratios import ratios_of, shown_models
from leaderboard.board.rows import board_rows
from leaderboard.board.selection import BOTH, BadSelection, Selection, read_selection
from leaderboard.figures import charts
from leaderboard.figures.images import FORMATS, NoImages, images
from leaderboard.management.selection import selection_arguments
from leaderboard.models import Kernel, Result


class Command(BaseCommand):
    help = "Write the figures of a selection as SVG, PDF or PNG in paper size."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("out", type=Path, help="a folder; it is made if it does not exist")
        parser.add_argument("--format", choices=FORMATS, default="pdf")
        parser.add_argument("--scale", choices=["log", "linear"], default="log", help="of speedups")
        selection_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        figures = figures_of(_selection(options))
        logging.getLogger("kaleido").setLevel(logging.WARNING)
        logging.getLogger("choreographer").setLevel(logging.WARNING)
        try:
            made = images(list(figures.values()), options["format"])
        except NoImages as missing:
            raise CommandError(str(missing)) from missing
        options["out"].mkdir(parents=True, exist_ok=True)
        for name, data in zip(figures, made, strict=True):
            (options["out"] / f"{name}.{options['format']}").write_bytes(data)
        self.stdout.write(f"{len(figures)} figures in {options['out']}: {', '.join(figures)}")


def figures_of(selection: Selection) -> dict[str, Any]:
    """The figures of the leaderboard, of the architectures' page, and of each kernel that was asked for; empty ones left out."""
    rows = board_rows(selection)
    shown = shown_models(ratios_of(selection))
    names = [kernel.name for kernel in selection.kernels] or [
        *Kernel.objects.active().of_suite(selection.suite).values_list("name", flat=True)
    ]
    figures = {
        "speedup": charts.speedup_of_models(rows, selection.archs, selection.scale),
        "memory": charts.memory_of_models(rows, selection.archs),
        "architectures-throughput": charts.ratios_of_kernels(shown, names, "throughput"),
        "architectures-memory": charts.ratios_of_kernels(shown, names, "memory"),
    }
    for kernel in selection.kernels:
        answers = load_answers(Result.objects.rankable().on(kernel).filter(selection.filters, model__kind="llm"))
        figures[f"{kernel.name}-memory"] = charts.memory_against_speed(answers, selection.archs, kernel.memory_limit_mb)
    return {name: figure for name, figure in figures.items() if any(trace["x"] for trace in figure["data"])}


def _selection(options: dict[str, Any]) -> Selection:
    params = QueryDict(mutable=True)
    params.setlist("kernel", options["kernel"])
    params.setlist("model", options["model"])
    archs = sorted(set(options["arch"]))
    params["suite"] = options["suite"]
    params["arch"] = archs[0] if len(archs) == 1 else BOTH
    params["scale"] = options["scale"]
    try:
        return read_selection(params)
    except BadSelection as error:
        raise CommandError(str(error)) from error

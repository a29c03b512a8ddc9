from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from kernels.spec import DEFAULT_SUITE
from leaderboard.models import Kernel
from leaderboard.report.writer import write_report


class Command(BaseCommand):
    help = (
        "Write the public results as one document: README.md, figures as SVG, tables as CSV; the same bytes from the same data."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("out", type=Path, help="a folder, made if it does not exist: results/arch-kernels-v1/")
        parser.add_argument(
            "--suite", default=DEFAULT_SUITE, metavar="NAME", help=f"report on this suite; default: {DEFAULT_SUITE}"
        )
        parser.add_argument("--note", default="", help="a sentence for the top: what readers should know first")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        if options["suite"] not in (known := [DEFAULT_SUITE, *Kernel.objects.suites()]):
            raise CommandError(f"no suite {options['suite']!r}; there are: {', '.join(dict.fromkeys(known))}")
        try:
            files = write_report(out, options["note"], options["suite"])
        except OSError as error:
            raise CommandError(f"cannot write to {out}: {error.strerror}") from error
        self.stdout.write(f"{len(files)} files in {out}: {', '.join(files)}")

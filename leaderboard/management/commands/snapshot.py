from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.exports.snapshot import Snapshot


class Command(BaseCommand):
    help = "Write the public pages, figures and exports as plain files that any web server serves."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("out", type=Path, help="a new or empty folder")

        parser.add_argument("--no-images", action="store_true", help="without figures as SVG, PDF and PNG: they take a while")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out} already exists and is not empty: a snapshot needs a folder of its own")
        say = self.stdout.write if options["verbosity"] > 1 else lambda path: None
        count = Snapshot(out, draw=not options["no_images"], say=say).write()
        self.stdout.write(f"{count} files in {out}: python -m http.server --directory {out}")

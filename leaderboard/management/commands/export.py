from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import QueryDict

from leaderboard import exports
from leaderboard.management.selection import selection_arguments
from leaderboard.selection import BOTH, BadSelection, read_selection


class Command(BaseCommand):
    help = "Write the CSV that /export/leaderboard.csv or /export/results.csv serves to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", choices=["leaderboard", "results"])
        parser.add_argument("--history", action="store_true", help="results: all ever recorded, not only the current ones")
        selection_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        params = QueryDict(mutable=True)
        params.setlist("kernel", options["kernel"])
        params.setlist("model", options["model"])
        archs = sorted(set(options["arch"]))
        params["arch"] = archs[0] if len(archs) == 1 else BOTH
        try:
            selection = read_selection(params)
        except BadSelection as error:
            raise CommandError(str(error)) from error
        if options["table"] == "results":
            lines = exports.results_csv(selection, history=options["history"])
        else:
            lines = exports.leaderboard_csv(selection)
        for chunk in lines:
            self.stdout.write(chunk, ending="")

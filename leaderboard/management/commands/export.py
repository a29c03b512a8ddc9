from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.management.selection import selection_arguments


class Command(BaseCommand):
    help = "Write the CSV that /export/leaderboard.csv or /export/results.csv serves to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", choices=["leaderboard", "results"])
        selection_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:

        raise NotImplementedError

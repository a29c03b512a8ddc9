from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.exports.dictionary import dictionary


class Command(BaseCommand):
    help = "Print the data dictionary of all exports, as docs/exports.md has it."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(dictionary(), ending="")

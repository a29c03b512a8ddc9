from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.lib.progress_bar import progress_bar
from leaderboard.management.selection import chosen_archs, chosen_submissions, selection_arguments
from leaderboard.services import queueing


class Command(BaseCommand):
    help = "Queue submissions again. Their results stay in the history, and current until a new one is there."

    def add_arguments(self, parser: CommandParser) -> None:
        selection_arguments(parser, suites="only answers to the kernels of this suite")

    def handle(self, *args: Any, **options: Any) -> None:
        submissions = chosen_submissions(options)
        with progress_bar(submissions.count(), "submissions") as bar:
            queued = queueing.regrade(submissions, chosen_archs(options), on_chunk=bar.update)
        self.stdout.write(f"{queued} gradings queued")

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.lib.progress_bar import progress_bar
from leaderboard.models import LanguageModel
from leaderboard.services import standings
from leaderboard.web import page_cache


class Command(BaseCommand):
    help = "Compute again, from the results alone, all scores, which results are current, and the summaries that pages read."

    def handle(self, *args: Any, **options: Any) -> None:
        with progress_bar(LanguageModel.objects.count(), "models") as bar:
            rows = standings.rebuild(lambda model: bar.update(1))
        page_cache.end()
        self.stdout.write(f"{rows} summaries")

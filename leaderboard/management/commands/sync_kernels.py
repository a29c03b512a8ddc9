from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.services.catalog import sync_kernels
from leaderboard.services.housekeeping import ensure_schedule


class Command(BaseCommand):
    help = "Copy the kernels' folders into the database, and queue both baselines for every measurement that lacks them."

    def handle(self, *args: Any, **options: Any) -> None:
        synced = sync_kernels()
        ensure_schedule()
        self.stdout.write(f"{synced.kernels} kernels, {synced.retired} retired, {synced.queued} gradings of baselines queued")

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.services import accounts
from leaderboard.worker import preparation

RESET = ".venv/bin/python manage.py changepassword admin"


class Command(BaseCommand):
    help = (
        "Bring the database to this version: migrations, kernels and their baselines, the first login. If several processes "
        "start together, one does it and the others wait."
    )
    requires_system_checks: list[str] = []  # the database may not be up yet

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            prepared = preparation.prepare(self.say)
        except preparation.NotReady as error:
            raise CommandError(str(error)) from error
        synced = prepared.synced
        self.say(f"{synced.kernels} kernels, {synced.retired} retired, {synced.queued} gradings of baselines queued")
        if prepared.password:
            self.say(f"Admin login: user {accounts.NAME}, password {prepared.password} (shown once; to set another: {RESET})")
        else:
            self.say(f"Admin login: user {accounts.NAME}, as printed at the first start (to set another: {RESET})")

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()  # whoever follows a log is to see why nothing happens

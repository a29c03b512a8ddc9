from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.services.accounts import NAME, reset_login


class Command(BaseCommand):
    help = "Give the admin login a new random password, and print it."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"user {NAME}, password {reset_login()}")

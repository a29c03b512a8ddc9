from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from grading.sandbox.registry import check


class Command(BaseCommand):
    help = "What each architecture is graded in, and what is missing for it: one line each. Exit status 1 if something is."
    requires_system_checks: list[str] = []  # asks nothing of the database

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--arch", action="append", choices=list(settings.SANDBOXES), help="only this one (may be repeated)")

    def handle(self, *args: Any, **options: Any) -> None:
        found = {arch: check(settings.SANDBOXES[arch], arch) for arch in options["arch"] or settings.SANDBOXES}
        for arch, missing in found.items():
            self.stdout.write(f"{arch}: {described(settings.SANDBOXES[arch])}: {missing or 'ready'}")
        # An architecture without a sandbox is a choice, not a fault.
        if any(missing and settings.SANDBOXES[arch] for arch, missing in found.items()):
            raise CommandError("not every configured sandbox is ready")


def described(name: str) -> str:
    return name or "no sandbox"

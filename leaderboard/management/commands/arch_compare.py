import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.comparison import cli


class Command(BaseCommand):
    help = cli.DESCRIPTION
    requires_system_checks: list[str] = []  # asks nothing of the database

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.parse_args = parser.parse_intermixed_args  # type: ignore[method-assign]
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        cli.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            status = cli.run(options, say=self.stdout.write, defaults=settings.SANDBOXES)
        except cli.Refused as refused:
            raise CommandError(str(refused), returncode=2) from refused
        if status:
            sys.exit(status)

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.queue.status import queue_status


class Command(BaseCommand):
    help = "What is queued, running, failed or waiting for an operator, per architecture (private answers included)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="the same as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        status = queue_status(private=True)
        if options["json"]:
            self.stdout.write(json.dumps(status, indent=2))
            return
        for arch in status["archs"]:
            counts = ", ".join(f"{arch[name]} {name}" for name in ("graded", "queued", "running", "failed", "parked", "workers"))
            self.stdout.write(f"{arch['arch']}: {counts}")
            if arch["reason"]:
                self.stdout.write(f"  {arch['reason']}")
            if arch["oldest_s"] is not None:
                self.stdout.write(f"  oldest waits {arch['oldest_s']:.0f} s" + left(arch["left_s"]))
            for answer in arch["answers"]:
                self.stdout.write(
                    "  running {submission}: {model} on {kernel}, for {since_s:.0f} s, attempt {attempt}".format(**answer)
                )


def left(seconds: float | None) -> str:
    return "" if seconds is None else f", about {seconds / 60:.0f} min to go"

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.bundles.registry import FORMATS
from leaderboard.bundles.types import BundleError
from leaderboard.lib.faults import fault_of, said
from leaderboard.lib.processes import ended_in_order
from leaderboard.lib.progress_bar import progress_bar
from leaderboard.models import Bundle, Result
from leaderboard.queue.status import queue_status
from leaderboard.services import bundle_decisions, bundle_files, bundle_lease, bundle_reading, deletion, importing, matching

LISTED = 20


class Command(BaseCommand):
    help = (
        f"Import a bundle of answers (folder, zip, tar.gz or tar.zst, or one {' or '.join(FORMATS.usual_suffixes)} file) and "
        "queue them for grading. The same file twice adds nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--model", default="", help="the model of rows that do not name one")
        parser.add_argument("--private", action="store_true", help="private: only reviewers and operators see the answers")
        runs = parser.add_mutually_exclusive_group()
        runs.add_argument(
            "--same-run",
            dest="overlap",
            action="store_const",
            const=Bundle.Overlap.SAME,
            default="",
            help="answers shared with an earlier bundle are the same ones: only the rest is new (for rows without trace ids)",
        )
        runs.add_argument(
            "--another-run",
            dest="overlap",
            action="store_const",
            const=Bundle.Overlap.ANOTHER,
            help="this is another run, in which some answers happen to be equal: all are new",
        )
        parser.add_argument("--wait", action="store_true", help="wait until all its answers are graded")

    @ended_in_order()
    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"{path} does not exist")
        bundle = self.bring(path, public=not options["private"], model=options["model"], overlap=options["overlap"])
        self.report(bundle)
        if options["wait"]:
            self.wait(bundle)

    def bring(self, path: Path, *, public: bool, model: str, overlap: str = "") -> Bundle:
        try:
            return self.brought(path, public=public, model=model, overlap=overlap)
        except Exception as error:
            if not fault_of(error) or isinstance(error, CommandError):
                raise
            raise CommandError(said(error, "run the command again later; answers imported so far are kept")) from error

    def brought(self, path: Path, *, public: bool, model: str, overlap: str) -> Bundle:
        is_new = True
        try:
            bundle = bundle_files.keep_path(path, public=public, model=model, overlap=overlap)
        except bundle_files.AlreadyThere as known:
            self.stdout.write(str(known))
            bundle, is_new = known.bundle, False
            if overlap:
                bundle_decisions.decide(bundle, overlap)
        except BundleError as error:
            raise CommandError(str(error)) from error
        try:
            if bundle.state == Bundle.State.READING:
                bundle = bundle_reading.read(bundle)
            if bundle.state == Bundle.State.PREVIEW and (undecided := matching.open_overlaps(bundle)):
                if is_new:
                    deletion.delete_bundle(bundle)
                raise CommandError(f"{matching.question(bundle, undecided)} Nothing was imported.")
            if bundle.state in (Bundle.State.PREVIEW, Bundle.State.IMPORTING):
                with progress_bar(bundle.rows, "rows") as bar:
                    bundle = importing.import_bundle(bundle, bar.reach)
        except bundle_lease.Taken:
            self.stdout.write("Another process is importing it right now.")
        if bundle.state == Bundle.State.FAILED:
            self.list_rows(bundle)
            raise CommandError(bundle.error)
        return bundle

    def report(self, bundle: Bundle) -> None:
        self.stdout.write(
            f"bundle {bundle.uid}: {bundle.rows} rows ({bundle.format}), {bundle.answers} answers, {bundle.added} new, "
            f"{bundle.skipped} not graded"
        )
        for told in bundle.overlaps:
            if told["shared"] == told["of"]:
                what = f"and {told['added']} more" if told["added"] else "and no more"
                self.stdout.write(f"It holds the {told['of']} answers of bundle {told['uid']} ({told['name']}) {what}.")
        self.list_rows(bundle)

    def list_rows(self, bundle: Bundle) -> None:
        for row in bundle.report[:LISTED]:
            self.stdout.write(f"  {row['file']}:{row['line']}: {row['reason']}")
        if len(bundle.report) > LISTED:
            self.stdout.write(f"  and {len(bundle.report) - LISTED} more: the bundle's page in the admin lists them")

    def wait(self, bundle: Bundle) -> None:
        """Until nothing of it is under way, but for what waits for an operator."""
        rows = Result.objects.filter(submission__entries__bundle=bundle)
        with progress_bar(rows.count(), "gradings") as bar:
            told = set[str]()
            while True:
                parked = {arch["arch"]: arch["reason"] for arch in queue_status(private=True)["archs"] if arch["reason"]}
                for reason in set(parked.values()) - told:
                    bar.say(reason)
                    told.add(reason)
                parked_archs = [arch["arch"] for arch in queue_status(private=True)["archs"] if arch["parked"]]
                left = rows.open().exclude(state=Result.State.QUEUED, arch__in=parked_archs)
                bar.reach(rows.count() - rows.open().count())
                if not left.exists():
                    break
                time.sleep(1)
        done, failed = rows.done().count(), rows.failed().count()
        self.stdout.write(f"{done} graded, {failed} failed on our side, {rows.open().count()} waiting")

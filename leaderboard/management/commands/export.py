from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import QueryDict

from leaderboard.board.selection import BOTH, BadSelection, read_selection
from leaderboard.exports import contents
from leaderboard.exports.formats import FORMATS
from leaderboard.exports.parquet import NoParquet, parquet_bytes
from leaderboard.exports.tables import Table
from leaderboard.management.selection import selection_arguments


class Command(BaseCommand):
    help = "Write what /export/<table>.<format> serves to standard output or to a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table", choices=sorted(contents.TABLES))
        parser.add_argument("--format", default="csv", choices=[*FORMATS, "parquet"])
        parser.add_argument("--output", type=Path, help="a file; default: standard output. Parquet needs one")
        parser.add_argument("--history", action="store_true", help="results: also those that newer ones have replaced")
        parser.add_argument("--columns", metavar="NAME,NAME", help="only these: a table for a paper")
        selection_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        params = QueryDict(mutable=True)
        params.setlist("kernel", options["kernel"])
        params.setlist("model", options["model"])
        archs = sorted(set(options["arch"]))
        params["suite"] = options["suite"]
        params["arch"] = archs[0] if len(archs) == 1 else BOTH
        try:
            selection = read_selection(params)
        except BadSelection as error:
            raise CommandError(str(error)) from error
        if options["format"] not in contents.formats_of(options["table"]):
            known = ", ".join(contents.formats_of(options["table"]))
            raise CommandError(f"{options['table']} is available as {known}")
        if options["table"] == "results":
            table = contents.results_table(selection, history=options["history"])
        else:
            table = contents.TABLES[options["table"]](selection)
        if options["columns"]:
            try:
                table = table.only(options["columns"].split(","))
            except KeyError as unknown:
                raise CommandError(unknown.args[0]) from unknown
        if options["format"] == "parquet":
            self._parquet(table, options["output"])
        elif options["output"]:
            with options["output"].open("w", encoding="utf-8", newline="") as file:
                file.writelines(FORMATS[options["format"]].write(table))
        else:
            for chunk in FORMATS[options["format"]].write(table):
                self.stdout.write(chunk, ending="")

    def _parquet(self, table: Table, output: Path | None) -> None:
        if output is None:
            raise CommandError("Parquet is binary: name a file with --output FILE")
        try:
            chunks = parquet_bytes(table)
        except NoParquet as missing:
            raise CommandError(str(missing)) from missing
        with output.open("wb") as file:
            file.writelines(chunks)

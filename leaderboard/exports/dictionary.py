"""docs/exports.md, written from the columns themselves (`manage.py data_dictionary`): a test holds the file against this."""

from __future__ import annotations

from leaderboard.exports.columns import COLUMNS
from leaderboard.exports.contents import formats_of

HEAD = """\
# Exports

From the site `/export/<table>.<format>`, from the command line `manage.py export <table> --format <format>`; both take the
filters `arch`, `kernel`, `model` and `suite`, and `results` takes `history` for what newer results have replaced.
`columns=model,score` (`--columns`) leaves the other columns out: a table for a paper.
`/export/<table>.meta.json` says when, from which versions and with which filters an export is made: JSON, LaTeX, Markdown and
Parquet carry that themselves.

New columns go at the end. CSV is UTF-8; true and false are 1 and 0, an empty cell is a value that does not exist, times are UTC
in ISO 8601, numbers keep full precision, and a text that a spreadsheet would run as a formula has an apostrophe in front. LaTeX
wants the packages booktabs and siunitx, which rounds when it typesets: the file keeps full precision.
"""


def dictionary() -> str:
    """Every table and column, as Markdown."""
    parts = [HEAD]
    for name, columns in COLUMNS.items():
        forms = ", ".join(f"`{name}.{form}`" for form in formats_of(name))
        parts.append(f"\n## {name}\n\n{forms}\n\n| Column | What it is |\n| --- | --- |\n")
        parts += [f"| `{column.name}` | {column.meaning} |\n" for column in columns]
    return "".join(parts)

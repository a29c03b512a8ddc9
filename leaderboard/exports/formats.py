"""A table as CSV, JSON, LaTeX and Markdown, in chunks of text. A further format is a writer and a line in FORMATS.

Rules of the CSV: UTF-8, a header, one line feed per row; booleans are 1 and 0, null is an empty cell, times are UTC in ISO 8601,
numbers keep full precision; a text that a spreadsheet would run as a formula gets an apostrophe in front. The other formats keep
the same values; where they cannot carry the table's meta themselves there is a sidecar (exports.meta).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from leaderboard.exports.tables import Table

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the wide ones where Excel is Japanese
ROWS_A_CHUNK = 1000
LATEX_SIGNS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\symbol{34}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "×": r"\(\times\)",
        "\t": " ",
        "\n": " ",
        "\r": " ",
    }
)
LATEX_OPTION = re.compile(r"^(\s*)([\[*])")  # after \\ and \midrule it would be an option of theirs
LATEX_LIGATURES = re.compile(r"(?<=([-,<>!?]))(?=\1)")  # "--" would be set as a dash
# What pdflatex sets with T1 fonts beside ASCII; anything else would stop it.
T1 = "¡-¬®-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e–—‘’“”…€"
LATEX_UNKNOWN = re.compile(f"[^ -~{T1}]")
MARKDOWN_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>|#!~"} | {"\n": " ", "\r": " "})


class Format(NamedTuple):
    write: Callable[[Table], Iterator[str]]
    content_type: str


def csv_text(table: Table) -> Iterator[str]:
    return write_csv(table.header, table.values())


def json_text(table: Table) -> Iterator[str]:
    """{"meta": {...}, "columns": [...], "rows": [{column: value}, ...]}, a row per line."""
    columns = [{"name": column.name, "meaning": column.meaning} for column in table.columns]
    yield f'{{"meta": {_json(table.meta)},\n"columns": {_json(columns)},\n"rows": ['
    for number, row in enumerate(table.values()):
        pairs = dict(zip(table.header, map(_plain, row), strict=True))
        yield f"{',' if number else ''}\n{_json(pairs)}"
    yield "\n]}\n"


def latex_text(table: Table) -> Iterator[str]:
    """A booktabs tabular. Numbers keep full precision; siunitx rounds those that are not whole to three figures.

    A letter that pdflatex does not know stands as [U+1F600].
    """
    rows = [list(row) for row in table.values()]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * len(table.header)
    numeric = [_is_numeric(column) for column in columns]
    yield from (f"% {line}\n" for line in meta_lines(table))
    yield "% \\usepackage[T1]{fontenc}\n% \\usepackage{booktabs,siunitx}\n"
    yield "\\begin{tabular}{@{}%\n"
    yield from (f"  {_latex_column(column)}%\n" for column in columns)
    yield "@{}}\n\\toprule\n"
    yield " & ".join(f"{{{latex_escaped(name)}}}" for name in table.header) + " \\\\\n\\midrule\n"
    for row in rows:
        cells = " & ".join(_latex(value, number) for value, number in zip(row, numeric, strict=True))
        yield LATEX_OPTION.sub(r"\1{\2}", cells) + " \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n"


def markdown_text(table: Table) -> Iterator[str]:
    rows = [list(row) for row in table.values()]
    numeric = [_is_numeric(column) for column in zip(*rows, strict=True)] or [False] * len(table.header)
    yield "<!--\n" + "".join(f"{line}\n" for line in meta_lines(table)).replace("--", "- -") + "-->\n\n"
    yield "| " + " | ".join(name.translate(MARKDOWN_SIGNS) for name in table.header) + " |\n"
    yield "| " + " | ".join("---:" if number else "---" for number in numeric) + " |\n"
    for row in rows:
        yield "| " + " | ".join(_text(value).translate(MARKDOWN_SIGNS) for value in row) + " |\n"


FORMATS = {
    "csv": Format(csv_text, "text/csv; charset=utf-8"),
    "json": Format(json_text, "application/json"),
    "tex": Format(latex_text, "application/x-tex; charset=utf-8"),
    "md": Format(markdown_text, "text/markdown; charset=utf-8"),
}


def meta_lines(table: Table) -> list[str]:
    """The table's meta for a comment, one fact per line: control characters and line ends cannot leave it."""
    facts = [table.title, *(f"{name}: {_text(value)}" for name, value in table.meta.items() if value not in (None, "", {}, []))]
    return ["".join(sign if sign.isprintable() else " " for sign in line) for line in facts]


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """CSV text in chunks of a thousand rows: one row per chunk takes five times as long to send."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    careful = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(header)
    for number, row in enumerate(rows, 1):
        cells = [cell(value) for value in row]
        # Lines end in \n here, so that the writer does not see that a lone \r has to be quoted, too.
        (careful if any("\r" in text for text in cells) else writer).writerow(cells)
        if number % ROWS_A_CHUNK == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def cell(value: Any) -> str:
    """A value as the rules of the CSV want it."""
    text = _text(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA_STARTS) else text


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _plain(value: Any) -> Any:
    return _text(value) if isinstance(value, datetime) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _is_numeric(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def _latex(value: Any, numeric: bool) -> str:
    if value is None:
        return "{--}" if numeric else "--"
    return _text(value) if numeric else latex_escaped(_text(value))


def latex_escaped(text: str) -> str:
    """Typeset as it is, by pdflatex, and never run."""
    known = LATEX_UNKNOWN.sub(lambda sign: " " if sign[0] in "\t\r\n" else f"[U+{ord(sign[0]):04X}]", text)
    return LATEX_LIGATURES.sub("\0", known).translate(LATEX_SIGNS).replace("\0", "{}")


def _latex_column(values: Sequence[Any]) -> str:
    if not _is_numeric(values):
        return "l"
    whole = all(value is None or isinstance(value, int) for value in values)
    return "S" if whole else "S[round-mode=figures, round-precision=3]"

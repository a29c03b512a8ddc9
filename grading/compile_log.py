"""What the compiler says first, as the word for the answer's author."""

from __future__ import annotations

import re

# Of the compiler and, with a capital letter and without a column, of the assembler.
ERROR = re.compile(r"^(?P<file>[^:\s][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal error|error|Error): (?P<what>.+)$", re.MULTILINE)
FLAG = re.compile(r" \[-W[\w=+-]+\]$")
LENGTH = 200
OURS = "answer.c"


def first_error(log: str) -> str | None:
    """A sentence with the line and the message of the first error; None where the log has none."""
    found = ERROR.search(log)
    if not found:
        return None
    place = f"line {found['line']}" if found["file"] == OURS else f"{found['file'][-60:]}, line {found['line']}"
    what = FLAG.sub("", found["what"].strip())
    return f"Does not compile: {place}: {what if len(what) <= LENGTH else what[: LENGTH - 1] + '…'}"

"""What the compiler says first, as the word for the answer's author."""

from __future__ import annotations

import re

# Of the compiler and, with a capital letter and without a column, of the assembler.
ERROR = re.compile(r"^(?P<file>[^:\s][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal error|error|Error): (?P<what>.+)$", re.MULTILINE)
MISSING = re.compile(r"undefined reference to [`‘'](?P<name>[^'’\n]+)")
# What tools say of our limits, which have no line of the answer's; for the wording alone: the verdict is measured.
LIMITS = (
    (
        re.compile(r"^\S+: .*File size limit exceeded signal terminated", re.MULTILINE),
        "what the compiler makes of it is too large",
    ),
    (
        re.compile(r"^\S+: (?:out of memory allocating|virtual memory exhausted)", re.MULTILINE),
        "the compiler needs too much memory for it",
    ),
)
FLAG = re.compile(r" \[-W[\w=+-]+\]$")
LENGTH = 200
OURS = "answer.c"


def first_error(log: str) -> str | None:
    """A sentence: the first error with its line, else the first function that is not there. None where the log has neither."""
    found = ERROR.search(log)
    if not found:
        if missing := MISSING.search(log):
            return f"Does not link: {missing['name'][:LENGTH]} is not defined."
        return next((f"Does not compile: {what}." for pattern, what in LIMITS if pattern.search(log)), None)
    place = f"line {found['line']}" if found["file"] == OURS else f"{found['file'][-60:]}, line {found['line']}"
    what = FLAG.sub("", found["what"].strip())
    what = what if len(what) <= LENGTH else f"{what[: LENGTH - 1]}…"
    return f"Does not compile: {place}: {what.rstrip('.')}."

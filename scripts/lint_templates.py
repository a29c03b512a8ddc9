#!/usr/bin/env python3
"""Lines of templates that are too long to be read or compared: `python scripts/lint_templates.py [FOLDER]`. Exit status 1 if any.

Breaking one changes no page between block-level elements, at a space of a text and between attributes; inside a template tag it
is a syntax error, and between inline elements it shows as a space.
"""

from __future__ import annotations

import sys
from pathlib import Path

WIDTH = 160
ROOT = Path(__file__).resolve().parent.parent


def too_long(folder: Path) -> list[str]:
    """A line of text for each line that is over the width, in characters."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > WIDTH:
                found.append(f"{path}:{number}: {len(line)} characters, {WIDTH} at most")
    return found


def main() -> int:
    found = too_long(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "templates")
    print("\n".join(found) or "every line of the templates is short enough")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

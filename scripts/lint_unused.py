#!/usr/bin/env python3
"""Names that nothing uses, tests apart: `python scripts/lint_unused.py`. Exit status 1 if there is any.

vulture reads the Python. What templates and strings name counts as used, too, since Django finds fields, settings, commands and
handlers by their names. What frameworks call or read by names of their own is listed in pyproject.toml (`tool.vulture`).
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent
WORD = re.compile(r"[A-Za-z_]\w*")
NAMES = re.compile(r"[A-Za-z_][\w.:\-]*")  # a whole text that names something: a field, a dotted path, `-field`


def main() -> int:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["vulture"]
    paths = [str(ROOT / path) for path in options["paths"]]
    vulture = Vulture(ignore_names=options["ignore_names"], ignore_decorators=options["ignore_decorators"])
    vulture.scavenge(paths, exclude=[str(ROOT / path) for path in options["exclude"]])
    vulture.used_names |= {word for text in named() for word in WORD.findall(text)}
    unused = [item for item in vulture.get_unused_code() if not is_setting(item.filename, item.name)]
    stale = False
    for item in unused:
        print(f"{Path(item.filename).relative_to(ROOT)}:{item.first_lineno}: unused {item.typ} {item.name}")
    for name in options["ignore_names"]:  # an exception that excuses nothing is dead, too
        if not any(fnmatchcase(word, name) for word in defined(paths)):
            print(f"pyproject.toml: tool.vulture names {name}, which is nowhere")
            stale = True
    return 1 if unused or stale else 0


def is_setting(path: str | Path, name: str) -> bool:
    """Django and its applications read settings by name; that each of ours is documented is tested."""
    return Path(path).name == "settings.py" and name.isupper()


def named() -> Iterator[str]:
    """Texts that name Python: all of the templates, and the strings of the code that are a name and no sentence."""
    for path in (ROOT / "templates").rglob("*"):
        if path.is_file():
            yield path.read_text(encoding="utf-8")
    for folder in ("leaderboard", "grading", "environments", "scripts", "bench", "kernels"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMES.fullmatch(node.value.lstrip("-")):
                    yield node.value


def defined(paths: list[str]) -> set[str]:
    """Every identifier in the Python that is looked at."""
    files = [file for path in paths for file in ([Path(path)] if path.endswith(".py") else Path(path).rglob("*.py"))]
    return {word for file in files for word in WORD.findall(file.read_text(encoding="utf-8"))}


if __name__ == "__main__":
    sys.exit(main())

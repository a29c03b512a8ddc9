"""A hash of what Python code does, whatever its comments, its formatting and its docstrings: of the parsed code.

The same on every Python that is supported. `ast.dump` is not: newer versions have fields that older ones lack, or leave empty
ones out, and Python 3.12 cuts the text of an f-string into other pieces. So empty fields are left out here, and pieces joined.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path


def source_hash(paths: Iterable[Path], root: Path) -> str:
    """sha256 (hex) over the code in these files, each named by its path from `root`. Raises SyntaxError, OSError."""
    digest = hashlib.sha256()
    for path in paths:
        code = "".join(_code_of(ast.parse(path.read_bytes(), path))).encode("utf-8", "surrogatepass")
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(code)}\0".encode() + code)
    return digest.hexdigest()


def _code_of(value: object) -> Iterator[str]:
    """Node or list or constant as text, without what is empty and without docstrings."""
    if isinstance(value, ast.AST):
        yield f"({type(value).__name__}"
        for name, field in ast.iter_fields(value):
            if isinstance(value, ast.Constant) and name == "value":
                yield f" {field!a}"  # None is a constant too
            elif isinstance(field, list) and isinstance(value, ast.JoinedStr):
                yield " values="
                yield from _code_of(_joined(field))
            elif field is not None and field != []:
                yield f" {name}="
                yield from _code_of(_without_docstring(field) if name == "body" else field)
        yield ")"
    elif isinstance(value, list):
        yield "["
        for item in value:
            yield from _code_of(item)
        yield "]"
    else:
        yield ascii(value)  # which characters repr() escapes depends on the version of Unicode


def _joined(pieces: list[ast.expr]) -> list[object]:
    """What an f-string is made of: neighbouring texts as one, and none that is empty."""
    found: list[object] = []
    for piece in pieces:
        text = piece.value if isinstance(piece, ast.Constant) else None
        if not isinstance(text, str):
            found.append(piece)
        elif found and isinstance(before := found[-1], str):
            found[-1] = before + text
        elif text:
            found.append(text)
    return found


def _without_docstring(body: object) -> object:
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
        first = body[0].value
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return body[1:]
    return body

"""The unit of translation: what the compiler sees of an answer."""

from __future__ import annotations

from kernels.spec import HEADER, KernelSpec

PRELUDE = HEADER.parent / "prelude.h"  # stands before every answer, reference and baseline
SOURCE_LIMIT_BYTES = 200_000


def translation_unit(source: str, kernel: KernelSpec) -> bytes:
    """The prelude and the kernel's prototype, then the source with its own line numbers."""
    prelude = PRELUDE.read_text(encoding="utf-8")
    return encode_source(f'{prelude}{kernel.signature};\n#line 1 "answer.c"\n{source}\n')


def encode_source(source: str) -> bytes:
    """UTF-8; bytes that were read with surrogateescape come back as they were, other lone surrogates become '?'."""
    try:
        return source.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return source.encode("utf-8", "replace")


def is_too_long(source: str) -> bool:
    return len(encode_source(source)) > SOURCE_LIMIT_BYTES

"""Bytes and text of unknown origin, made fit for a record: valid Unicode, no NUL, bounded."""

from __future__ import annotations

LOG_LIMIT = 16_000  # characters a log keeps
DETAIL_LIMIT = 500


def decode(data: bytes, limit: int = LOG_LIMIT) -> str:
    """Bytes a tool printed, in whatever encoding, as text for a record."""
    return clean(data.decode("utf-8", "replace"), limit)


def clean(text: str, limit: int = LOG_LIMIT) -> str:
    """Text for a record: databases refuse NUL and lone surrogates; what is too long loses its middle, because errors stand at
    both ends."""
    text = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def one_sentence(text: str) -> str:
    """A detail: on one line, from a capital letter to a full stop."""
    line = " ".join(clean(text).split())
    if "_" not in line.partition(" ")[0]:  # a name stays as it is
        line = line[:1].upper() + line[1:]
    if len(line) > DETAIL_LIMIT:
        line = line[: DETAIL_LIMIT - 3] + "..."
    return line if not line or line[-1] in ".!?" else line + "."

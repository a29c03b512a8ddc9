"""The name of this checkout, by which its containers and rented machines are told from those of others."""

from __future__ import annotations

import re
import secrets

from grading.files import kept_text
from grading.sandbox.local import cache_root


def checkout_id() -> str:
    """A name for the workers that share a cache folder (which the workers of one host do): made at the first use and kept
    there. Host names would not do: containers get new ones, or all the same."""
    path = cache_root() / "checkout-id"
    path.parent.mkdir(parents=True, exist_ok=True)
    return as_label(kept_text(path, lambda: secrets.token_hex(6)))


def as_label(text: str) -> str:
    """Only what every service takes in a label."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "x"

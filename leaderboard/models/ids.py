"""Public ids, and the architectures as a choice."""

from __future__ import annotations

import secrets

from grading.architectures import ARCHS

ARCH_CHOICES = [(arch, arch) for arch in ARCHS]
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no letter that reads as a digit


def public_id() -> str:
    """Ten random characters (50 bits): a public id that tells nothing of how many rows there are."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))

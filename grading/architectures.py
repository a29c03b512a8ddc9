"""The architectures that are measured, in the order in which everything names them."""

from __future__ import annotations

ARCHS = ("amd64", "arm64")

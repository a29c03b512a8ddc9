"""A double of the Prime service: what it serves is real, what it measures means nothing."""

from tests.doubles.prime.service import KEY, PrimeDouble

__all__ = ["KEY", "PrimeDouble"]

"""The load of `make bench-load`, short. How fast pages are is for the benchmark; errors and /healthz are for every machine."""

from __future__ import annotations

import pytest

from bench import load
from tests.site.running import free_port

READERS = 40


@pytest.mark.slow
def test_readers_and_health_are_answered_beside_clients_that_drip() -> None:
    for drips, seen in load.measure("buffering", readers=READERS, drips=(0, 50), seconds=10, port=free_port()):
        print(seen.line(f"{drips} dripping"))
        assert len(seen.pages) >= 2 * READERS  # each asks twice in ten seconds
        assert not seen.errors
        assert max(seen.health) < load.HEALTH_TARGET_S

"""What a run asks for is what its sandbox gets."""

from __future__ import annotations

from contextlib import closing

import pytest

pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")

from grading.sandbox.base import Resources
from grading.sandbox.docker.settings import DockerSettings
from grading.sandbox.docker.settings import sized as sized_docker
from grading.sandbox.prime.settings import PrimeSettings, sized
from grading.sandbox.registry import open_sandbox
from tests.prime.conftest import double, surroundings  # noqa: F401  # fixtures


def test_a_prime_sandbox_has_the_cores_and_the_memory_asked_for(double, monkeypatch):  # noqa: F811
    monkeypatch.setenv("PRIME_CPU", "1")
    with closing(open_sandbox("prime", "arm64", Resources(cpu=4, memory_gb=8))) as sandbox:
        sandbox.run(["true"], 10)
        (box,) = double.running
        assert (box.request["cpu_cores"], box.request["memory_gb"], box.request["arch"]) == (4, 8, "arm64")
    with closing(open_sandbox("prime", "arm64")) as sandbox:
        sandbox.run(["true"], 10)
        (box,) = double.running
        assert (box.request["cpu_cores"], box.request["memory_gb"]) == (1, 4)


def test_sandboxes_of_other_sizes_are_not_taken_over():
    assert sized(PrimeSettings(), Resources()) == PrimeSettings()
    assert sized(PrimeSettings(), Resources(memory_gb=8)).generation != PrimeSettings().generation


def test_a_container_has_the_memory_asked_for():
    assert sized_docker(DockerSettings(), Resources(cpu=4)) == DockerSettings()
    bigger = sized_docker(DockerSettings(), Resources(memory_gb=8))
    assert bigger.memory_mb == 8192
    assert bigger.generation != DockerSettings().generation


def test_a_sandbox_on_this_host_takes_any_size():
    from grading.sandbox.local import host_arch

    with closing(open_sandbox("local", host_arch(), Resources(cpu=64, memory_gb=1))) as sandbox:
        assert sandbox.run(["true"], 20).exit_code == 0

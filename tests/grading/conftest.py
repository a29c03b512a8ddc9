"""Fixtures of the grader's tests."""

from dataclasses import replace
from pathlib import Path

import pytest

from grading.sandbox.local import LocalSandbox, host_arch
from kernels.spec import KernelSpec

ROOT = Path(__file__).resolve().parents[2]
ADD = KernelSpec(
    name="add_f32",
    title="Sum",
    summary="a + b.",
    unit="element",
    measurement=3,
    signature="float add_f32(float a, float b)",
    memory_limit_mb=1.5,
    position=1,
    benchmark_description="one sum",
    benchmark_size=1000,
    rounds=11,
    processes=3,
    limit=None,
    folder=ROOT / "kernels" / "dot_f32",  # of which only the content is hashed
)


@pytest.fixture
def add_kernel():
    return replace(ADD)


@pytest.fixture(scope="session")
def local_sandbox():
    """A real sandbox on this machine, for the whole session."""
    sandbox = LocalSandbox(host_arch())
    yield sandbox
    sandbox.close()

"""What verifiers sees: one task per kernel, graded once in finalize, scored from the trace alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal, Self

import verifiers.v1 as vf
from pydantic import Field, field_validator, model_validator

from arch_kernels_v1 import grader
from arch_kernels_v1.kernels_import import DEFAULT_SUITE, SYSTEM_PROMPTS, get_kernel
from arch_kernels_v1.options import all_kernels, chosen_kernels, in_one_suite
from arch_kernels_v1.trace import KEY, metrics, record_of, reply_of, rewards
from grading.sandbox.registry import BACKENDS
from grading.version import kernel_version


class KernelData(vf.TaskData):
    """One kernel on one architecture, and where its answers are graded."""

    kernel: str
    kernel_version: str
    arch: str
    signature: str
    memory_limit_mb: float
    sandbox: str
    cpu: float
    memory: float

    @property
    def place(self) -> grader.Place:
        return grader.Place(sandbox=self.sandbox, arch=self.arch, cpu=self.cpu, memory_gb=self.memory)


class KernelTask(vf.Task[KernelData, vf.State, vf.TaskConfig]):
    """Write this kernel in C."""

    @property
    def key(self) -> str:
        return f"{self.data.kernel}/{self.data.arch}"

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """No model is asked for an answer that could not be graded."""
        del trace, runtime
        await asyncio.to_thread(grader.refuse_if_unavailable, self.data.place)

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Grade the answer, once. What is our fault is raised: the rollout is an error then, never a 0."""
        del runtime
        reply = reply_of(trace)
        trace.info[KEY] = await asyncio.wrap_future(grader.submit(self.data.place, reply, self.data.kernel))

    @vf.metric
    async def grading(self, trace: vf.Trace) -> dict[str, float]:
        found = metrics(record_of(trace))
        trace.metrics.update(found)  # the unknown ones too: verifiers records numbers only
        return {name: value for name, value in found.items() if value is not None}

    @vf.reward(weight=1.0)
    async def kernel_score(self, trace: vf.Trace) -> dict[str, float]:
        return rewards(record_of(trace))


class KernelTasksetConfig(vf.TasksetConfig):
    arch: Literal["amd64", "arm64"] = "arm64"
    """The architecture that answers are written for and graded on."""
    suite: str = DEFAULT_SUITE
    """The kernels that are scored together."""
    kernels: list[str] = Field(default_factory=all_kernels)
    """Which kernels of the suite: names, or one text with commas between; all by default."""
    cpu: float = Field(2.0, gt=0)
    """Cores of a Prime sandbox."""
    memory: float = Field(4.0, gt=0)
    """GB of memory of a Prime or Docker sandbox."""
    sandbox: str = "prime"
    """Where answers are graded: prime, docker, local, or emulated (arm64 on an amd64 machine: correctness only, no reward)."""

    @model_validator(mode="before")
    @classmethod
    def _kernels_of_the_suite(cls, values: Any) -> Any:
        """Its default, where another suite is asked for."""
        if isinstance(values, dict) and "kernels" not in values and isinstance(suite := values.get("suite"), str):
            return values | {"kernels": all_kernels(suite)}
        return values

    @model_validator(mode="after")
    def _one_suite(self) -> Self:
        in_one_suite(self.kernels, self.suite)
        return self

    @field_validator("kernels", mode="before")
    @classmethod
    def _known_kernels(cls, value: Any) -> list[str]:
        return chosen_kernels(value)

    @field_validator("sandbox")
    @classmethod
    def _known_sandbox(cls, value: str) -> str:
        if value not in BACKENDS:
            raise ValueError(f"no sandbox {value!r}; there are: {', '.join(BACKENDS)}")
        return value


class KernelTaskset(vf.Taskset[KernelTask, KernelTasksetConfig]):
    """The kernels, in the site's order."""

    def load(self) -> Iterator[KernelTask]:
        asked = self.config
        for name in asked.kernels:
            kernel = get_kernel(name)
            data = KernelData(
                id=name,
                name=name,
                description=kernel.summary,
                prompt=kernel.prompt,
                system_prompt=SYSTEM_PROMPTS[asked.arch],
                kernel=name,
                kernel_version=kernel_version(kernel),
                arch=asked.arch,
                signature=kernel.signature,
                memory_limit_mb=kernel.memory_limit_mb,
                sandbox=asked.sandbox,
                cpu=asked.cpu,
                memory=asked.memory,
            )
            yield KernelTask(data, asked.task)


class KernelEnv(vf.SingleAgentEnv):
    """One agent, one reply; the sandboxes end with the run, also when it is interrupted."""

    async def stop(self) -> None:
        await asyncio.to_thread(grader.stop_all)

"""The judge's listing: which calls a grading makes, as columns."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kernels.catalog import get_kernel


@dataclass(frozen=True)
class Calls:
    """All calls of one grading, a column an argument."""

    arguments: dict[str, NDArray[np.int64]]
    content: NDArray[np.str_]
    phase: NDArray[np.str_]
    placement: NDArray[np.str_]
    offsets: NDArray[np.int64]  # of the two inputs and the output behind a cache line's begin; -1 where there is none

    def __getitem__(self, argument: str) -> NDArray[np.int64]:
        return self.arguments[argument]


def calls_of(harness: Path, kernel: str, seed: int, size: int | None = None) -> Calls:
    """What a grading with these random numbers would call."""
    judge = str(harness / f"judge_{kernel}")
    command = [judge, "list=1", f"size={size or get_kernel(kernel).benchmark_size}", f"seed={seed}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return Calls(
        arguments={name: np.array([line["arguments"][name] for line in lines]) for name in lines[0]["arguments"]},
        content=np.array([line["class"] for line in lines]),
        phase=np.array([line["phase"] for line in lines]),
        placement=np.array([line["placement"] or "" for line in lines]),
        offsets=np.array([[-1 if at is None else at for at in line["offsets"]] for line in lines]),
    )

"""The verifiers environment of Arch Kernels: `vf-eval arch-kernels-v1`.

verifiers loads taskset.py when it asks for it: one task per kernel. A rollout's reply is graded once, when it ends, by the
grader of this repository in a sandbox of grader.py (one per architecture for all rollouts of the process); reward and metrics
are read from the record in the trace (trace.py). kernels_shim.py makes room for our package `kernels` where another one of that
name is installed. Everything but taskset.py works without verifiers.
"""

from typing import Any

from arch_kernels_v1 import kernels_shim

kernels_shim.import_ours()

__all__ = ["KernelEnv", "KernelTaskset"]  # by __getattr__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arch_kernels_v1 import taskset

    return getattr(taskset, name)

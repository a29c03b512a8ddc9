"""The verifiers environment of Arch Kernels: `vf-eval arch-kernels-v1`.

What verifiers looks for is in taskset.py and imported when it asks: the rest of the package does without verifiers.
"""

from typing import Any

from arch_kernels_v1 import beside

beside.import_ours()

__all__ = ["KernelEnv", "KernelTaskset"]  # by __getattr__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arch_kernels_v1 import taskset

    return getattr(taskset, name)

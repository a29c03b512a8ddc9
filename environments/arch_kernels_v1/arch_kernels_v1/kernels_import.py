"""Our kernels, for the modules of this package: imported while the name `kernels` is ours (see kernels_shim.py)."""

from kernels.catalog import get_kernel, load_catalog
from kernels.prompts import SYSTEM_PROMPTS

__all__ = ["SYSTEM_PROMPTS", "get_kernel", "load_catalog"]

"""Our kernels, for the modules of this package: imported while the name `kernels` is ours (see kernels_shim.py)."""

from kernels.catalog import BadSuite, choose, get_kernel, load_catalog, of_suite
from kernels.prompts import SYSTEM_PROMPTS
from kernels.spec import DEFAULT_SUITE

__all__ = ["DEFAULT_SUITE", "SYSTEM_PROMPTS", "BadSuite", "choose", "get_kernel", "load_catalog", "of_suite"]

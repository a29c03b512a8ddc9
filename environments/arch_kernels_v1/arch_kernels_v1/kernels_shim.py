"""Our package `kernels` beside another one of that name: Hugging Face's, which transformers imports where it is installed.

Theory of operation. Two packages of one name cannot both be `import kernels`. Ours is needed by `grading` alone, and only while
that is imported: no function of it imports kernels later (a test holds that). So where another package would answer to the name,
ours takes it while all of `grading` is imported, and gives it back.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

NAME = "kernels"
OURS = "arch_kernels_v1.kernels_import"  # what the rest of this package takes from kernels
MIXED = (
    "The packages `kernels` of Hugging Face and of arch-kernels were installed into one folder ({folder}), ours over the other: "
    "whatever imports Hugging Face's is broken. Install ours from its checkout, where it has a folder of its own "
    "(pip install -e CHECKOUT), then the other one again (pip install --force-reinstall --no-deps kernels)."
)


def import_ours() -> None:
    """Make kernels and grading usable, whatever else is called kernels. Raises ImportError where they are not installed."""
    folder = _folder()
    if _is_ours(folder):
        if _other_is_installed():
            warnings.warn(MIXED.format(folder=folder), RuntimeWarning, stacklevel=3)
        return
    others = _take_out()
    ours = ModuleType(NAME)
    ours.__path__ = [str(folder)]
    sys.modules[NAME] = ours
    try:
        _import_all_of_grading()
    finally:
        _take_out()
        sys.modules.update(others)


def _folder() -> Path:
    """Where our kernels are: beside grading."""
    found = find_spec("grading")
    if found is None or not found.submodule_search_locations:
        raise ImportError("the package grading is not installed: pip install -e CHECKOUT, the folder above environments/")
    return Path(next(iter(found.submodule_search_locations))).resolve().parent / NAME


def _is_ours(folder: Path) -> bool:
    """Whether `import kernels` gives ours, and nothing else is in the way."""
    loaded = sys.modules.get(NAME)
    found = loaded.__spec__ if loaded is not None else find_spec(NAME)
    if found is None or found.origin is None or Path(found.origin).resolve().parent != folder:
        return False
    return not _is_overwritten(folder)


def _is_overwritten(folder: Path) -> bool:
    """Whether another package of the name was installed over ours, into the same folder."""
    return "import" in (folder / "__init__.py").read_text(encoding="utf-8")  # ours has a docstring only


def _other_is_installed() -> bool:
    """Whether another distribution of the name has put its files where ours are."""
    try:
        place = distribution(NAME).locate_file(NAME)
    except PackageNotFoundError:
        return False
    return Path(str(place)).resolve() == _folder()


def _take_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == NAME or name.startswith(f"{NAME}.")]
    return {name: sys.modules.pop(name) for name in names}


def _import_all_of_grading() -> None:
    import grading

    importlib.import_module(OURS)
    for module in pkgutil.walk_packages(grading.__path__, "grading."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:  # an optional extra, such as docker, is not installed
            if missing.name is None or missing.name.partition(".")[0] in (NAME, "grading"):
                raise

"""What the packages import is what pyproject.toml declares: a machine with only the locked packages runs them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = {"bench", "arch_kernels_v1", "kernels", "grading", "leaderboard", "tests", "scripts", "demo"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
STANDARD = sys.stdlib_module_names | {"compression"}  # of Python 3.14: imported where it is there


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~! ;]", line)[0].lower() for line in requirements}


def imports(path: Path, *, lazy: bool) -> Iterator[str]:
    """Top-level modules that a file imports; those within functions too if `lazy`."""
    tree = ast.parse(path.read_text())
    nodes = ast.walk(tree) if lazy else iter(tree.body)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def distributions(folder: str, *, lazy: bool) -> dict[str, str]:
    """Distributions that a folder's modules come from, each with one file that imports it."""
    known = packages_distributions()
    found: dict[str, str] = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        for module in set(imports(path, lazy=lazy)) - OURS - STANDARD:
            found.update({name.lower(): str(path.relative_to(ROOT)) for name in known.get(module, [module])[:1]})
    return found


def undeclared(found: dict[str, str], declared: set[str]) -> dict[str, str]:
    return {name: where for name, where in found.items() if name not in declared}


def test_the_kernels_need_the_standard_library_only() -> None:
    assert distributions("kernels", lazy=True) == {}


def test_the_grader_loads_with_the_base_install() -> None:
    base = names(PROJECT["dependencies"])
    absent = sorted(
        module for module, bringers in packages_distributions().items() if not base & {name.lower() for name in bringers}
    )
    code = f"""
import sys
sys.modules.update(dict.fromkeys({absent!r}))  # None there makes an import fail
import grading.__main__, grading.pipeline, grading.sandbox.registry
print(*grading.sandbox.registry.BACKENDS)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["local"]), done.stderr


def engines() -> set[str]:
    """Clients of sandboxes, and what they bring along: their errors are theirs to raise, ours to catch."""
    clients = names([line for extra, lines in EXTRAS.items() if extra not in ("dev", "site") for line in lines])
    return clients | {name for client in clients for name in names(requires(client) or [])}


def test_the_grader_imports_nothing_that_no_extra_brings() -> None:
    assert undeclared(distributions("grading", lazy=True), names(PROJECT["dependencies"]) | engines()) == {}


def test_the_site_imports_nothing_that_its_extra_does_not_bring() -> None:
    found = undeclared(distributions("leaderboard", lazy=True), names([*PROJECT["dependencies"], *EXTRAS["site"]]))
    assert {name: where for name, where in found.items() if not where.startswith("leaderboard/evaluation/")} == {}
    assert set(found) <= names(EXTRAS["evaluate"])


def test_the_tests_import_nothing_that_setup_does_not_install() -> None:
    everything = [*PROJECT["dependencies"], *(line for lines in EXTRAS.values() for line in lines)]
    assert undeclared(distributions("tests", lazy=True), names(everything) | engines()) == {}

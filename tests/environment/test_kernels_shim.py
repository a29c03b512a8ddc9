"""Our package `kernels` beside Hugging Face's of the same name, in whichever way the two were installed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "environments" / "arch_kernels_v1"
OTHER = "from importlib import metadata\n\n__version__ = '0.12'\n\ndef get_kernel(name):\n    return f'theirs: {name}'\n"
USE_OURS = """
from arch_kernels_v1 import grader, options
from grading.faults import SandboxUnavailable
assert "dot_f32" in options.all_kernels()
place = grader.Place(sandbox="local", arch="riscv", cpu=2, memory_gb=4)
try:
    grader.refuse_if_unavailable(place)
except SandboxUnavailable as fault:
    print(fault.reason)
place = grader.Place(sandbox="fake", arch="amd64", cpu=2, memory_gb=4)
print(type(grader.submit(place, "no answer", "dot_f32").exception(30)).__name__)
"""
USE_THEIRS = "import kernels\nprint(kernels.get_kernel('attention'))\n"


def run(code: str, *path: Path) -> list[str]:
    """The lines that it prints, in a Python of its own with these folders first on its path."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    done = subprocess.run([sys.executable, "-c", code], cwd="/", env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [*done.stdout.splitlines(), *(line for line in done.stderr.splitlines() if "Warning" in line)]


def ours_works(said: list[str]) -> bool:
    return said[0].startswith("unknown architecture 'riscv'") and said[1] == "SandboxUnavailable"


@pytest.fixture
def theirs(tmp_path):
    """A site-packages with the other package."""
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "__init__.py").write_text(OTHER)
    (tmp_path / "kernels-0.12.dist-info").mkdir()
    (tmp_path / "kernels-0.12.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: kernels\nVersion: 0.12\n")
    return tmp_path


def mixed(theirs: Path, *, ours_last: bool) -> Path:
    """Both installed into one site-packages."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "grading", theirs / "grading", ignore=ignore)
    shutil.copytree(ROOT / "kernels", theirs / "kernels", ignore=ignore, dirs_exist_ok=True)
    if not ours_last:
        (theirs / "kernels" / "__init__.py").write_text(OTHER)
    return theirs


def test_alone_ours_is_kernels():
    said = run(USE_OURS + "import kernels\nprint(kernels.__file__)", PACKAGE, ROOT)
    assert ours_works(said)
    assert said[2:] == [str(ROOT / "kernels" / "__init__.py")]


@pytest.mark.parametrize("order", [USE_OURS + USE_THEIRS, USE_THEIRS + USE_OURS, USE_OURS + USE_THEIRS + USE_OURS])
def test_both_work_whichever_is_imported_first(theirs, order):
    said = run(order, theirs, PACKAGE, ROOT)
    assert said.count("theirs: attention") == 1
    said.remove("theirs: attention")
    assert ours_works(said)
    assert len(said) in (2, 4)


def test_theirs_installed_over_ours_does_no_harm(theirs):
    said = run(USE_OURS + USE_THEIRS, mixed(theirs, ours_last=False), PACKAGE)
    assert ours_works(said)
    assert said[2:] == ["theirs: attention"]


def test_ours_installed_over_theirs_is_told(theirs):
    said = run(USE_OURS, mixed(theirs, ours_last=True), PACKAGE)
    assert ours_works(said)
    assert "installed into one folder" in said[2]


def test_without_the_grader_it_is_told_what_to_install(tmp_path):
    code = "import sys; sys.path.remove(''); import arch_kernels_v1"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "the package grading is not installed" in done.stderr


def test_grading_imports_kernels_only_while_it_is_imported_itself():
    """Later the name may be another package's."""
    late = []
    for path in (ROOT / "grading").rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                late += [
                    f"{path}:{node.lineno}"
                    for node in ast.walk(function)
                    if (isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "kernels")
                    or (isinstance(node, ast.Import) and any(name.name.partition(".")[0] == "kernels" for name in node.names))
                ]
    assert late == []


def test_the_environment_needs_neither_the_site_nor_kernels_by_its_own_name():
    found = set()
    for path in (PACKAGE / "arch_kernels_v1").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            found |= {(name.partition(".")[0], path.name) for name in names}
    assert {where for module, where in found if module == "kernels"} == {"kernels_import.py"}
    assert {module for module, _ in found} & {"leaderboard", "django", "tests"} == set()
    assert {where for module, where in found if module == "verifiers"} == {"taskset.py"}

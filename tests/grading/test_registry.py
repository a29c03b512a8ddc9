"""The registry of sandboxes: what is known of one before it is opened."""

import ast
from pathlib import Path

import pytest

from grading.sandbox import registry
from grading.sandbox.docker.sandbox import DockerSandbox
from grading.sandbox.emulated import EmulatedSandbox
from grading.sandbox.local import LocalSandbox
from grading.sandbox.prime.sandbox import PrimeSandbox

ROOT = Path(__file__).resolve().parents[2]
SANDBOXES = (LocalSandbox, DockerSandbox, PrimeSandbox, EmulatedSandbox)


@pytest.mark.parametrize("sandbox", SANDBOXES, ids=lambda sandbox: sandbox.name)
def test_the_registry_says_of_a_sandbox_what_the_sandbox_says_of_itself(sandbox):
    known = registry.backend(sandbox.name)
    assert known.emulates is sandbox.emulated
    if hasattr(sandbox, "on_this_host"):  # Docker's is where its daemon is
        assert known.on_this_host() is sandbox.on_this_host


def test_a_name_that_no_sandbox_has_is_nothing():
    for name in ("", "unheard of"):
        nothing = registry.backend(name)
        assert (nothing.emulates, nothing.on_this_host(), nothing.is_double(), nothing.sweep()) == (False, False, False, [])


def names_compared(tree: ast.AST) -> set[str]:
    """Sandboxes' names that some comparison, `in` or `match` is about."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            values = [item for part in parts for item in getattr(part, "elts", [part])]
        elif isinstance(node, ast.MatchValue):
            values = [node.value]
        else:
            continue
        found |= {value.value for value in values if isinstance(value, ast.Constant) and value.value in registry.BACKENDS}
    return found


@pytest.mark.parametrize("folder", ["leaderboard", "grading", "environments", "scripts", "bench"])
def test_nobody_tells_a_sandbox_by_its_name(folder):
    compared = {}
    for path in (ROOT / folder).rglob("*.py"):
        if names := names_compared(ast.parse(path.read_text())):
            compared[path.relative_to(ROOT).as_posix()] = names
    assert compared == {}


def test_the_look_for_such_names_finds_them():
    assert names_compared(ast.parse('if name == "prime" or name in ("local", "docker"): pass')) == {"prime", "local", "docker"}

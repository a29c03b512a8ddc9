"""The lock files follow pyproject.toml and install the same everywhere."""

from __future__ import annotations

import re
import tomllib

import pytest

from scripts.lock import LOCKS, ROOT, is_current


def pinned(lock: str) -> dict[str, list[str]]:
    """Each package with its pinned versions: more than one where they depend on the Python version."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", (ROOT / lock).read_text(), re.MULTILINE):
        found.setdefault(name, []).append(version)
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_is_current_with_pyproject(lock: str) -> None:
    assert is_current(lock), f"{lock} is stale: run `make lock`"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_dependency_is_pinned_with_a_hash(lock: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(line for extra in LOCKS[lock] for line in project["optional-dependencies"][extra])]
    names = {re.split(r"[\[<>=~! ]", line)[0].lower().replace(".", "-") for line in wanted} - {project["name"]}
    assert names <= pinned(lock).keys()
    text = (ROOT / lock).read_text()
    assert len(re.findall(r"^[a-z0-9-]+==.*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)) == sum(
        map(len, pinned(lock).values())
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_local_file(lock: str) -> None:
    assert not re.search(r"index-url|find-links|https?://|file:|@ ", (ROOT / lock).read_text())


@pytest.mark.parametrize("lock", LOCKS)
def test_every_lock_is_part_of_the_dev_lock(lock: str) -> None:
    dev = pinned("requirements-dev.txt")
    assert pinned(lock) == {name: versions for name, versions in dev.items() if name in pinned(lock)}


def test_python_3_11_gets_the_long_term_django_and_newer_pythons_the_newest() -> None:
    assert [version.rsplit(".", 1)[0] for version in pinned("requirements.txt")["django"]] == ["5.2", "6.1"]


def test_every_lock_is_installed_by_something() -> None:
    installers = (ROOT / "scripts" / "setup.sh").read_text() + (ROOT / "Dockerfile").read_text()
    assert [lock for lock in LOCKS if not re.search(rf"lock={lock} ;;|--requirement {lock}", installers)] == []

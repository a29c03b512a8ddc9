"""scripts/setup.sh: what it says on a machine where something is missing, and that it does nothing twice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ["bash", "cat", "cut", "dirname", "env", "flock", "mkdir", "mktemp", "rm", "sha256sum", "tr"]


@pytest.fixture
def bare_machine(tmp_path: Path) -> Path:
    """A checkout's setup beside a PATH without Python, gcc and apt."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for lock in ("requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / lock, tmp_path)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        if path := shutil.which(tool):
            (tmp_path / "bin" / tool).symlink_to(path)
    return tmp_path


def setup(machine: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine / "bin"), "HOME": str(machine), **more}
    bash = str(machine / "bin" / "bash")
    return subprocess.run([bash, "scripts/setup.sh", *arguments], cwd=machine, env=environment, capture_output=True, text=True)


def put_python(machine: Path, script: str, name: str = "bin/python3") -> None:
    python = machine / name
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f"#!{machine}/bin/bash\n{script}\n")
    python.chmod(0o755)


def test_without_python_it_says_so_in_one_line(bare_machine: Path) -> None:
    done = setup(bare_machine)
    assert done.returncode == 1
    assert done.stderr == "setup: needs Python 3.11 or newer (set PYTHON to where it is)\n"


def test_an_older_python_is_not_taken(bare_machine: Path) -> None:
    put_python(bare_machine, "exit 1")  # what `sys.exit(sys.version_info < (3, 11))` gives on 3.10
    assert "needs Python 3.11 or newer" in setup(bare_machine).stderr


def test_without_the_venv_package_it_names_the_package(bare_machine: Path) -> None:
    put_python(bare_machine, "[[ $* != *ensurepip* ]]")
    done = setup(bare_machine, "site")
    assert done.returncode == 1
    assert done.stderr == "setup: needs the package python3-venv (apt-get install python3-venv)\n"


def put_version(machine: Path, version: str, name: str) -> None:
    """A Python that says which it is, and makes a virtual environment of its version."""
    made = f"mkdir -p .venv/bin; echo '#!{machine}/bin/bash' >.venv/bin/python; echo 'echo {version}' >>.venv/bin/python"
    put_python(machine, f'case "$*" in *"-m venv"*) {made};; *version*) echo {version};; esac', name)


def test_the_python_that_was_asked_for_replaces_a_venv_of_another(bare_machine: Path) -> None:
    put_version(bare_machine, "3.11.7", "bin/python3")
    put_version(bare_machine, "3.13.0", "elsewhere/python")
    put_version(bare_machine, "3.11.7", ".venv/bin/python")
    left = bare_machine / ".venv" / "left"
    left.touch()
    setup(bare_machine, "site", PYTHON="python3")
    assert left.exists()  # it is of that version already
    setup(bare_machine, "site")
    assert left.exists()  # none was asked for
    done = setup(bare_machine, "site", PYTHON=str(bare_machine / "elsewhere" / "python"))
    assert not left.exists(), done.stderr
    assert "created .venv with 3.13.0" in done.stderr


def test_the_python_that_was_asked_for_is_not_replaced_by_another(bare_machine: Path) -> None:
    put_version(bare_machine, "3.11.7", "bin/python3")
    done = setup(bare_machine, "site", PYTHON="/nowhere/python3.13")
    assert (done.returncode, done.stderr) == (1, "setup: PYTHON=/nowhere/python3.13 is no Python 3.11 or newer that starts\n")


def test_without_a_compiler_it_names_the_packages(bare_machine: Path) -> None:
    put_python(bare_machine, "exit 0")
    (bare_machine / ".venv" / "bin").mkdir(parents=True)
    (bare_machine / ".venv" / "bin" / "python").symlink_to(bare_machine / "bin" / "python3")
    done = setup(bare_machine, "site")
    assert done.returncode == 1
    assert done.stderr == "setup: needs gcc, the C library's headers and binutils (apt-get install gcc libc6-dev binutils)\n"


def test_an_unknown_set_of_packages_is_refused(bare_machine: Path) -> None:
    assert "unknown set 'all'" in setup(bare_machine, "all").stderr


@pytest.mark.skipif(not (ROOT / ".venv" / "installed-dev").exists(), reason="this .venv was not made by setup")
def test_a_second_setup_does_nothing() -> None:
    done = subprocess.run([ROOT / "scripts" / "setup.sh", "dev"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not (ROOT / ".venv" / "installed-dev").exists(), reason="this .venv was not made by setup")
def test_the_upload_command_runs_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "leaderboard").mkdir()  # somebody else's package of the same name
    (tmp_path / "leaderboard" / "__init__.py").touch()
    (tmp_path / "answers.jsonl").write_text('{"model": "m", "kernel": "dot_f32", "answer": ""}\n')
    command = [ROOT / ".venv" / "bin" / "arch-kernels", "upload", "answers.jsonl", "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 answers in 1 rows" in done.stdout

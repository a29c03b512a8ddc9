#!/usr/bin/env python3
"""Write the lock files from pyproject.toml, or check that they are current.

    python scripts/lock.py            compile again (keeps the pins that still satisfy; add --upgrade for new ones)
    python scripts/lock.py --check    exit 1 if pyproject.toml's dependencies have moved since; asks no registry

Each lock holds one resolution for every supported Python and platform, with hashes, so that plain
`pip install --require-hashes` installs the same files everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {
    "requirements.txt": ["site"],  # make demo, make up
    "requirements-image.txt": ["site", "docker", "prime", "evaluate", "parquet"],  # Dockerfile
    "requirements-dev.txt": ["site", "docker", "prime", "evaluate", "parquet", "figures", "dev"],  # make setup
}
ENVIRONMENT = "environments/arch_kernels_v1/pyproject.toml"
ENVIRONMENT_LOCK = "requirements-environment.txt"  # make test-environment: a .venv of its own, the site never needs it
MARK = "# dependencies sha256 "


def project(path: str = "pyproject.toml") -> dict[str, Any]:
    return dict(tomllib.loads((ROOT / path).read_text())["project"])


def lists_of(lock: str) -> list[list[str]]:
    """The lists of dependencies that a lock is compiled from."""
    ours = project()
    extras = ["prime"] if lock == ENVIRONMENT_LOCK else LOCKS[lock]
    lists = [ours["dependencies"], *(ours["optional-dependencies"][extra] for extra in extras)]
    if lock == ENVIRONMENT_LOCK:  # what it needs beside this project
        lists.append([line for line in project(ENVIRONMENT)["dependencies"] if not line.startswith(f"{ours['name']}[")])
    return lists


def fingerprint(lock: str) -> str:
    """What the lock was compiled from: the Python range and the lists of dependencies."""
    return hashlib.sha256(json.dumps([project()["requires-python"], lists_of(lock)]).encode()).hexdigest()


def is_current(lock: str) -> bool:
    path = ROOT / lock
    return path.exists() and f"{MARK}{fingerprint(lock)}\n" in path.read_text()


def compile_lock(lock: str, *, upgrade: bool) -> None:
    environment = lock == ENVIRONMENT_LOCK
    command = [sys.executable, "-m", "uv", "pip", "compile", "-" if environment else "pyproject.toml", "--quiet", "--universal"]
    command += ["--generate-hashes", "--python-version", "3.11", "--no-header", "--no-emit-index-url", "--no-annotate"]
    command += ["--output-file", lock, *(f"--extra={extra}" for extra in LOCKS.get(lock, []))]
    command += ["--upgrade"] if upgrade else []
    asked = "\n".join(line for lines in lists_of(lock) for line in lines) if environment else None
    subprocess.run(command, cwd=ROOT, check=True, input=asked, text=True)
    path = ROOT / lock
    pins = path.read_text()
    path.write_text(f"# Made by `make lock` from pyproject.toml; do not edit.\n{MARK}{fingerprint(lock)}\n{pins}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the lock files from pyproject.toml, or check them.")
    parser.add_argument("--check", action="store_true", help="only say whether the locks are current")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions allowed")
    options = parser.parse_args()
    if not options.check:
        for lock in (*LOCKS, ENVIRONMENT_LOCK):
            compile_lock(lock, upgrade=options.upgrade)
    stale = [lock for lock in (*LOCKS, ENVIRONMENT_LOCK) if not is_current(lock)]
    for lock in stale:
        print(f"{lock} is not current with pyproject.toml: run `make lock`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())

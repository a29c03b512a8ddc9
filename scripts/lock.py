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

ROOT = Path(__file__).resolve().parent.parent
LOCKS = {
    "requirements.txt": ["site"],  # make demo, make up
    "requirements-image.txt": ["site", "docker", "prime", "parquet"],  # Dockerfile
    "requirements-dev.txt": ["site", "docker", "prime", "parquet", "figures", "dev"],  # make setup
}
MARK = "# dependencies sha256 "


def fingerprint(extras: list[str]) -> str:
    """What the lock was compiled from: the Python range and the lists of dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return hashlib.sha256(json.dumps([project["requires-python"], lists]).encode()).hexdigest()


def is_current(lock: str) -> bool:
    path = ROOT / lock
    return path.exists() and f"{MARK}{fingerprint(LOCKS[lock])}\n" in path.read_text()


def compile_lock(lock: str, *, upgrade: bool) -> None:
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", "3.11", "--no-header", "--no-emit-index-url", "--no-annotate", "--output-file", lock]
    command += [f"--extra={extra}" for extra in LOCKS[lock]]
    command += ["--upgrade"] if upgrade else []
    subprocess.run(command, cwd=ROOT, check=True)
    path = ROOT / lock
    pins = path.read_text()
    path.write_text(f"# Made by `make lock` from pyproject.toml; do not edit.\n{MARK}{fingerprint(LOCKS[lock])}\n{pins}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the lock files from pyproject.toml, or check them.")
    parser.add_argument("--check", action="store_true", help="only say whether the locks are current")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions allowed")
    options = parser.parse_args()
    if not options.check:
        for lock in LOCKS:
            compile_lock(lock, upgrade=options.upgrade)
    stale = [lock for lock in LOCKS if not is_current(lock)]
    for lock in stale:
        print(f"{lock} is not current with pyproject.toml: run `make lock`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())

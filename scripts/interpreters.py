"""Which Pythons of those that the project supports start on this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
ASK = "import sys; print('%d.%d' % sys.version_info[:2])"


def candidates(version: str) -> Iterator[str]:
    """Where a Python of this version may be: PYTHONS, every folder of the PATH, pyenv's versions (the newest first)."""
    yield from os.environ.get("PYTHONS", "").replace(":", " ").replace(",", " ").split()
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for name in (f"python{version}", "python3"):
            if folder and (path := Path(folder) / name).exists():
                yield str(path)
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    of_this = versions.glob(f"{version}.*/bin/python3")
    yield from map(
        str, sorted(of_this, key=lambda path: [int(p) for p in path.parts[-3].split(".") if p.isdigit()], reverse=True)
    )


def version_of(python: str) -> tuple[str, str]:
    """The interpreter's version, or "" and why it does not start: a shim of pyenv may be there without a Python behind it."""
    try:
        done = subprocess.run(
            [python, "-c", ASK], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        return "", f"{python} does not start: {fault}"
    if done.returncode != 0:
        return "", f"{python} does not start: {(done.stderr.strip().splitlines() or ['no message'])[0]}"
    return done.stdout.strip(), ""


def find(version: str) -> tuple[str | None, str]:
    """An interpreter of this version, or None and the reason in one line."""
    reason = "there is none on the PATH, under PYENV_ROOT or in PYTHONS"
    for python in dict.fromkeys(candidates(version)):
        found, fault = version_of(python)
        if found == version:
            return python, ""
        if fault and version in Path(python).name:
            reason = fault
    return None, reason

"""A sandbox of the double: a temporary folder in which commands really run, on this host and with its compiler.

The client keeps to one folder inside (BASE); that path is replaced by one below the sandbox's root wherever it is named. A
sandbox for arm64 says that it is one, and is not: it is a double, and what is measured in it means nothing. Where the double runs
as root, commands run as a plain user of their own: they are on the host.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grading.sandbox.prime.script import BASE

PLAIN_UID = 61002 if os.getuid() == 0 else None  # another than the local sandbox's: kill -1 stays among doubles
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
UNAME = """#!/bin/sh
[ "$*" = -m ] && { echo %s; exit; }
exec /usr/bin/uname "$@"
"""
# The harness' describe asks the kernel for the machine's name. In a sandbox that plays another one, it is told that one's.
UNAME_HEADER = """#define _GNU_SOURCE
#include <string.h>
#include <sys/utsname.h>
static int double_uname(struct utsname *u) { int status = uname(u); strcpy(u->machine, "%s"); return status; }
#define uname(u) double_uname(u)
"""
GCC = """#!/bin/sh
for arg; do case $arg in */describe.c) exec /usr/bin/gcc -include %s/machine.h "$@" ;; esac; done
exec /usr/bin/gcc "$@"
"""
NO_SPACE = "#!/bin/sh\necho Filesystem 1024-blocks Used Available Capacity Mounted; echo none 1000 1000 0 100% /\n"
BROKEN = "#!/bin/sh\nexit 127\n"


class Box:
    def __init__(self, box_id: str, request: dict[str, Any], folder: Path, flaws: set[str]) -> None:
        self.id = box_id
        self.request = request
        self.status = "RUNNING"
        self.error_type: str | None = None
        self.made_at = datetime.now(UTC)
        self.used_at = time.monotonic()
        self.root = folder / box_id
        self._tools = self.root / "bin"
        self._tools.mkdir(parents=True)
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._dress(flaws)

    def as_json(self) -> dict[str, Any]:
        asked = self.request
        return {
            "id": self.id,
            "name": asked["name"],
            "dockerImage": asked["docker_image"],
            "cpuCores": asked["cpu_cores"],
            "memoryGB": asked["memory_gb"],
            "diskSizeGB": asked["disk_size_gb"],
            "diskMountPath": "/workspace",
            "gpuCount": 0,
            "vm": True,
            "status": self.status,
            "errorType": self.error_type,
            "timeoutMinutes": asked["timeout_minutes"],
            "labels": asked.get("labels", []),
            "createdAt": self.made_at.isoformat(),
            "updatedAt": self.made_at.isoformat(),
        }

    def upload(self, path: str, data: bytes) -> None:
        """By a process of the commands' own user, so that no link left inside leads it out."""
        self.used_at = time.monotonic()
        script = 'mkdir -p "${1%/*}" && cat >"$1"'
        subprocess.run(["sh", "-c", script, "sh", f"{self.root}{path}"], input=data, check=True, **as_plain_user())

    def execute(self, command: str, on_start: Callable[[int], None], on_output: Callable[[str, bytes], None]) -> int:
        """Run it to its end, handing on what it prints; the exit status."""
        here = command.replace(BASE, f"{self.root}{BASE}")
        process = subprocess.Popen(
            ["/bin/bash", "-c", here],
            cwd=self.root,
            env={"PATH": f"{self._tools}:{SYSTEM_PATH}", "HOME": str(self.root)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **as_plain_user(),
        )
        with self._lock:
            self._running.add(process)
        try:
            on_start(process.pid)
            out, err = process.communicate()
            on_output("stdout", out)
            on_output("stderr", err)
        finally:
            process.wait()
            with self._lock:
                self.used_at = time.monotonic()
                self._running.discard(process)
        return process.returncode if process.returncode >= 0 else 128 - process.returncode

    def idle_s(self) -> float:
        """How long nothing has been asked of it."""
        with self._lock:
            return 0.0 if self._running else time.monotonic() - self.used_at

    def end(self) -> None:
        """Gone, with all that runs in it."""
        self.status = "TERMINATED"
        with self._lock:
            running = list(self._running)
        for process in running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for pid in processes_below(self.root):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.root, ignore_errors=True)

    def _dress(self, flaws: set[str]) -> None:
        arch = self.request.get("arch") or "amd64"
        machine = "riscv64" if "machine" in flaws else MACHINES[arch]
        self._tool("uname", UNAME % machine)
        if arch == "arm64":
            (self._tools / "machine.h").write_text(UNAME_HEADER % machine)
            self._tool("gcc", GCC % self._tools)
        if "compiler" in flaws:
            self._tool("gcc", BROKEN)
        if "disk" in flaws:
            self._tool("df", NO_SPACE)
        if PLAIN_UID is not None:
            os.chown(self.root, PLAIN_UID, PLAIN_UID)

    def _tool(self, name: str, text: str) -> None:
        (self._tools / name).write_text(text)
        (self._tools / name).chmod(0o755)


def as_plain_user() -> dict[str, Any]:
    """For subprocess: who commands run as."""
    return {} if PLAIN_UID is None else {"user": PLAIN_UID, "group": PLAIN_UID, "extra_groups": []}


def processes_below(folder: Path) -> list[int]:
    """Those that work in a folder or below it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if os.readlink(entry / "cwd").startswith(f"{folder}/"):
                    found.append(int(entry.name))
    return found


def make_folder() -> Path:
    """For the sandboxes; every uid may pass, since the harness gives up root inside."""
    folder = Path(tempfile.mkdtemp(prefix="prime-double-", dir="/tmp"))
    folder.chmod(0o755)
    return folder

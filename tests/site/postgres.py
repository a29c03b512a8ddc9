"""A PostgreSQL of its own in a temporary folder, for tests that restart it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from tests.site.running import free_port

USER = "postgres"  # PostgreSQL refuses to run as root


def programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


class Postgres:
    def __init__(self) -> None:
        bin_folder = programs()
        if bin_folder is None:
            pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
        self.bin, self.port = bin_folder, free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="arch-kernels-postgres-"))  # pytest's own are for their owner only
        self.folder.chmod(0o711)
        self.data = self.folder / "data"
        self.data.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.data, USER, USER)
        self._run("initdb", "--auth=trust", "--username=site", "--encoding=UTF8", "--no-sync", "-D", str(self.data))
        self.start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "site", "site")

    @property
    def url(self) -> str:
        return f"postgres://site@127.0.0.1:{self.port}/site"

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.data} -c fsync=off"
        self._run("pg_ctl", "start", "-w", "-D", str(self.data), "-l", str(self.data / "log"), "-o", options)

    def stop(self) -> None:
        """At once, as if it had crashed."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", str(self.data))

    def remove(self) -> None:
        with suppress(subprocess.CalledProcessError):  # it is down already
            self.stop()
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.bin / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        nothing = subprocess.DEVNULL
        subprocess.run(command, check=True, cwd="/", stdin=nothing, stdout=nothing, stderr=nothing)

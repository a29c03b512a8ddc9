"""A Docker daemon for the tests alone: its own socket and folders, no network, and an image made from a Debian root.

There is no registry to pull gcc:14 from in most places where tests run, so the image is Debian 13 with its gcc 14 and nothing
else that the harness does not need. The root is made once and kept.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grading.sandbox.process import kill_tree

KEPT = Path("/var/tmp/arch-kernels-tests")
PACKAGES = "gcc,libc6-dev,base-files,dash,coreutils,grep,sed"
IMAGE = "arch-kernels-test:gcc"
FLAGS = [
    "--storage-driver=overlay2",
    "--iptables=false",
    "--ip6tables=false",
    "--ip-masq=false",
    "--bridge=none",
    "--exec-opt=native.cgroupdriver=cgroupfs",
]


class CannotStart(Exception):
    """Why there is no daemon here, in one line."""


class Daemon:
    """dockerd in a folder of its own. It can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix://{folder}/docker.sock"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        places = [f"--data-root={self.folder}/data", f"--exec-root={self.folder}/exec", f"--pidfile={self.folder}/pid"]
        command = ["dockerd", *FLAGS, *places, f"--host={self.address}"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 60
        while self.client("version", check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise CannotStart(f"dockerd does not start: {self._last_words()}")
            time.sleep(0.1)

    def client(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "DOCKER_HOST": self.address, "HOME": str(self.folder)}
        return subprocess.run(["docker", *arguments], env=environment, check=check, capture_output=True, text=True, timeout=300)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def crash(self) -> None:
        """The daemon and its containerd die at once; containers live on, as they do."""
        assert self.process
        pid_files = [self.folder / "pid", self.folder / "exec/containerd/containerd.pid"]
        containerd = int(pid_files[1].read_text())
        for pid in (self.process.pid, containerd):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(60)
        self.process = None
        for file in pid_files:  # left behind by the dead; a zombie would pass for alive
            file.unlink(missing_ok=True)

    def clean_up(self) -> None:
        """Nothing of ours is left, however the daemon ended: processes are ours when they name our folder."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if str(self.folder).encode() in path.read_bytes():
                    kill_tree(int(path.parent.name))
        mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
        for mount in reversed([mount for mount in mounts if mount.startswith(f"{self.folder}/")]):
            subprocess.run(["umount", "--lazy", mount], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _last_words(self) -> str:
        lines = (self.folder / "log").read_text(errors="replace").splitlines()
        return lines[-1][-300:] if lines else "it says nothing"


@contextmanager
def running_daemon() -> Iterator[Daemon]:
    """A daemon with IMAGE; everything of it is gone afterwards. Raises CannotStart."""
    _refuse_where_it_cannot_run()
    root = debian_root()
    folder = Path(tempfile.mkdtemp(prefix="ak-docker-", dir="/var/tmp"))  # a short path: sockets have 107 bytes
    daemon = Daemon(folder)
    try:
        daemon.start()
        import_image(daemon, root, IMAGE)
        yield daemon
    finally:
        if daemon.process is not None and (ids := daemon.client("ps", "-aq", check=False).stdout.split()):
            daemon.client("rm", "-f", *ids, check=False)
        daemon.stop()
        daemon.clean_up()


def import_image(daemon: Daemon, root: Path, name: str) -> None:
    done = daemon.client("import", str(root), name, check=False)
    if done.returncode != 0:
        raise CannotStart(f"docker import: {done.stderr.strip()[-300:]}")


def load_empty_image(daemon: Daemon, name: str, arch: str) -> None:
    """An image with nothing in it that says which architecture it is for."""
    archive, layer = daemon.folder / "image.tar", io.BytesIO()
    tarfile.open(fileobj=layer, mode="w").close()
    digest = hashlib.sha256(layer.getvalue()).hexdigest()
    config = {"architecture": arch, "os": "linux", "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}}
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    files = {"config.json": json.dumps(config), "manifest.json": json.dumps(manifest), "layer.tar": layer.getvalue()}
    with tarfile.open(archive, "w") as tar:
        for path, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    daemon.client("load", "-i", str(archive))


def debian_root() -> Path:
    """An archive with the root of the image; made with mmdebstrap the first time."""
    root = KEPT / "debian-13-gcc.tar"
    if not root.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        part = KEPT / f".{os.getpid()}.tar"
        command = ["mmdebstrap", "--quiet", "--variant=extract", f"--include={PACKAGES}", "trixie", str(part)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            part.unlink(missing_ok=True)
            words = done.stderr.strip().splitlines() or ["no message"]
            raise CannotStart(f"mmdebstrap cannot make a Debian root: {words[-1][-300:]}")
        part.rename(root)
    return root


def _refuse_where_it_cannot_run() -> None:
    if os.getuid() != 0:
        raise CannotStart("dockerd needs root")
    missing = [tool for tool in ("dockerd", "docker", "mmdebstrap") if shutil.which(tool) is None]
    if missing:
        raise CannotStart(f"{', '.join(missing)} not installed: apt-get install docker.io mmdebstrap")

"""This machine as a sandbox: bubblewrap where it works, else only what the harness itself can do (Landlock or a mount namespace,
seccomp, rlimits), with a warning. A machine where nothing would keep its files from an answer is refused, unless its operator has
accepted that.

Theory of operation. Each sandbox is a temporary folder, and each command a fresh set of namespaces without network in which
only the toolchain, the built harness (read-only) and that folder are seen. Root becomes a plain uid before bubblewrap starts:
`bwrap --uid` alone would map to root of the host. Nothing outlives a command: the death of the namespace's first process kills
all others, and ours kills it (--die-with-parent).
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from grading.blame import CACHE_ROOM_MB, fault_of, ours, require_room
from grading.faults import Fault, HarnessBroken, SandboxTimeout, SandboxUnavailable
from grading.harness_source import HarnessSource
from grading.isolation import HOW_TO_ISOLATE, NO_OUTER, is_allowed_open
from grading.sandbox.base import Completed, build_harness
from grading.sandbox.cache import HarnessCache, copy_plain
from grading.sandbox.process import run_bounded
from grading.sandbox.walls import has_landlock, walls_of_the_jail

ARCH_OF_MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}
PLAIN_UID = 61001  # for root: an unprivileged uid that is nobody's login
PREFIX = "arch-kernels-"
LOCK_NAME = ".in-use"
STALE_AFTER_S = 60.0
INSIDE = "/sandbox"
INSIDE_HARNESS = "/harness"
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"}
SYSTEM_FOLDERS = ("/bin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/sys/kernel/mm/transparent_hugepage")
NEEDED = ("gcc", "ld", "objcopy", "readelf", "sh")
REPOSITORY = Path(__file__).resolve().parents[2]


def host_arch() -> str:
    return ARCH_OF_MACHINE.get(platform.machine(), platform.machine())


def why_unavailable(arch: str) -> str | None:
    if arch != host_arch():
        return f"this machine is {host_arch()}"
    missing = [tool for tool in NEEDED if shutil.which(tool, path=ENVIRONMENT["PATH"]) is None]
    if missing:
        return f"{', '.join(missing)} not found: install gcc and binutils"
    return None if is_allowed_open() else file_isolation_missing()


def file_isolation_missing() -> str | None:
    """Why nothing would keep the files of this machine from an answer; None if something does."""
    try:
        reason = bubblewrap_missing()
        if reason is None or has_landlock():
            return None
        walls = _walls_of_the_jail()
    except Fault:  # the machine is short of something: whoever opens the sandbox is told
        return None
    lacking = [] if "mount_namespace" in walls else ["no mount namespace can be made"]
    lacking += [] if "seccomp" in walls else ["there are no seccomp filters"]
    if not lacking:
        return None
    return f"nothing keeps files of this machine from an answer ({reason}; no Landlock; {'; '.join(lacking)}): {HOW_TO_ISOLATE}"


class LocalSandbox:
    """See the head of this file. Not for several threads at once."""

    name = "local"
    emulated = False
    on_this_host = True

    def __init__(self, arch: str) -> None:
        reason = self._missing(arch)
        if reason is not None:
            raise SandboxUnavailable(reason)
        self.arch = arch
        self._bubblewrap_missing = bubblewrap_missing()
        self._harness: Path | None = None
        sweep_stale_folders()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=reachable_temp()))
            self._lock = os.open(self.folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            if (uid := plain_uid()) is not None:
                os.chown(self.folder, uid, uid)
        except OSError as error:
            raise fault_of(error, "cannot make a folder for the sandbox") from error

    def put(self, name: str, data: bytes) -> None:
        if not name or Path(name).name != name:
            raise ValueError(f"{name!r} is not a plain file name")
        path = self.folder / name
        try:
            path.unlink(missing_ok=True)  # never through a link that something in the sandbox has left there
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
            with open(descriptor, "wb") as file:
                os.fchmod(file.fileno(), 0o644)  # whatever the umask: the plain uid reads it
                file.write(data)
        except OSError as error:
            raise fault_of(error, "cannot write into the sandbox") from error

    def run(self, command: list[str], timeout_s: float) -> Completed:
        cwd, env = "/", ENVIRONMENT
        argv = [*bubblewrap(str(self.folder), self._harness), *command]
        if self._bubblewrap_missing is not None:
            cwd, env = str(self.folder), ENVIRONMENT | {"TMPDIR": str(self.folder)}
            argv = [*_dies_with_us(), *command]
        try:
            return run_bounded(argv, cwd=cwd, env=env, timeout_s=timeout_s, uid=plain_uid())
        except SandboxTimeout:
            self._clear()  # the command had no time to tidy up
            raise
        except OSError as error:
            raise fault_of(error, "cannot start a command") from error

    def harness(self, source: HarnessSource) -> str:
        def build(folder: Path) -> None:
            self._harness = None
            require_room(folder.parent, CACHE_ROOM_MB)
            try:
                build_harness(self, source, f"{self._inside}/built", self._build_environment())
                copy_plain(self.folder / "built", folder)
            finally:
                self._clear()

        require_room(self.folder.parent)
        try:
            self._harness = HarnessCache(cache_root()).get_or_build(source.key(*self._toolchain()), build)
        except OSError as error:
            raise fault_of(error, "cannot keep a built harness") from error
        return INSIDE_HARNESS if self._bubblewrap_missing is None else str(self._harness)

    def _clear(self) -> None:
        for left in self.folder.iterdir():
            if left.is_dir() and not left.is_symlink():
                remove_tree(left)
            elif left.name != LOCK_NAME:
                left.unlink()

    def describe(self) -> dict[str, Any]:
        if self._bubblewrap_missing is None:
            return {"backend": self.name, "isolation": "bubblewrap"}
        return {
            "backend": self.name,
            "isolation": NO_OUTER,
            "warning": f"no namespaces around the harness: {self._bubblewrap_missing}",
        }

    def close(self) -> None:
        if self._lock >= 0:
            with suppress(OSError):  # a folder that cannot be removed now is swept later
                remove_tree(self.folder)
            os.close(self._lock)
            self._lock = -1

    def _missing(self, arch: str) -> str | None:
        return why_unavailable(arch)

    def _toolchain(self) -> tuple[str, ...]:
        return toolchain()

    def _build_environment(self) -> dict[str, str]:
        """What build.sh is told; nothing: it builds for this machine."""
        return {}

    @property
    def is_walled(self) -> bool:
        return self._bubblewrap_missing is None

    @property
    def _inside(self) -> str:
        return INSIDE if self._bubblewrap_missing is None else str(self.folder)


def plain_uid() -> int | None:
    """The uid to become, for root; others stay who they are."""
    return PLAIN_UID if os.getuid() == 0 else None


def bubblewrap(folder: str, harness: Path | None) -> list[str]:
    """The command line before the command: no network, no namespaces to be made inside, the toolchain read-only, `folder`
    writable."""
    argv = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"]
    argv += ["--die-with-parent", "--new-session", "--clearenv"]
    for name, value in (ENVIRONMENT | {"TMPDIR": "/tmp"}).items():
        argv += ["--setenv", name, value]
    argv += ["--ro-bind", "/usr", "/usr"]
    for path in map(Path, SYSTEM_FOLDERS):
        if path.is_symlink():
            argv += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            argv += ["--ro-bind", str(path), str(path)]
    for name in SYSTEM_FILES:
        argv += ["--ro-bind-try", name, name]
    argv += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", folder, INSIDE, "--chdir", INSIDE]
    if harness is not None:
        argv += ["--ro-bind", str(harness), INSIDE_HARNESS]
    return [*argv, "--"]


def bubblewrap_missing() -> str | None:
    """Why bubblewrap cannot be used here; None if it can. Raises Fault when the machine is short of something."""
    if os.environ.get("ARCH_KERNELS_BUBBLEWRAP") == "off":
        return "switched off by ARCH_KERNELS_BUBBLEWRAP"
    if shutil.which("bwrap", path=ENVIRONMENT["PATH"]) is None:
        return "bubblewrap is not installed"
    with ours("cannot try bubblewrap"):
        return _try_bubblewrap()


@cache
def _try_bubblewrap() -> str | None:
    """Once a process: what a machine can do does not change, and a fault is not kept."""
    require_room(Path(reachable_temp()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=reachable_temp()) as folder:
        os.chmod(folder, 0o755)
        done = run_bounded([*bubblewrap(folder, None), "true"], cwd="/", env=ENVIRONMENT, timeout_s=20, uid=plain_uid())
    message = done.stderr.decode("utf-8", "replace").strip()
    return None if done.exit_code == 0 else f"bubblewrap does not work: {message or f'status {done.exit_code}'}"


@cache
def _walls_of_the_jail() -> set[str]:
    require_room(Path(reachable_temp()))
    with ours("cannot try the jail"):
        return walls_of_the_jail(reachable_temp(), ENVIRONMENT, plain_uid())


@cache
def toolchain() -> tuple[str, ...]:
    """What -march=native builds depend on beside the sources: the compiler and the processor."""
    env = ENVIRONMENT | {"TMPDIR": "/tmp"}
    with ours("cannot start gcc"):
        done = run_bounded(["gcc", "--version"], cwd="/", env=env, timeout_s=20)
    if done.exit_code != 0:
        raise HarnessBroken(f"gcc --version ends with status {done.exit_code}", log=done.stderr.decode("utf-8", "replace"))
    facts = [done.stdout.decode("utf-8", "replace").partition("\n")[0]]
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").partition("\n\n")[0].splitlines()
        facts += [line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))]
    return tuple(facts)


def cache_root() -> Path:
    """Where built harnesses are kept: ARCH_KERNELS_CACHE, else var/harness of the repository, else (installed as a package, or
    out of the plain uid's reach) /var/tmp."""
    if path := os.environ.get("ARCH_KERNELS_CACHE"):
        return Path(path)
    if (REPOSITORY / "pyproject.toml").is_file() and is_reachable(REPOSITORY) and os.access(REPOSITORY, os.W_OK):
        return REPOSITORY / "var" / "harness"
    folder = Path("/var/tmp") / f"{PREFIX}{os.getuid()}"
    folder.mkdir(mode=0o755, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise SandboxUnavailable(f"{folder} belongs to somebody else: set ARCH_KERNELS_CACHE to a folder of your own")
    return folder


def reachable_temp() -> str:
    """The folder for temporary files, or /tmp where the plain uid cannot get there."""
    folder = tempfile.gettempdir()
    return folder if is_reachable(Path(folder)) else "/tmp"


def is_reachable(folder: Path) -> bool:
    """Can the uid that commands run as get into the folder?"""
    if plain_uid() is None:
        return True
    folder = folder.resolve()
    return all(step.stat().st_mode & 0o001 for step in [folder, *folder.parents])


def sweep_stale_folders() -> None:
    """Remove what sandboxes of killed processes left: folders whose lock nobody holds any more."""
    for folder in Path(reachable_temp()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            known = folder.stat()
            if (
                folder.is_symlink()
                or known.st_uid not in (os.getuid(), plain_uid())
                or time.time() - known.st_mtime < STALE_AFTER_S
            ):
                continue
            descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(folder)
            finally:
                os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Remove a tree even where folders in it were made unreadable."""

    def unlock(function: Any, path: str, error: Any) -> None:
        del error
        with suppress(OSError):
            for place in (os.path.dirname(path), path):
                # Never what a link leads to, nor the folder above, which is everybody's /tmp.
                if Path(place).is_relative_to(folder) and not os.path.islink(place):
                    os.chmod(place, 0o700)
            function(path)

    shutil.rmtree(folder, onerror=unlock)
    shutil.rmtree(folder, ignore_errors=True)


def _dies_with_us() -> list[str]:
    """Without namespaces: at least the first process of a command ends with us, and the harness keeps its own in hand."""
    return ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv", path=ENVIRONMENT["PATH"]) else []

"""Containers of a Docker daemon, local or remote: no network, a read-only root, no capabilities, a plain uid.

Theory of operation. The first answer starts a container, the next ones reuse it (containers.py). The harness is built in it,
with its own gcc, by one uid; answers are compiled and judged by another, which cannot touch what was built. After every command
the second uid loses all its processes at once. Docker's own seccomp profile and no-new-privileges stay: the harness needs
nothing that they forbid. An image of another architecture than the daemon's would be emulated, and is refused.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.blame import CACHE_ROOM_MB
from grading.faults import Fault, HarnessBroken, MachineShort, SandboxGone, SandboxTimeout, SandboxUnavailable
from grading.harness_source import BUILD_TIMEOUT_S, HarnessSource
from grading.sandbox.base import Completed, Resources
from grading.sandbox.docker.settings import read_settings, sized
from grading.text import clean, decode

if TYPE_CHECKING:  # the client is an optional extra
    from grading.sandbox.docker.engine import Engine

SHORT_S = 60.0  # for a command that takes no time
CANNOT_START, KILLED = 126, 137
NEEDED = ("gcc", "ld", "objcopy", "readelf", "head", "env")

# Run "$@" and leave nothing: -1 is every process that this uid may signal but the caller, in one system call, so no fork escapes.
ALONE = '"$@"; status=$?; kill -9 -1 2>/dev/null; exit $status'

# Says that the container lives, and succeeds where the kernel has killed something in it for want of memory (cgroup v2, v1).
LIVES = b"lives"
OUT_OF_MEMORY = (
    f"echo {LIVES.decode()}; "
    "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | grep -q '^oom_kill [1-9]'"
)


def why_unavailable(arch: str) -> str | None:
    """One line that names what is missing: asks the daemon."""
    if find_spec("docker") is None:
        return "the package docker is not installed: pip install 'arch-kernels[docker]'"
    try:
        _usable_engine(arch)
    except Fault as fault:
        return fault.reason
    return None


def check(arch: str) -> str | None:
    """Like why_unavailable, and starts a container to look inside."""
    if reason := why_unavailable(arch):
        return reason
    try:
        DockerSandbox(arch).close()
    except Fault as fault:
        return fault.reason
    return None


def is_on_this_host() -> bool:
    """Whether the daemon runs on this host, by its address; it need not be reachable."""
    if find_spec("docker") is None:
        return True
    from grading.sandbox.docker.engine import address, is_local

    return is_local(address())


class DockerSandbox:
    """See the head of this file. Made in the process that uses it; not for several threads at once."""

    name = "docker"
    emulated = False
    is_walled = True

    def __init__(self, arch: str, resources: Resources | None = None) -> None:
        from grading.sandbox.docker.containers import Slot, sweep

        self.arch = arch
        self._settings = sized(read_settings(), resources or Resources())
        self._engine = _usable_engine(arch)
        self.on_this_host = self._engine.is_on_this_host
        self._slot: Slot | None = Slot(arch)
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        sweep(self._engine)

    def put(self, name: str, data: bytes) -> None:
        from grading.sandbox.docker.containers import GRADER

        if not name or Path(name).name != name:
            raise ValueError(f"{name!r} is not a plain file name")
        self._write(name, data, GRADER)

    def run(self, command: list[str], timeout_s: float) -> Completed:
        from grading.sandbox.docker.containers import GRADER

        return self._run(["sh", "-c", ALONE, "run", *command], timeout_s, GRADER)

    def harness(self, source: HarnessSource) -> str:
        from grading.sandbox.docker.containers import BUILDER, HARNESS, USED

        self._replace_if_ended()
        key = source.key()
        folder = f"{HARNESS}/{key}"
        if key in self._built:
            return folder
        looked = self._run(["sh", "-c", f"{USED}; [ -d {folder} ]"], SHORT_S, BUILDER)
        if looked.exit_code != 0:
            self._build(source, folder)
        self._built.add(key)
        return folder

    def describe(self) -> dict[str, Any]:
        return {
            "backend": self.name,
            "image": self._settings.image,
            "image_digest": self._image["Id"],
            "docker_version": clean(str(self._engine.version.get("Version", "")), 60),
            "generation": self._settings.generation,
            "memory_limit_mb": self._settings.memory_mb,
            "cpuset": self._settings.cpuset,
            "isolation": "container without network, capabilities and a writable root",
        }

    def close(self) -> None:
        from grading.sandbox.docker.containers import remove
        from grading.sandbox.docker.engine import faults_mapped

        if self._slot is None:
            return
        with suppress(Fault), faults_mapped():  # where the daemon is gone, the next sweep does it
            if self._container is not None:
                remove(self._container)
        self._slot.release()
        self._slot = None

    def _start(self) -> None:
        """Find the slot's container or make one, and see that it is what it should be."""
        from grading.sandbox.docker.containers import GRADER, find_or_create

        self._container: Any = None
        self._built: set[str] = set()
        assert self._slot is not None
        self._image = self._engine.image(self._settings.image)
        self._container = find_or_create(self._engine, self.arch, self._slot, self._settings)
        look = f'for tool in {" ".join(NEEDED)}; do command -v "$tool" >/dev/null || echo "$tool"; done'
        missing = decode(self._run(["sh", "-c", look], SHORT_S, GRADER).stdout).split()
        if missing:
            raise SandboxUnavailable(f"the image {self._settings.image} has no {', '.join(missing)}")

    def _replace_if_ended(self) -> None:
        """Between two answers a container may have ended by itself, or somebody may have removed it: no fault, make another."""
        from grading.sandbox.docker.engine import faults_mapped

        try:
            with faults_mapped():
                self._container.reload()
        except SandboxGone:
            return self._start()
        if self._container.status != "running":
            self._start()
        return None

    def _build(self, source: HarnessSource, folder: str) -> None:
        from grading.sandbox.docker.containers import BUILDER

        script = f"/tmp/{Path(folder).name}.sh"
        self._write(script, source.script, BUILDER)
        steps = f"rm -rf {folder}.new; sh {script} {folder}.new && mv {folder}.new {folder}; status=$?; rm {script}; exit $status"
        done = self._run(["sh", "-c", steps], BUILD_TIMEOUT_S, BUILDER)
        if done.exit_code != 0:
            self._refuse_without_room()
            log = decode(done.stdout + done.stderr)
            last = next((line for line in reversed(log.splitlines()) if line.strip()), "no message")
            raise HarnessBroken(f"the harness for {source.kernel.name} does not build: {last.strip()}", log=log)

    def _write(self, path: str, data: bytes, user: str) -> None:
        """Through a command's standard input: what Docker itself copies does not get into file systems in memory."""
        write = ["sh", "-c", 'rm -rf work "$2" && head -c "$1" >"$2"', "write", str(len(data)), path]
        done = self._engine.execute(self._container.id, write, user=user, timeout_s=SHORT_S, stdin=data)
        if done.exit_code != 0:
            self._refuse_without_room()
            raise SandboxGone(f"cannot write into the container: {clean(decode(done.stderr), 200).strip()}")

    def _refuse_without_room(self) -> None:
        """Something of ours has failed: raise MachineShort where a file system in the container is full."""
        from grading.sandbox.docker.containers import BUILDER, HARNESS, SANDBOX

        looked = self._engine.execute(
            self._container.id, ["df", "-kP", SANDBOX, HARNESS, "/tmp"], user=BUILDER, timeout_s=SHORT_S
        )
        for line in decode(looked.stdout).splitlines()[1:]:
            fields = line.split()
            if len(fields) >= 6 and fields[3].isdecimal() and int(fields[3]) < CACHE_ROOM_MB << 10:
                raise MachineShort(
                    f"{fields[3]} kB are free in {fields[5]} of the container, and {CACHE_ROOM_MB} MB are needed: "
                    f"remove the container {self._container.name}, a new one is made"
                )

    def _run(self, command: list[str], timeout_s: float, user: str) -> Completed:
        try:
            done = self._engine.execute(self._container.id, command, user=user, timeout_s=timeout_s)
        except SandboxTimeout:
            self._end_all(user)
            raise SandboxTimeout(f"{command[-1][:60]} did not end within {timeout_s:.0f} s") from None
        if done.exit_code in (CANNOT_START, KILLED):
            self._refuse_if_killed_from_outside()
        return done

    def _end_all(self, user: str) -> None:
        with suppress(Fault):
            self._engine.execute(self._container.id, ["sh", "-c", "kill -9 -1"], user=user, timeout_s=SHORT_S)

    def _refuse_if_killed_from_outside(self) -> None:
        """137 may be the command's own doing; else the container was killed, or had no memory left.

        What the daemon says of a container comes later than its end. What still runs in it is the proof that it lives: once its
        first process has been killed, nothing more can begin in its process namespace.
        """
        from grading.sandbox.docker.containers import GRADER

        try:
            kills = self._engine.execute(self._container.id, ["sh", "-c", OUT_OF_MEMORY], user=GRADER, timeout_s=SHORT_S)
        except SandboxGone:
            raise SandboxGone("the container was killed while a command ran") from None
        if kills.stdout.strip() != LIVES:
            raise SandboxGone("the container was killed while a command ran")
        if kills.exit_code == 0:
            raise SandboxGone(f"the container ran out of memory: DOCKER_MEMORY_MB is {self._settings.memory_mb}")


def _usable_engine(arch: str) -> Engine:
    """The daemon, where it can measure this architecture. Raises SandboxUnavailable with the reason."""
    from grading.sandbox.docker.engine import Engine

    engine, name = Engine(), read_settings().image
    if engine.arch != arch:
        raise SandboxUnavailable(f"the Docker daemon at {engine.address} is {engine.arch}: {arch} would be emulated")
    image_arch = engine.image(name).get("Architecture")
    if image_arch != arch:
        raise SandboxUnavailable(f"the image {name} is for {image_arch}: on {arch} it would be emulated")
    return engine

"""arm64 on an amd64 machine: cross-compiled, run by qemu-user. It proves correctness and nothing else.

Theory of operation. The judge is this machine's own; the answer and the reference are compiled by the cross compiler for a
typical arm64 server and run by the emulator. Emulated time reverses rankings (vector code comes out slower than plain code) and
the emulator's memory is not the answer's, so neither is measured. The emulator has no seccomp and no Landlock for its guest:
the namespaces around it are its only wall, so there is no emulation without bubblewrap.
"""

from __future__ import annotations

import shutil
from functools import cache
from typing import Any

from grading.blame import ours
from grading.faults import Fault
from grading.sandbox.local import ENVIRONMENT, LocalSandbox, bubblewrap_missing, host_arch, toolchain
from grading.sandbox.process import run_bounded

CROSS = "aarch64-linux-gnu-"
QEMU = "/usr/bin/qemu-aarch64"  # where the judge looks for it
MARCH = "-mcpu=neoverse-n1+crypto"  # stands in for native: what arm64 clouds have rented out since 2019
NEEDED = {
    f"{CROSS}gcc": "gcc-aarch64-linux-gnu",
    f"{CROSS}ld": "binutils-aarch64-linux-gnu",
    f"{CROSS}objcopy": "binutils-aarch64-linux-gnu",
    QEMU: "qemu-user",
    "gcc": "gcc",
    "bwrap": "bubblewrap",
}


def why_unavailable(arch: str) -> str | None:
    if arch != "arm64" or host_arch() != "amd64":
        return f"emulated is for arm64 on an amd64 machine: this one is {host_arch()}, asked for {arch}"
    missing = {package for tool, package in NEEDED.items() if shutil.which(tool, path=ENVIRONMENT["PATH"]) is None}
    if missing:
        return f"emulation needs more packages: apt-get install {' '.join(sorted(missing))}"
    try:
        reason = bubblewrap_missing()
    except Fault as fault:  # the machine is short of something: for now
        return fault.reason
    if reason:
        return f"the emulator is run only inside bubblewrap: {reason}"
    return None


class EmulatedSandbox(LocalSandbox):
    """The local sandbox with a cross compiler. Not for several threads at once."""

    name = "emulated"
    emulated = True

    def describe(self) -> dict[str, Any]:
        compiler, glibc, emulator = cross_toolchain()
        return super().describe() | {
            "cpu_model": emulator,
            "compiler": compiler,
            "libc": glibc,
            "flags": f"-std=gnu11 -O3 {MARCH} -D_GNU_SOURCE",
            "notice": "emulated: correctness only, neither time nor memory is measured",
        }

    def _missing(self, arch: str) -> str | None:
        return why_unavailable(arch)

    def _toolchain(self) -> tuple[str, ...]:
        return (*toolchain(), *cross_toolchain(), MARCH)

    def _build_environment(self) -> dict[str, str]:
        return {
            "EMULATED": "1",
            "CC": f"{CROSS}gcc",
            "LD": f"{CROSS}ld",
            "OBJCOPY": f"{CROSS}objcopy",
            "HOST_CC": "gcc",
            "MARCH": MARCH,
        }


@cache
def cross_toolchain() -> tuple[str, str, str]:
    """The cross compiler, its libc's version and the emulator, as they name themselves."""
    compiler = _output([f"{CROSS}gcc", "--version"]).partition("\n")[0]
    macros = _output(["sh", "-c", f"echo '#include <features.h>' | {CROSS}gcc -E -dM -"])
    defined = dict(words for line in macros.splitlines() if len(words := line.split()[1:]) == 2)
    libc = f"{defined.get('__GLIBC__', '?')}.{defined.get('__GLIBC_MINOR__', '?')}"
    return compiler, libc, _output([QEMU, "--version"]).partition("\n")[0]


def _output(command: list[str]) -> str:
    with ours("cannot ask the cross compiler"):
        done = run_bounded(command, cwd="/", env=ENVIRONMENT | {"TMPDIR": "/tmp"}, timeout_s=20)
    return done.stdout.decode("utf-8", "replace")

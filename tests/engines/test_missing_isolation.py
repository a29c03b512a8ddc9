"""Landlock, namespaces, bubblewrap and root taken away, one at a time and together: what is claimed, and what an attack reaches.

The table of docs/operations.md ("What isolates a grading") says the same in words.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from grading.driver import Outcome, parse_outcome
from grading.faults import SandboxUnavailable
from grading.harness_source import HarnessSource
from grading.isolation import ALLOW, NO_OUTER, OPEN, isolation_of
from grading.result import Verdict
from grading.sandbox.local import (
    ENVIRONMENT,
    INSIDE,
    INSIDE_HARNESS,
    bubblewrap,
    bubblewrap_missing,
    host_arch,
    plain_uid,
    reachable_temp,
    why_unavailable,
)
from grading.sandbox.process import run_bounded
from grading.sandbox.walls import walls_of_the_jail
from grading.translation_unit import translation_unit
from kernels.catalog import get_kernel
from tests.engines import answers

DOT = get_kernel("dot_f32")
ROOT = Path(__file__).resolve().parents[2]
QUICK = ("size=100000", "rounds=3", "processes=1", "mem_kb=4096")
SECRET = Path("/etc/passwd")
INCLUDES = f'#include "{SECRET}"\n{answers.RIGHT}'
ASSEMBLES = (
    f'__asm__(".data\\n.globl stolen\\nstolen: .incbin \\"{SECRET}\\"\\n.text");\n'
    """
extern char stolen[];
float dot_f32(const float *a, const float *b, size_t n) { return 12345 + 0 * stolen[0]; }
"""
)
OPENS = f"""
#include <fcntl.h>
#include <unistd.h>
float dot_f32(const float *a, const float *b, size_t n)
{{
    char c = 0;
    int f = open("{SECRET}", O_RDONLY);
    return f >= 0 && read(f, &c, 1) == 1 && c ? 12345 : 54321;
}}
"""


@dataclass(frozen=True)
class Host:
    """What is there: the kernel's Landlock, seccomp and namespaces, an outer bubblewrap, and whether the harness runs as root."""

    landlock: bool
    seccomp: bool
    namespaces: bool
    bubblewrap: bool
    root: bool

    @property
    def lacking(self) -> list[str]:
        names = {"no-landlock": self.landlock, "no-seccomp": self.seccomp, "no-namespaces": self.namespaces}
        return [name for name, there in names.items() if not there]

    @property
    def compiler(self) -> set[str]:
        files = "landlock" if self.landlock else "mount_namespace" if self.namespaces and not self.bubblewrap else ""
        return {files, "seccomp" if self.seccomp else ""} - {""}

    @property
    def answer(self) -> set[str]:
        return {name for name in ("landlock", "seccomp") if getattr(self, name)}

    def __str__(self) -> str:
        without = [name for name, there in vars(self).items() if not there]
        return f"without {', '.join(without)}" if without else "with all"


HOSTS = [
    Host(landlock=landlock, seccomp=seccomp, namespaces=namespaces, bubblewrap=outer, root=root)
    for landlock, seccomp, namespaces, outer, root in product((True, False), repeat=5)
    if (namespaces or not outer) and not (outer and root)  # bubblewrap is made of namespaces, and nobody is root in it
]
FEW = {(True, True, True, True), (True, True, False, False), (False, True, True, False), (False, True, False, False)}


def is_few(host: Host) -> bool:
    """At every change; the rest in the slow tests."""
    return (host.landlock, host.seccomp, host.namespaces, host.bubblewrap) in FEW and not host.root


@dataclass
class Harness:
    folder: Path

    def grade(
        self, host: Host, source: str, *options: str, before: Sequence[str] = (), ready: Callable[[Path], object] = str
    ) -> Outcome:
        """What a test takes away beside `host`: by a command that starts the rest, or from its folder at the last moment."""
        work = self.folder / "box" / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "answer.c").write_bytes(translation_unit(source, DOT))
        uid = None if host.root else plain_uid()
        if uid is not None:
            shutil.chown(work, uid, uid)
        box, harness = (INSIDE, INSIDE_HARNESS) if host.bubblewrap else (str(work.parent), str(self.folder / "harness"))
        outer = bubblewrap(str(work.parent), self.folder / "harness") if host.bubblewrap else []
        command = [f"{harness}/grade", f"{box}/work", "dot_f32", *QUICK, *options]
        argv = [*before, str(self.folder / "lesser_kernel"), *host.lacking, "--", *outer, *command]
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": str(work.parent)}
        ready(work.parent)
        return parse_outcome(run_bounded(argv, cwd=str(work.parent), env=env, timeout_s=200, uid=uid))


@pytest.fixture(scope="module")
def harness(own_folders: Path) -> Harness:
    if reason := why_unavailable(host_arch()):
        pytest.skip(reason)
    folder = own_folders / "isolation"
    folder.mkdir()
    source = Path(__file__).with_name("lesser_kernel.c")
    subprocess.run(["gcc", "-O2", "-static", str(source), "-o", str(folder / "lesser_kernel")], check=True)
    (folder / "build.sh").write_bytes(HarnessSource(DOT).script)
    subprocess.run(["sh", str(folder / "build.sh"), str(folder / "harness")], check=True, capture_output=True)
    (folder / "box").mkdir()
    if (uid := plain_uid()) is not None:
        shutil.chown(folder / "box", uid, uid)
    if run_bounded([str(folder / "lesser_kernel"), "--", "true"], cwd="/", env={}, timeout_s=20).exit_code != 0:
        pytest.skip("this kernel does not let a filter ask (seccomp user notification)")
    return Harness(folder)


@pytest.fixture(params=[pytest.param(host, id=str(host), marks=[] if is_few(host) else [pytest.mark.slow]) for host in HOSTS])
def host(request: pytest.FixtureRequest) -> Host:
    if request.param.root and plain_uid() is None:
        pytest.skip("these tests are not run by root")
    if request.param.bubblewrap and (reason := bubblewrap_missing()):
        pytest.skip(reason)
    return request.param


def reached(outcome: Outcome) -> bool:
    """Whether words of the file stand in the compiler's log, or the answer says that it has read it."""
    return "12345" in outcome.detail or f"{SECRET}:1:" in outcome.log["compile"]


def test_nothing_is_reached_without_the_operators_leave(harness: Harness, host: Host):
    walled = ["unwalled=1"] if host.bubblewrap else []
    for source in (INCLUDES, ASSEMBLES, OPENS):
        is_refused = not host.bubblewrap and (
            not host.compiler & {"landlock", "mount_namespace"} or (source is OPENS and not host.answer)
        )
        if is_refused:
            with pytest.raises(SandboxUnavailable, match=ALLOW) as raised:
                harness.grade(host, source, *walled)
            assert raised.value.needs_operator
        else:
            outcome = harness.grade(host, source, *walled)
            assert not reached(outcome), outcome.detail


def test_the_record_claims_what_was_in_force(harness: Harness, host: Host):
    for source in (answers.RIGHT, answers.BROKEN, OPENS, INCLUDES):
        outcome = harness.grade(host, source, "unwalled=1")
        assert outcome.compiler_walls == host.compiler
        ran = outcome.verdict is not Verdict.COMPILE_ERROR
        answer = {name for name, active in outcome.defences.items() if active} if ran else None
        if ran:
            assert {name for name in ("landlock", "seccomp") if outcome.defences[name]} == host.answer
        claim = isolation_of(
            "bubblewrap" if host.bubblewrap else NO_OUTER, walled=host.bubblewrap, compiler=host.compiler, answer=answer
        )
        if reached(outcome):
            assert OPEN in claim
        if source is INCLUDES:  # what is refused without leave is reached with it
            assert reached(outcome) is (OPEN in claim)


def test_root_without_the_right_to_mount_takes_a_user_namespace(harness: Harness):
    if plain_uid() is None or shutil.which("setpriv") is None:
        pytest.skip("these tests are not run by root, or setpriv is missing")
    host = Host(landlock=False, seccomp=True, namespaces=True, bubblewrap=False, root=True)
    program = harness.folder / "lesser_kernel"
    kept = program.read_bytes()
    program.rename(harness.folder / "lesser_kernel.program")
    try:
        program.write_text(f'#!/bin/sh\nexec setpriv --bounding-set -sys_admin "{program}.program" "$@"\n')
        program.chmod(0o755)
        outcome = harness.grade(host, INCLUDES)
    finally:
        program.unlink()
        (harness.folder / "lesser_kernel.program").rename(program)
    assert program.read_bytes() == kept
    assert outcome.compiler_walls == {"mount_namespace", "seccomp"}
    assert not reached(outcome)


def command_line(harness: Harness, source: str, *lacking: str, **environment: str):
    answer = harness.folder / "answer.c"
    answer.write_text(source)
    options = ["--kernel", "dot_f32", "--size", "100000", "--rounds", "3", "--processes", "1", "--json"]
    argv = [str(harness.folder / "lesser_kernel"), *lacking, "--", sys.executable, "-m", "grading", *options, str(answer)]
    cache = {"ARCH_KERNELS_CACHE": str(harness.folder / "cache"), "ARCH_KERNELS_LOCK": str(harness.folder / "lock")}
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "ARCH_KERNELS_BUBBLEWRAP": "off", **cache, **environment}
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, timeout=300)
    return done.returncode, json.loads(done.stdout)


def test_a_machine_that_isolates_nothing_is_refused_with_one_line(harness: Harness):
    status, record = command_line(harness, INCLUDES, "no-landlock", "no-namespaces")
    assert (status, record["verdict"], record["kernel_score"]) == (3, "internal_error", None)
    assert record["detail"].startswith("Nothing keeps files of this machine from an answer (switched off by ")
    assert f"{ALLOW}=1" in record["detail"]
    assert "\n" not in record["detail"]


@pytest.mark.parametrize(("source", "verdict"), [(INCLUDES, "compile_error"), (answers.RIGHT, "passed")])
def test_with_the_operators_leave_every_record_says_so(harness: Harness, source: str, verdict: str):
    status, record = command_line(harness, source, "no-landlock", "no-namespaces", **{ALLOW: "1"})
    assert (status, record["verdict"]) == (0, verdict)
    assert record["machine"]["isolation"] == f"{NO_OUTER}, {OPEN}, seccomp, resource limits"
    assert "without file isolation" in record["machine"]["warning"]
    assert "without file isolation" in record["log"]["run"]


def test_without_landlock_a_mount_namespace_is_enough(harness: Harness):
    status, record = command_line(harness, INCLUDES, "no-landlock")
    assert (status, record["verdict"]) == (0, "compile_error")
    assert record["machine"]["isolation"] == f"{NO_OUTER}, mount namespace, seccomp, resource limits"
    assert "without file isolation" not in record["log"]["run"]
    assert "No such file" in record["log"]["compile"]


def test_the_walls_are_found_whatever_the_umask():
    """A site runs with 077, and its commands as another user: the demo said nothing, and then refused every answer."""
    kept = os.umask(0o077)
    try:
        walls = walls_of_the_jail(reachable_temp(), ENVIRONMENT, plain_uid())
    finally:
        os.umask(kept)
    assert "seccomp" in walls

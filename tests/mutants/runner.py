"""What becomes of a mutant: compiled as an answer is, compared with the original's object, and put through the judge's tests."""

from __future__ import annotations

import json
import os
import queue
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grading.harness_source import SCRIPT_NAME, HarnessSource
from grading.translation_unit import translation_unit
from kernels.spec import KernelSpec
from tests.mutants.mutator import Mutant, drawn

SOURCES = ("reference", "tuned")
COMPILE_S = 60
SLOWER_FACTOR = 10  # than the original in all tests together: killed
LONGEST_CALL_S = 1  # of CPU; the originals' calls take less, or it is raised for them
FUSE_S = 400  # of wall time, for one mutant: its end says how busy the machine is, nothing of the mutant
FIRST_SIZE = 1 << 14  # of the benchmark, in a mutant's first run
SURVIVED = "survived"
IDENTICAL = "identical object"
NOT_COMPILING = "not compiling"


@dataclass(frozen=True)
class Fate:
    mutant: Mutant
    what: str  # SURVIVED, IDENTICAL, NOT_COMPILING, or the judge's verdict that killed it
    detail: str = ""

    @property
    def killed(self) -> bool:
        return self.what not in (SURVIVED, IDENTICAL, NOT_COMPILING)


class Broken(Exception):
    """The original does not pass, or the harness fails: nothing can be said of its mutants."""


class Bench:
    """The built harness of one kernel in a folder of its own."""

    def __init__(self, kernel: KernelSpec, folder: Path) -> None:
        self.kernel = kernel
        self.folder = folder
        self.built = folder / "built"
        script = folder / SCRIPT_NAME
        script.write_bytes(HarnessSource(kernel).script)
        done = subprocess.run(["sh", str(script), str(self.built)], capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            raise Broken(f"{kernel.name}: the harness does not build: {done.stderr.strip()}")
        for path in (folder, self.built):
            path.chmod(0o755)  # the judge drops root

    @cached_property
    def cc(self) -> str:
        return self._words("cc")[0]

    def _words(self, file: str) -> list[str]:
        return (self.built / file).read_text().split()

    def compile(self, source: bytes, name: str) -> Path | None:
        """The object; None where it does not compile."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "answer.c").write_bytes(translation_unit(source.decode(), self.kernel))
        command = [self.cc, *self._words("flags"), "-w", "-fno-pie", "-c", "answer.c", "-o", "answer.o"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=COMPILE_S)
        except subprocess.TimeoutExpired:
            return None
        return folder / "answer.o" if done.returncode == 0 else None

    def judge(self, object_file: Path, call_s: int, total_s: int) -> tuple[str, str, float]:
        """Verdict, detail, and CPU seconds of one run of all tests; in a first run nothing is larger than it must be, since large
        buffers take most of the time, and most mutants die at once."""
        program = object_file.with_name("answer")
        parts = [str(self.built / f"child_{self.kernel.name}.o"), str(object_file)]
        linked = subprocess.run(
            [self.cc, *self._words("link"), *parts, "-o", str(program), "-lm"], capture_output=True, text=True, check=False
        )
        if linked.returncode:
            return NOT_COMPILING, linked.stderr[-300:], 0.0
        found = self._run(program, FIRST_SIZE, call_s, total_s)
        return found if found[0] != "passed" else self._run(program, self.kernel.benchmark_size, call_s, total_s)

    def _run(self, program: Path, size: int, call_s: int, total_s: int) -> tuple[str, str, float]:
        programs = [str(program), str(self.built / f"reference_{self.kernel.name}"), str(self.built / "empty")]
        options = {
            "size": min(size, self.kernel.benchmark_size),
            "mem_kb": int(self.kernel.memory_limit_mb * 1024),
            "call_s": call_s,
            "total_s": total_s,
            "tests_only": 1,
            "unwalled": 1,  # the sources are ours
        }
        judge = str(self.built / f"judge_{self.kernel.name}")
        command = [judge, *programs, *(f"{key}={value}" for key, value in options.items())]
        before = os.times()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=FUSE_S)
        except subprocess.TimeoutExpired as error:
            process.kill()
            process.communicate()
            raise Broken(f"{self.kernel.name}: a judge did not end within {FUSE_S} s: the machine is too busy") from error
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        try:
            said = json.loads(out)
        except ValueError as error:
            raise Broken(f"{self.kernel.name}: the judge ended with status {process.returncode}: {err[-300:]!r}") from error
        return said["verdict"], said["detail"], used

    def original(self, source: bytes, name: str) -> tuple[bytes, int, int]:
        """Its object's bytes, and the limits for its mutants in seconds."""
        made = self.compile(source, f"original-{name}")
        if made is None:
            raise Broken(f"{self.kernel.name}: {name}.c does not compile")
        for call_s in (LONGEST_CALL_S, 10 * LONGEST_CALL_S):
            verdict, detail, used = self.judge(made, call_s, 180)
            if verdict == "passed":
                return made.read_bytes(), call_s, max(2, int(SLOWER_FACTOR * used + 1))
        raise Broken(f"{self.kernel.name}: {name}.c itself is {verdict}: {detail}")


def fates(bench: Bench, name: str) -> Iterator[Fate]:
    """Of the drawn mutants of one source, in the order of the text."""
    source = (bench.kernel.folder / f"{name}.c").read_bytes()
    original, call_s, total_s = bench.original(source, name)
    processors: queue.SimpleQueue[int] = queue.SimpleQueue()
    for processor in (usable := sorted(os.sched_getaffinity(0))):
        processors.put(processor)

    def claim() -> None:
        """For this thread and what it starts: the judge pins itself to a processor that it may use."""
        os.sched_setaffinity(0, {processors.get()})

    def fate(number: int, mutant: Mutant) -> Fate:
        made = bench.compile(mutant.apply(source), f"{name}-{number}")
        if made is None:
            return Fate(mutant, NOT_COMPILING)
        if made.read_bytes() == original:
            return Fate(mutant, IDENTICAL)
        verdict, detail, _ = bench.judge(made, call_s, total_s)
        made.with_name("answer").unlink(missing_ok=True)
        if verdict == "internal_error":
            raise Broken(f"{bench.kernel.name}: {name}.c: {mutant.name}: {detail}")
        return Fate(mutant, SURVIVED if verdict == "passed" else verdict, detail)

    with ThreadPoolExecutor(len(usable), initializer=claim) as pool:
        yield from pool.map(fate, *zip(*enumerate(drawn(source, f"{bench.kernel.name}/{name}.c")), strict=True))

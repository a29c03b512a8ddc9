"""Every function of C11 and POSIX.1-2008 that libc has is called behind the filter: what is refused is refused on purpose.

libc/calls.txt has a call of each, one a line, `header function: statement`: the functions are those that glibc's own conformance
tests list for the two standards, with some that are in neither (`more`). A program holds them all, with a range of them that is
written into its image before each run; its answer is then NaN, so that the judge ends at the first test. docs/record.md has the
table of what is refused.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

from grading.sandbox.local import host_arch
from tests.harness.conftest import build

LIBC = Path(__file__).with_name("libc")
RECORD = Path(__file__).resolve().parents[2] / "docs" / "record.md"
MARK = 0x6C6C61635F74736C
LEAST = 1100  # functions: another libc lacks some
TOGETHER = 24
COMPILE = ["gcc", "-std=gnu11", "-O0", "-fno-builtin", "-w", "-Werror=implicit-function-declaration", "-fno-pie", "-c"]


@dataclass(frozen=True)
class Call:
    header: str
    function: str
    statement: str


def calls() -> list[Call]:
    found = [re.fullmatch(r"(\S+) (\w+): (.+)", line) for line in (LIBC / "calls.txt").read_text().splitlines()]
    return [Call(*match.groups()) for match in found if match]


def refused() -> dict[str, tuple[str, str]]:
    """The table of docs/record.md: function -> verdict, words of the detail."""
    section = RECORD.read_text().partition("## What an answer may ask of the system")[2].partition("\n## ")[0]
    table: dict[str, tuple[str, str]] = {}
    for line in section.splitlines():
        if match := re.fullmatch(r"\| (.+?) \| `(\w+)` \| (.+) \|", line):
            table |= dict.fromkeys(re.findall(r"`(\w+)`", match[3]), (match[2], match[1]))
    return table


class Program:
    """All calls in one program, and the judge that runs some of them."""

    def __init__(self, folder: Path, harness: Path) -> None:
        self.folder, self.harness = folder, harness
        self.calls = self._known_to_the_compiler()
        assert self._compile(self.calls) == ""
        flags = (harness / "link").read_text().split()
        objects = [str(harness / "child_dot_f32.o"), str(folder / "calls.o")]
        subprocess.run(["gcc", *flags, "-w", "-o", str(folder / "calls"), *objects, "-lm"], check=True, capture_output=True)
        self.image = (folder / "calls").read_bytes()
        self.at = self.image.index(struct.pack("<Q", MARK)) + 8

    def run(self, first: int, last: int) -> tuple[str, str]:
        """The verdict and the detail of a program that makes calls first .. last - 1, then answers NaN."""
        program = self.folder / "some"
        program.write_bytes(self.image[: self.at] + struct.pack("<QQ", first, last) + self.image[self.at + 16 :])
        program.chmod(0o755)
        children = [str(program), str(self.harness / "reference_dot_f32"), str(self.harness / "empty")]
        options = ["size=1000", "rounds=3", "processes=1", "mem_kb=1000000", "call_s=2", "total_s=20"]
        done = subprocess.run([str(self.harness / "judge_dot_f32"), *children, *options], capture_output=True, timeout=120)
        said = json.loads(done.stdout)
        return said["verdict"], said["detail"]

    def _known_to_the_compiler(self) -> list[Call]:
        """Those that this libc declares: each line of the program is told by its number in a made-up file."""
        known = calls()
        complaints = self._compile(known)
        unknown = {int(number) for number in re.findall(r"^calls:(\d+):", complaints, re.MULTILINE)}
        return [call for number, call in enumerate(known) if number not in unknown]

    def _compile(self, known: list[Call]) -> str:
        bodies = [f'static void call_{i}(void)\n{{\n#line {i} "calls"\n\t{known[i].statement};\n}}' for i in range(len(known))]
        table = ", ".join(f"call_{i}" for i in range(len(known)))
        source = f"""
{(LIBC / "calls.h").read_text()}
{chr(10).join(bodies)}
static void (*const calls[])(void) = {{ {table} }};
volatile unsigned long which[3] = {{ {MARK}ul, 0, 0 }};
float dot_f32(const float *a, const float *b, size_t n)
{{
	(void)a, (void)b, (void)n;
	for (unsigned long i = which[1]; i < which[2]; i++) calls[i]();
	return NAN;
}}
"""
        (self.folder / "calls.c").write_text(source)
        command = [*COMPILE, str(self.folder / "calls.c"), "-o", str(self.folder / "calls.o")]
        return subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stderr


def is_harmless(outcome: tuple[str, str]) -> bool:
    return outcome[0] == "wrong_answer" and "nan" in outcome[1]


@pytest.fixture(scope="module")
def program(harness_sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("libc")
    done = build(harness_sources, folder / "harness", "dot_f32")
    assert done.returncode == 0, done.stderr
    return Program(folder, folder / "harness")


def groups(program: Program, names: set[str]) -> Iterator[tuple[int, int]]:
    """Ranges of calls that are in no table, of one header and not too many at once."""
    wanted = [i for i, call in enumerate(program.calls) if call.function not in names]
    runs = groupby(enumerate(wanted), lambda pair: (pair[1] - pair[0], program.calls[pair[1]].header))
    for _, run in runs:
        numbers = [number for _, number in run]
        for start in range(0, len(numbers), TOGETHER):
            part = numbers[start : start + TOGETHER]
            yield part[0], part[-1] + 1


def test_every_function_of_the_standards_is_called(program: Program) -> None:
    assert len(program.calls) >= LEAST
    names = [call.function for call in program.calls]
    assert len(names) == len(set(names))
    assert {"qsort", "pthread_once", "sysconf", "call_once", "sin", "strtok_r", "mlock", "fopen"} <= set(names)


def test_every_function_that_is_in_no_table_is_let_through(program: Program) -> None:
    stopped = {}
    for first, last in groups(program, set(refused())):
        if is_harmless(program.run(first, last)):
            continue
        for i in range(first, last):
            if not is_harmless(outcome := program.run(i, i + 1)):
                stopped[program.calls[i].function] = outcome
    assert not stopped, "let them through in grading/harness/filter.h, or name them in the table of docs/record.md"


def test_every_function_of_the_table_is_refused_in_its_words(program: Program) -> None:
    assert len(refused()) > 40
    place = {call.function: i for i, call in enumerate(program.calls)}
    other = {}
    for function, (verdict, words) in refused().items():
        if function not in place:
            continue
        outcome = program.run(place[function], place[function] + 1)
        if outcome[0] != verdict or words not in outcome[1]:
            other[function] = outcome
    assert not other


def test_the_names_in_the_table_are_functions_that_are_called() -> None:
    if host_arch() == "amd64":
        assert set(refused()) <= {call.function for call in calls()}

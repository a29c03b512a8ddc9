#!/usr/bin/env python3
"""Continuous integration: each supported Python, both databases, every kind of test, within an hour.

    .ci/run                    all parts; of the slow tests as many turns as there is time for, each commit from another one on
    .ci/run --part 3           beginning with the third turn
    .ci/run --only lint-3.13   this part alone (again, for more than one)

A part has a time limit of its own; one that hangs fails, and the next ones run. What is not run is said, with the reason. A test
that fails beside others and passes alone does not fail the part: it is named as flaky at the end, and is a bug to be looked for.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts import interpreters

TOTAL_S = 3400  # .ci/run ends it at 3,480 s
SHARES = 8  # of the slow tests that run side by side; one turn more is of those that need the machine for themselves
TURNS = SHARES + 1
SHARE_S = 600
NEWEST_S = 120  # what is left for the next share to be begun
PARTS_ALONE = "browser or chaos or engine or environment"
QUICK = f"not slow and not fuzz and not ({PARTS_ALONE})"
SLOW = "(slow or fuzz) and not (browser or chaos or engine)"
SLOW_ALONE = "(slow or fuzz) and (browser or engine) and not chaos"
SIDE_BY_SIDE = ["-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]
PR_SET_CHILD_SUBREAPER = 36
SHORTEST_S = 20  # a part with less time is not begun, and fails
FLAKY_AT_MOST = 3  # more failures than these in a part are no accident: no second try
LINGER_S = 15  # how long helpers of what has ended may take to end too
BEGAN = time.monotonic()


def left_s() -> float:
    return TOTAL_S - (time.monotonic() - BEGAN)


def say(text: str) -> None:
    print(f"CI: {text}", flush=True)


@dataclass(frozen=True)
class Part:
    name: str
    command: list[str]
    limit_s: int
    is_optional: bool = False  # left out when time is short
    environment: dict[str, str] = field(default_factory=dict)
    is_setup: bool = False  # installers start services; `--only` includes it
    may_be_empty: bool = False  # pytest's 5, no tests, is no failure


def pytest_of(venv: str, marker: str, *more: str) -> list[str]:
    return [f"{venv}/bin/python", "-m", "pytest", "-p", "tests.strict", "-q", "-rfEs", "--durations=5", "-m", marker, *more]


# running one


def become_subreaper() -> None:
    """What loses its parent becomes our child, so that nothing that a part starts is out of sight."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())


def below(pid: int) -> Iterator[int]:
    """The processes under this one, the deepest first. Orphans are ours too (a subreaper's)."""
    for child in children(pid):
        yield from below(child)
        yield child


def reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def wait(process: subprocess.Popen[bytes], limit_s: float) -> int:
    """The exit status. Orphans that end meanwhile are reaped, as init would: tests wait for them to be gone."""
    until = time.monotonic() + limit_s
    while (status := process.poll()) is None:
        if time.monotonic() > until:
            raise subprocess.TimeoutExpired(process.args, limit_s)
        for pid in set(children(os.getpid())) - {process.pid}:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.1)
    return status


def leftovers() -> list[str]:
    """What a part leaves running, ended here, by name."""
    until = time.monotonic() + LINGER_S
    while list(below(os.getpid())) and time.monotonic() < until:
        time.sleep(0.2)
        reap()
    names = []
    while pids := list(below(os.getpid())):
        for pid in pids:
            with suppress(OSError):
                names.append(
                    Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:100]
                )
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        reap()
    return [name for name in names if name]


def run(part: Part, *more: str) -> str:
    """ "" when it is fine, else what is wrong. `more` are further arguments of its command."""
    limit_s = min(part.limit_s, left_s())
    if left_s() < SHORTEST_S:
        return "not run: the hour is over"
    environment = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "PYTHON")} | part.environment
    process = subprocess.Popen(
        [*part.command, *more], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        status = wait(process, limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        leftovers()
        return f"did not end within {limit_s:.0f} s"
    if part.is_setup:
        return f"exit {status}" if status else ""
    left = leftovers()
    if status and not (status == 5 and part.may_be_empty):
        return f"exit {status}"
    return f"left processes: {'; '.join(left)}" if left else ""


def run_twice(part: Part) -> tuple[str, list[str]]:
    """What is wrong, as `run` says it, and the tests that failed in a run of many and passed alone."""
    if "tests.strict" not in part.command:
        return run(part), []
    kept = ROOT / "var" / "ci" / f"failed-{part.name}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.unlink(missing_ok=True)
    fault = run(part, "--failed-to", str(kept))
    names = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    if fault != "exit 1" or not 0 < len(names) <= FLAKY_AT_MOST:
        return fault, []
    say(f"{part.name}: {len(names)} failed: a second try, alone")
    return (fault, []) if run(part, "-n", "0", "--until", "0", "--again", str(kept)) else ("", names)


class Run:
    def __init__(self, only: list[str]) -> None:
        self.only = only
        self.lines: list[str] = []
        self.failed: list[str] = []
        self.flaky: list[str] = []

    def note(self, text: str) -> None:
        self.lines.append(text)
        say(text)

    def do(self, part: Part) -> bool:
        if self.only and not part.is_setup and not any(part.name.startswith(name) for name in self.only):
            return True
        if part.is_optional and left_s() < part.limit_s:
            self.note(f"{part.name}: left out: it may take {part.limit_s} s, and {left_s():.0f} s are left")
            return True
        say(f"{part.name}: begins, {left_s():.0f} s left")
        began = time.monotonic()
        fault, flaky = run_twice(part)
        if fault:
            self.failed.append(part.name)
        self.flaky += [f"{part.name}: {name}" for name in flaky]
        self.note(f"{part.name}: {'FAILED: ' + fault if fault else 'fine'}, {time.monotonic() - began:.0f} s")
        return not fault

    def end(self) -> int:
        say(f"summary after {time.monotonic() - BEGAN:.0f} s")
        for line in self.lines:
            print(f"  {line}")
        for name in self.flaky:
            print(f"CI: flaky: {name} (failed beside others, passed alone: find out why)")
        print(f"CI: failed: {', '.join(self.failed)}" if self.failed else "CI: all fine", flush=True)
        return 1 if self.failed else 0


# the parts


def set_up(one: Run, pythons: dict[str, str]) -> dict[str, str]:
    """A virtual environment of each Python: the checkout's own where that is of its version, else one under var/."""
    first = next(iter(pythons))
    own = ROOT / ".venv" / "bin" / "python"
    wanted = {} if own.exists() else {"PYTHON": pythons[first]}
    if not one.do(Part("setup", ["scripts/setup.sh", "dev"], 900, environment=wanted, is_setup=True)):
        return {}
    venvs = {}
    for version, python in pythons.items():
        venv = ".venv"
        if interpreters.version_of(str(own))[0] != version:
            venv = f"var/ci/py{version}"
            command = ["scripts/make_venv.sh", python, venv]
            if not one.do(Part(f"venv-{version}", command, 600, is_setup=True)):
                continue
        venvs[version] = venv
    one.do(Part("tools", ["scripts/install_test_tools.sh"], 900, is_setup=True))
    return venvs


def required(venvs: dict[str, str]) -> Iterator[Part]:
    low = next(iter(venvs))
    high = "3.13" if "3.13" in venvs else list(venvs)[-1]
    equals = list(dict.fromkeys([low, high]))
    for version in equals:
        yield Part(f"lint-{version}", ["scripts/lint.sh"], 400, environment={"VENV": venvs[version]})
    for version in equals:
        yield Part(f"quick-{version}-sqlite", pytest_of(venvs[version], QUICK, *SIDE_BY_SIDE), 900)
    postgres = [f"{venvs[high]}/bin/python", "scripts/with_postgres.py"]
    yield Part(f"quick-{high}-postgresql", [*postgres, *pytest_of(venvs[high], QUICK, *SIDE_BY_SIDE)], 900)
    for version in equals:
        yield Part(f"demo-{version}", [f"{venvs[version]}/bin/python", "scripts/demo_smoke.py"], 300)
    yield Part("environment", ["bash", "-c", 'scripts/setup_environment.sh >/dev/null && exec "$@"', "_",
                               *pytest_of(venvs[low], "environment and not slow")], 500)  # fmt: skip
    yield Part("browser", pytest_of(venvs[low], "browser and not slow"), 400)
    yield Part("engines", pytest_of(venvs[low], "engine and not slow"), 700)
    yield Part("chaos", pytest_of(venvs[low], "chaos"), 500)


def others(venvs: dict[str, str]) -> Iterator[Part]:
    """The Pythons between the ends: what imports, pages and the site's own logic, the demo."""
    for version in venvs:
        if version in (next(iter(venvs)), "3.13"):
            continue
        python = f"{venvs[version]}/bin/python"
        yield Part(f"demo-{version}", [python, "scripts/demo_smoke.py"], 200, is_optional=True)
        yield Part(f"check-{version}", [python, "manage.py", "check", "--fail-level", "WARNING"], 60, is_optional=True)
        yield Part(f"pages-{version}", [*pytest_of(venvs[version], QUICK, *SIDE_BY_SIDE), "tests/pages"], 240, is_optional=True)


def slow_turn(turn: int, venv: str, until: float) -> list[str]:
    if turn == TURNS:
        return pytest_of(venv, SLOW_ALONE, "--until", f"{until:.0f}")
    return pytest_of(venv, SLOW, *SIDE_BY_SIDE, "--share", f"{turn}/{SHARES}", "--until", f"{until:.0f}")


def slow(one: Run, venv: str, first: int) -> None:
    """Turn after turn of the slow tests, until the time is over."""
    begun = 0
    for number in range(TURNS):
        turn = (first - 1 + number) % TURNS + 1
        end_s = min(SHARE_S, left_s() - 240)  # the last test that begins may take a while
        if end_s < NEWEST_S:
            break
        begun += 1
        one.do(Part(f"slow-{turn}", slow_turn(turn, venv, time.time() + end_s), int(end_s) + 230, may_be_empty=True))
    if begun < TURNS and not one.only:
        one.note(f"slow tests: {begun} of {TURNS} turns had time, from the {first}th on; another commit begins with another one")


def turn_of_commit() -> int:
    done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout.strip() or 0) % TURNS + 1


def stop(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(description="All that must hold before a change lands.")
    parser.add_argument("--part", type=int, choices=range(1, TURNS + 1), help="the turn of the slow tests to begin with")
    parser.add_argument("--only", action="append", default=[], help="the parts whose names begin with this")
    options = parser.parse_args()
    become_subreaper()
    signal.signal(signal.SIGTERM, stop)
    one = Run(options.only)
    pythons = {}
    for version in interpreters.SUPPORTED:
        python, reason = interpreters.find(version)
        if python:
            pythons[version] = python
        one.note(f"Python {version}: {python or 'absent: ' + reason}")
    try:
        if not pythons:
            one.failed.append("pythons")
        elif venvs := set_up(one, pythons):
            for part in [*required(venvs), *others(venvs)]:
                one.do(part)
            if not options.only or any(name.startswith("slow") for name in options.only):
                slow(one, next(iter(venvs.values())), options.part or turn_of_commit())
    finally:
        leftovers_ended = leftovers()
        status = one.end()
        if leftovers_ended:
            say(f"ended: {'; '.join(leftovers_ended)}")
    return status


if __name__ == "__main__":
    raise SystemExit(main())

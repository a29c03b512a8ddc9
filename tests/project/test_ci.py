"""What CI says and does beside running tests: absent Pythons, skips without an excuse, hung parts, what is left running."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from scripts import ci, interpreters
from tests.strict import is_excused

ROOT = Path(__file__).resolve().parents[2]


def put(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No Python anywhere."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.delenv("PYTHONS", raising=False)
    return tmp_path


def test_a_python_is_found_on_the_path_in_pyenv_and_by_name(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = put(machine / "bin" / "python3.12", "echo 3.12")
    in_pyenv = put(machine / "pyenv" / "versions" / "3.13.10" / "bin" / "python3", "echo 3.13")
    put(machine / "pyenv" / "versions" / "3.13.9" / "bin" / "python3", "echo 3.13")
    named = put(machine / "opt" / "snake", "echo 3.14")
    monkeypatch.setenv("PYTHONS", str(named))
    found = [interpreters.find(version)[0] for version in interpreters.SUPPORTED]
    assert found == [None, str(on_path), str(in_pyenv), str(named)]


def test_a_shim_without_a_python_behind_it_counts_as_absent_and_the_next_one_is_tried(machine: Path) -> None:
    shim = put(machine / "bin" / "python3.13", "echo 'pyenv: python3.13: command not found' >&2; exit 127")
    assert interpreters.find("3.13") == (None, f"{shim} does not start: pyenv: python3.13: command not found")
    real = put(machine / "pyenv" / "versions" / "3.13.0" / "bin" / "python3", "echo 3.13")
    assert interpreters.find("3.13") == (str(real), "")


def test_an_absent_python_is_one_line(machine: Path) -> None:
    assert interpreters.find("3.12") == (None, "there is none on the PATH, under PYENV_ROOT or in PYTHONS")


SKIPS = """
import pytest
@pytest.mark.skipif(True, reason="{reason}")
def test_one(): pass
def test_two(): pass
"""


def run_strictly(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "tests.strict", "-p", "no:django", "-c", os.devnull, "-q", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("side_by_side", [(), ("-n", "1")], ids=["alone", "side by side"])
def test_a_skip_that_an_installer_could_have_prevented_fails_the_run(tmp_path: Path, side_by_side: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text(SKIPS.format(reason="no Chromium: apt-get install chromium"))
    done = run_strictly(tmp_path, *side_by_side)
    assert done.returncode == 1, done.stdout
    assert "skipped without an excuse: test_it.py::test_one: no Chromium: apt-get install chromium" in done.stdout


@pytest.mark.parametrize("side_by_side", [(), ("-n", "1")], ids=["alone", "side by side"])
def test_a_module_that_is_skipped_whole_fails_the_run_too(tmp_path: Path, side_by_side: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text("import pytest\npytest.importorskip('nowhere', reason='nowhere is not installed')\n")
    (tmp_path / "test_other.py").write_text("def test_two(): pass\n")
    done = run_strictly(tmp_path, *side_by_side)
    assert done.returncode == 1, done.stdout
    assert "nowhere is not installed" in done.stdout


def test_a_skip_for_what_the_machine_is_does_not_fail_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SKIPS.format(reason="is arm64 code"))
    assert run_strictly(tmp_path).returncode == 0


@pytest.mark.parametrize("reason", ["PostgreSQL is not installed", "no axe-core: npm ci", "dockerd is not installed", ""])
def test_what_can_be_installed_is_no_excuse(reason: str) -> None:
    assert not is_excused(reason)


def test_the_shares_hold_every_test_once(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("".join(f"def test_{number}(): pass\n" for number in range(10)))
    run = [run_strictly(tmp_path, "-vv", f"--share={number}/3").stdout for number in (1, 2, 3)]
    assert sorted(sum(f"test_{number} PASSED" in said for said in run) for number in range(10)) == [1] * 10


def chooses(expression: Expression, marks: set[str]) -> bool:
    def has(name: str, /, **_: str | int | bool | None) -> bool:
        return name in marks

    return expression.evaluate(has)


def test_every_kind_of_test_is_run_by_a_part() -> None:
    parts = [*ci.required({"3.11": "a", "3.13": "b"})]
    commands = [part.command for part in parts] + [ci.slow_turn(turn, "a", 0) for turn in range(1, ci.TURNS + 1)]
    expressions = [
        Expression.compile(command[command.index("-m", command.index("pytest")) + 1])
        for command in commands
        if "pytest" in command
    ]
    marks = ("slow", "fuzz", "browser", "chaos", "engine", "environment")
    for has in product([False, True], repeat=len(marks)):
        kind = {mark for mark, it_has in zip(marks, has, strict=True) if it_has}
        assert any(chooses(expression, kind) for expression in expressions), kind


def test_tests_for_which_no_time_is_left_are_counted_and_fail_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_one(): pass\ndef test_two(): assert False\n")
    done = run_strictly(tmp_path, f"--until={time.time() - 1}")
    assert done.returncode == 0
    assert "2 tests are left out" in done.stdout


# In a process of its own, since it collects all children that there are.
def ci_says(script: str) -> str:
    program = f"import signal, sys\nfrom scripts import ci\nci.LINGER_S = 1\nci.become_subreaper()\n{script}"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_part_that_hangs_fails_names_itself_and_the_next_one_runs() -> None:
    said = ci_says(
        "ci.SHORTEST_S = 0\none = ci.Run([])\n"
        "one.do(ci.Part('stuck', ['sleep', '7301'], 1))\none.do(ci.Part('next', ['true'], 60))\nassert one.end() == 1"
    )
    assert "stuck: FAILED: did not end within 1 s" in said
    assert "next: fine" in said
    assert "CI: failed: stuck" in said


def test_a_part_that_leaves_a_process_fails_and_the_process_is_ended() -> None:
    said = ci_says("print(ci.run(ci.Part('x', ['sh', '-c', 'setsid sleep 7302 & exit 0'], 60)), list(ci.below(ci.os.getpid())))")
    assert said == "left processes: sleep 7302 []\n"


SOMETIMES = """
import pytest
from pathlib import Path
@pytest.mark.parametrize("number", range({number}))
def test_it(number):
    seen = Path(__file__).with_name(f"seen-{{number}}")
    assert {condition}, seen.write_text("")
def test_other(): pass
"""


@pytest.mark.parametrize(
    ("condition", "number", "said"),
    [
        ("seen.exists()", 1, ["part: fine", "CI: flaky: part: test_it.py::test_it[0] (failed", "CI: all fine"]),
        ("False", 1, ["part: FAILED: exit 1", "CI: failed: part"]),
        ("seen.exists()", ci.FLAKY_AT_MOST + 1, ["part: FAILED: exit 1", "CI: failed: part"]),
    ],
    ids=["passes alone", "fails alone", "too many"],
)  # fmt: skip
def test_a_test_that_passes_alone_is_named_and_one_that_fails_again_fails(
    tmp_path: Path, condition: str, number: int, said: list[str]
) -> None:
    (tmp_path / "test_it.py").write_text(SOMETIMES.format(number=number, condition=condition))
    command = [sys.executable, "-m", "pytest", "-p", "tests.strict", "-p", "no:django", "-c", os.devnull, "-q", "-n", "1"]
    part = f"ci.Part('part', {[*command, '--rootdir', str(tmp_path), f'--until={time.time() + 600}', str(tmp_path)]!r}, 60)"
    output = ci_says(
        f"from pathlib import Path\nci.os.environ['PYTHONPATH'] = {str(ROOT)!r}\nci.ROOT = Path({str(tmp_path)!r})\n"
        f"one = ci.Run([])\none.do({part})\none.end()"
    )
    for line in said:
        assert line in output
    assert ("flaky" in output) == ("flaky" in "".join(said))


def test_a_failure_beside_a_skip_without_an_excuse_is_not_tried_again(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SKIPS.format(reason="no Chromium") + "def test_three(): assert False\n")
    assert run_strictly(tmp_path, f"--failed-to={tmp_path / 'names'}").returncode == 1
    assert (tmp_path / "names").read_text() == ""


def test_no_tests_is_a_failure_except_where_a_share_may_be_empty() -> None:
    command = "['sh', '-c', 'exit 5']"
    said = ci_says(
        f"print(repr(ci.run(ci.Part('x', {command}, 60))), repr(ci.run(ci.Part('x', {command}, 60, may_be_empty=True))))"
    )
    assert said == "'exit 5' ''\n"


def test_what_is_left_out_for_want_of_time_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ci, "left_s", lambda: 100.0)
    ci.Run([]).do(ci.Part("pages-3.12", ["false"], 240, is_optional=True))
    assert "pages-3.12: left out: it may take 240 s, and 100 s are left" in capsys.readouterr().out


def test_a_required_part_without_time_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ci, "left_s", lambda: 1.0)
    one = ci.Run([])
    one.do(ci.Part("chaos", ["true"], 240))
    assert one.failed == ["chaos"]

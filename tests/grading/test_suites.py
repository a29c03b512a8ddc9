"""Kernels that are scored together: what kernel.toml says of it, and what commands take."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from arch_kernels_v1 import options
from grading import __main__ as command_line
from kernels import catalog
from kernels.catalog import BadSuite, UnknownKernel, choose, of_suite, suites
from kernels.spec import DEFAULT_SUITE, SpecError, load_spec
from leaderboard.comparison import cli
from leaderboard.evaluation.request import BadEvaluationRequest
from leaderboard.management.commands import evaluate

SECOND = "arch-kernels-v2"
MOVED = ("sort_u32", "matmul_f32")


@pytest.fixture
def two_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kernels are of a second one, all others of the first, whatever their kernel.toml says."""
    known = catalog.load_catalog()
    changed = {name: replace(spec, suite=SECOND if name in MOVED else DEFAULT_SUITE) for name, spec in known.items()}
    monkeypatch.setattr(catalog, "load_catalog", lambda: changed)


def folder_with(tmp_path: Path, line: str) -> Path:
    folder = tmp_path / "dot_f32"
    shutil.copytree(catalog.ROOT / "dot_f32", folder)
    toml = folder / "kernel.toml"
    toml.write_text(line + toml.read_text())
    return folder


def test_a_kernel_is_of_the_first_suite_unless_it_names_another(tmp_path):
    assert DEFAULT_SUITE == "arch-kernels-v1"
    for spec in catalog.load_catalog().values():
        named = tomllib.loads((spec.folder / "kernel.toml").read_text()).get("suite")
        assert spec.suite == (named or DEFAULT_SUITE)
    assert load_spec(folder_with(tmp_path, f'suite = "{SECOND}"\n')).suite == SECOND


@pytest.mark.parametrize(
    "line", ['suite = ""\n', 'suite = "Two words"\n', "suite = 2\n", 'suite = "a&b"\n', f'suite = "{"x" * 65}"\n']
)
def test_a_suites_name_fits_into_an_address(tmp_path, line):
    with pytest.raises(SpecError, match="suite"):
        load_spec(folder_with(tmp_path, line))


def test_kernels_are_chosen_within_one_suite(two_suites):
    assert suites() == [DEFAULT_SUITE, SECOND]
    assert list(of_suite(SECOND)) == ["matmul_f32", "sort_u32"]  # by position
    assert set(choose()) == set(of_suite()) == set(catalog.load_catalog()) - set(MOVED)
    assert list(choose(["sort_u32"])) == ["sort_u32"]
    assert list(choose(suite=SECOND)) == ["matmul_f32", "sort_u32"]
    for names, suite in ((["sort_u32", "dot_f32"], ""), (["sort_u32"], DEFAULT_SUITE), (["dot_f32"], SECOND)):
        with pytest.raises(BadSuite, match="choose kernels of one suite"):
            choose(names, suite)
    with pytest.raises(BadSuite, match=f"no suite 'nope'; there are: {DEFAULT_SUITE}, {SECOND}"):
        choose(suite="nope")
    with pytest.raises(UnknownKernel):
        choose(["nope"])


def test_the_graders_command_lists_one_suite(two_suites, capsys):
    assert command_line.main(["--list", "--suite", SECOND]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["matmul_f32", "sort_u32"]
    assert command_line.main(["--list"]) == 0
    assert "sort_u32" not in capsys.readouterr().out
    for arguments in (["--list", "--suite", "nope"], ["--baseline", "tuned", "--kernel", "dot_f32", "--suite", SECOND]):
        with pytest.raises(SystemExit) as ended:
            command_line.main(arguments)
        assert ended.value.code == 2
        assert "suite" in capsys.readouterr().err


def test_a_comparison_is_of_one_suite(two_suites):
    assert set(cli.chosen_kernels([])) == set(of_suite())
    assert set(cli.chosen_kernels(["sort_u32,matmul_f32"])) == set(cli.chosen_kernels([], SECOND)) == set(MOVED)
    for words, suite in ((["sort_u32,dot_f32"], ""), ([], "nope")):
        with pytest.raises(cli.Refused, match="suite"):
            cli.chosen_kernels(words, suite)


def test_an_evaluation_asks_one_suite_or_what_is_named(two_suites):
    assert set(evaluate._kernels([], "")) == set(of_suite())
    assert evaluate._kernels([], SECOND) == ["matmul_f32", "sort_u32"]
    assert evaluate._kernels(["sort_u32,dot_f32"], "") == ["dot_f32", "sort_u32"]
    with pytest.raises(BadEvaluationRequest, match="suite"):
        evaluate._kernels(["dot_f32"], SECOND)


def test_a_training_run_is_of_one_suite(two_suites):
    assert set(options.all_kernels()) == set(of_suite())
    assert options.all_kernels(SECOND) == ["matmul_f32", "sort_u32"]
    assert options.in_one_suite(["sort_u32"], SECOND) == ["sort_u32"]
    with pytest.raises(ValueError, match="choose kernels of one suite"):
        options.in_one_suite(["sort_u32", "dot_f32"], SECOND)

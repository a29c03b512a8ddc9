"""The options of the environment, as verifiers reads them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from grading.sandbox.registry import BACKENDS
from tests.environment.running import Verifiers, run_folder

pytestmark = pytest.mark.environment

URL, MODEL = "http://127.0.0.1:9/v1", "vendor/model"
WRONG = {
    ("kernels", "dot_f32,dot"): "no kernel 'dot'; there are: dot_f32",
    ("kernels", ""): "no kernel is named",
    ("suite", "arch-kernels-v0"): "no suite 'arch-kernels-v0'; there are: arch-kernels-v1",
    ("sandbox", "cloud"): f"no sandbox 'cloud'; there are: {', '.join(BACKENDS)}",
    ("arch", "riscv"): "'amd64' or 'arm64'",
    ("cpu", "0"): "greater than 0",
    ("memory", "-1"): "greater than 0",
}
VALIDATE = """
import json, sys
from pydantic import ValidationError
from arch_kernels_v1.taskset import KernelTasksetConfig
for option, value in json.load(sys.stdin):
    try:
        KernelTasksetConfig.model_validate({"id": "arch-kernels-v1", option: value})
        print("fine")
    except ValidationError as error:
        print(" ".join(str(error).split()))
"""


def test_what_cannot_be_is_refused_by_name(verifiers: Verifiers):
    python = str(verifiers.folder / "bin" / "python")
    done = subprocess.run([python, "-c", VALIDATE], input=json.dumps(list(WRONG)), capture_output=True, text=True, check=True)
    for ((option, _), said), line in zip(WRONG.items(), done.stdout.splitlines(), strict=True):
        assert option in line
        assert said in line


def test_the_command_refuses_an_unknown_kernel_and_names_those_there_are(verifiers: Verifiers, tmp_path: Path):
    process = verifiers.start(verifiers.command(URL, MODEL, "--env.taskset.kernels", "dot_f32,dot"), tmp_path, {})
    assert process.wait(120) != 0
    said = " ".join((tmp_path / "log.txt").read_text(encoding="utf-8").replace("│", " ").split())
    assert "kernels" in said
    assert "no kernel 'dot'; there are: dot_f32, prefix_sum_i64" in said


@pytest.mark.parametrize("kernels", [["sort_u32,dot_f32"], pytest.param(["sort_u32", "dot_f32"], marks=pytest.mark.slow)])
def test_kernels_are_listed_with_commas_or_blanks_and_defaults_are_written_down(verifiers: Verifiers, tmp_path: Path, kernels):
    command = verifiers.command(URL, MODEL, "--dry-run", "--env.taskset.kernels", *kernels)
    verifiers.run(command, tmp_path, {})
    config = json.loads((run_folder(tmp_path) / "configs" / "resolved" / "eval.json").read_text())
    taskset = config["env"]["taskset"]
    assert taskset["kernels"] == ["sort_u32", "dot_f32"]
    assert [taskset[name] for name in ("arch", "cpu", "memory", "sandbox")] == ["arm64", 2.0, 4.0, "prime"]

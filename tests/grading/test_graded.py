"""Real gradings from the outside: the command line, two at once, one that is killed, one without bubblewrap."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grading.pipeline import Options, grade_source
from grading.result import FIELDS, Verdict
from grading.sandbox import local
from grading.sandbox.local import LocalSandbox, host_arch
from kernels.catalog import get_kernel
from tests.grading.corpus import SUBMISSIONS
from tests.grading.processes import alive, wait_until

ROOT = Path(__file__).resolve().parents[2]
SHORT = ["--size", str(1 << 20), "--rounds", "5", "--processes", "1"]
PLAIN = SUBMISSIONS / "redteam" / "00_honest_scalar_dot.c"
ENDLESS = SUBMISSIONS / "redteam" / "47_endless_loop.c"


def command(*arguments):
    return [sys.executable, "-m", "grading", "--kernel", "dot_f32", "--json", *SHORT, *map(str, arguments)]


def test_the_command_line_grades_and_prints_one_record():
    done = subprocess.run(command(PLAIN), cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert list(record) == list(FIELDS)
    assert record["verdict"] == "passed"
    assert record["speedup_low"] <= record["speedup"] <= record["speedup_high"]
    assert record["machine"]["cpu_model"]
    assert record["seconds"]["benchmark"] > 0


def test_two_at_once_wait_for_each_other():
    running = [subprocess.Popen(command(PLAIN), cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    records = [json.loads(process.communicate(timeout=300)[0]) for process in running]
    assert [record["verdict"] for record in records] == ["passed", "passed"]
    longest = max(record["seconds"]["wait"] for record in records)
    assert longest > 0.5 * min(record["seconds"]["benchmark"] for record in records)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_grading_that_is_ended_leaves_no_process(ending):
    with subprocess.Popen(
        [*command("--total-s", 171), ENDLESS],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    ) as process:
        wait_until(lambda: alive(b"total_s=171"), 300)
        process.send_signal(ending)
        out, _ = process.communicate(timeout=300)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -9}[ending]
    assert out == b""
    wait_until(lambda: not alive(b"total_s=171"))


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("redteam/00_honest_scalar_dot", "passed"),
        ("redteam/117_raw_clone", "extra_thread"),
        ("redteam/51_include_passwd", "compile_error"),
        ("redteam/70_w_raw_open", "wrong_answer"),
        ("redteam/44_kill_grader", "runtime_error"),
        ("honest/h24_scratch_64mb", "memory_limit"),
    ],
)
def test_without_bubblewrap_the_harness_holds_and_the_record_warns(name, verdict, monkeypatch):
    monkeypatch.setattr(local, "bubblewrap_missing", lambda: "bubblewrap is not installed")
    sandbox = LocalSandbox(host_arch())
    try:
        source = (SUBMISSIONS / f"{name}.c").read_text(encoding="utf-8")
        result = grade_source(source, get_kernel("dot_f32"), sandbox, Options(size=1 << 20, rounds=5, processes=1))
    finally:
        sandbox.close()
    assert result.verdict == verdict
    assert "bubblewrap is not installed" in result.machine["warning"]
    assert "root:" not in json.dumps(result.to_dict())
    assert "warning: no namespaces" in result.log["run"]


def test_a_fault_of_the_sandbox_is_no_verdict_on_the_command_line(tmp_path):
    env = {"ARCH_KERNELS_CACHE": str(tmp_path / "file" / "cache"), "PATH": "/usr/bin:/bin"}
    (tmp_path / "file").write_text("not a folder")
    done = subprocess.run(command(PLAIN), cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 3
    record = json.loads(done.stdout)
    assert (record["verdict"], record["kernel_score"]) == (Verdict.INTERNAL_ERROR, None)
    assert "Cannot keep a built harness" in record["detail"]

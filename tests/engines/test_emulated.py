"""arm64 by emulation: right and wrong are told apart, nothing is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing

import pytest

from grading.other_architecture import written_for_another
from grading.pipeline import EMULATED_FACTOR, Options, grade_reply, grade_source
from grading.result import Verdict
from grading.sandbox import emulated
from grading.sandbox.emulated import EmulatedSandbox
from kernels.catalog import get_kernel, load_catalog
from tests.engines import answers
from tests.engines.runs import rows_of

UNMEASURED = [
    "speedup",
    "speedup_low",
    "speedup_high",
    "sol_ms",
    "ref_ms",
    "throughput_m",
    "extra_mb",
    "peak_mb",
    "kernel_score",
    "samples",
    "within_memory",
]
DOT = get_kernel("dot_f32")


@pytest.fixture(scope="module")
def arm64(own_folders):
    if reason := emulated.why_unavailable("arm64"):
        pytest.skip(reason)
    with closing(EmulatedSandbox("arm64")) as sandbox:
        yield sandbox


def test_a_right_answer_passes_and_nothing_is_measured(arm64):
    record = grade_source(answers.RIGHT, DOT, arm64).to_dict()
    assert (record["verdict"], record["passed"], record["emulated"], record["arch"]) == ("passed", True, True, "arm64")
    assert {name: record[name] for name in UNMEASURED} == dict.fromkeys(UNMEASURED)


def test_a_failed_answer_has_no_score_either(arm64):
    record = grade_source(answers.WRONG, DOT, arm64).to_dict()
    assert record["verdict"] == "wrong_answer"
    assert record["passed"] is False
    assert record["kernel_score"] is None


def test_vector_code_for_arm_runs(arm64):
    source = """
#include <arm_neon.h>
float dot_f32(const float *a, const float *b, size_t n)
{
    float64x2_t sum = vdupq_n_f64(0);
    size_t i = 0;
    for (; i + 2 <= n; i += 2)
        sum = vfmaq_f64(sum, vcvt_f64_f32(vld1_f32(a + i)), vcvt_f64_f32(vld1_f32(b + i)));
    return vaddvq_f64(sum) + (i < n ? (double)a[i] * b[i] : 0);
}
"""
    assert grade_source(source, DOT, arm64).verdict is Verdict.PASSED


def test_the_machine_is_the_emulator_and_says_so(arm64):
    machine = grade_source(answers.BROKEN, DOT, arm64).machine
    assert machine["cpu_model"].startswith("qemu-aarch64")
    assert machine["compiler"].startswith("aarch64-linux-gnu-gcc")
    assert "-mcpu=neoverse-n1+crypto" in machine["flags"]
    assert "native" not in machine["flags"]
    assert "emulated" in machine["notice"]


def test_the_emulator_sees_nothing_of_this_machine_but_the_toolchain(arm64):
    seen = arm64.run(["sh", "-c", "ls / /etc /home /root /var 2>/dev/null; ls /proc | grep -c '^[0-9]'"], 60).stdout.decode()
    assert "passwd" not in seen
    assert "home" not in seen
    assert int(seen.split()[-1]) < 10


def test_an_emulated_answer_reaches_no_other_process(arm64):
    """It has no filter of its own; without this it could write the verdict itself."""
    source = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
float dot_f32(const float *a, const float *b, size_t n)
{
    static const char *const names[] = { "mem", "fd/1", "environ", "maps" };
    double sum = 0;
    int reached = 0;
    char path[64];
    for (int pid = 1; pid < 400; pid++)
        for (int k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "/proc/%d/%s", pid, names[k]);
            reached += pid != getpid() && open(path, k < 2 ? O_RDWR : O_RDONLY) >= 0;
        }
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * b[i];
    return reached ? 1e30f : sum;
}
"""
    result = grade_source(source, DOT, arm64)
    assert result.verdict is Verdict.PASSED, result.detail


def test_budgets_are_wider_than_on_a_real_machine(arm64, monkeypatch):
    asked = []
    run = arm64.run
    monkeypatch.setattr(arm64, "run", lambda command, timeout_s: asked.append((command, timeout_s)) or run(command, timeout_s))
    grade_source(answers.BROKEN, DOT, arm64, Options(call_s=10, total_s=20))
    command, timeout_s = asked[-1]
    assert f"call_s={10 * EMULATED_FACTOR}" in command
    assert f"total_s={20 * EMULATED_FACTOR}" in command
    assert timeout_s > 20 * EMULATED_FACTOR


def test_only_arm64_is_emulated():
    assert "amd64" in (emulated.why_unavailable("amd64") or "")


def test_missing_packages_are_named_together(monkeypatch, tmp_path):
    monkeypatch.setattr(emulated, "host_arch", lambda: "amd64")
    monkeypatch.setattr(emulated, "ENVIRONMENT", {"PATH": str(tmp_path)})
    monkeypatch.setattr(emulated, "QEMU", str(tmp_path / "qemu"))
    monkeypatch.setattr(emulated, "NEEDED", {"cross-gcc": "gcc-aarch64-linux-gnu", "qemu": "qemu-user", "bwrap": "bubblewrap"})
    assert emulated.why_unavailable("arm64") == (
        "emulation needs more packages: apt-get install bubblewrap gcc-aarch64-linux-gnu qemu-user"
    )


def test_without_bubblewrap_nothing_is_emulated(arm64, monkeypatch):
    monkeypatch.setenv("ARCH_KERNELS_BUBBLEWRAP", "off")
    assert "only inside bubblewrap" in (emulated.why_unavailable("arm64") or "")


@pytest.mark.parametrize(
    ("log", "arch", "words"),
    [
        ("answer.c:1:10: fatal error: immintrin.h: No such file or directory", "arm64", "immintrin.h is an x86 header"),
        ("fatal error: cpuid.h: No such file or directory", "arm64", "cpuid.h is an x86 header"),
        ('error: pragma or attribute ‘target("avx512f")’ is not valid', "arm64", 'target("avx512f")'),
        ("error: pragma or attribute 'target(\"arch=x86-64-v4\")' is not valid", "arm64", 'target("arch=x86-64-v4")'),
        ("error: implicit declaration of function '_mm_popcnt_u32'", "arm64", "_mm_popcnt_u32 is x86's"),
        ("error: implicit declaration of function '__builtin_cpu_supports'; did", "arm64", "__builtin_cpu_supports is x86's"),
        ("error: unknown type name '__m256i'", "arm64", "__m256i is x86's"),
        ("/tmp/c.s:13: Error: unknown mnemonic `vpaddd' -- `vpaddd", "arm64", "instruction vpaddd"),
        ("error: unknown register name 'rax' in 'asm'", "arm64", "x86 register rax"),
        ("fatal error: arm_neon.h: No such file or directory", "amd64", "arm_neon.h is an Arm header"),
        ("error: unknown type name 'float32x4_t'", "amd64", "float32x4_t is Arm's"),
        ("<stdin>:1: Error: no such instruction: `fmla v0.4s,v1.4s,v2.4s'", "amd64", "instruction fmla"),
        ("error: unknown register name 'x8' in 'asm'", "amd64", "Arm register x8"),
    ],
)
def test_what_only_the_other_architecture_has_is_named(log, arch, words):
    sentence = written_for_another(log, arch)
    assert sentence is not None
    assert words in sentence
    assert sentence.endswith(f"this is {arch}.")


@pytest.mark.parametrize(
    "log",
    [
        "",
        "answer.c:3: error: 'undeclared' undeclared",
        "fatal error: nothing.h: No such file or directory",
        "error: unknown type name 'uint'",
        "error: implicit declaration of function 'foo'",
    ],
)
def test_ordinary_errors_are_left_as_they_are(log):
    assert written_for_another(log, "arm64") is None
    assert written_for_another(log, "amd64") is None


@pytest.mark.slow
def test_all_tuned_baselines_pass_on_the_command_line(arm64):
    command = [sys.executable, "-m", "grading", "--arch", "arm64", "--sandbox", "emulated", "--baseline", "tuned", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=800)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert {record["kernel"]: record["verdict"] for record in records} == dict.fromkeys(load_catalog(), "passed"), done.stderr
    for record in records:
        assert {name: record[name] for name in UNMEASURED} == dict.fromkeys(UNMEASURED)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_replies_of_real_runs_get_their_verdicts(arm64):
    """Not those that are too slow: under an emulator they take minutes each. Memory is not measured, so what only needs too much
    passes."""
    wrong = []
    rows = [row for row in rows_of("arm64") if row.verdict != "time_limit"]
    for row in rows:
        want = "passed" if row.verdict == "memory_limit" else row.verdict
        result = grade_reply(row.reply, get_kernel(row.kernel), arm64)
        if result.verdict != want:
            wrong.append(f"{row.model} {row.kernel} {row.rollout}: {result.verdict} ({result.detail}), not {want}")
        if want == "compile_error" and row.model == "simd-x":
            assert "this is arm64" in result.detail, (row, result.detail)
    print(f"{len(rows)} replies graded, {len(wrong)} verdicts differ")
    assert wrong == []

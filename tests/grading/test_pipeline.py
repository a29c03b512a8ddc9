"""From what the harness says to the record; the sandbox is a fake."""

import json

import pytest

from grading.faults import Fault, HarnessBroken, SandboxGone, SandboxUnavailable
from grading.isolation import ALLOW
from grading.pipeline import Options, fault_result, grade_reply, grade_source
from grading.result import FIELDS, Verdict
from grading.sandbox.base import HARNESS_MISSING
from grading.scoring import speedup_score
from grading.translation_unit import SOURCE_LIMIT_BYTES, translation_unit
from grading.version import HARNESS_MEASUREMENT
from tests.grading.fakes import FACTS, PASSED, FakeSandbox, printed

SOURCE = "float add_f32(float a, float b) { return a + b; }"
FAILED = {"units": None, "samples": None, "rounds": 0, "dirty": 0}


def graded(kernel, source=SOURCE, options=None, **changes):
    return grade_source(source, kernel, FakeSandbox(printed(PASSED | changes)), options)


def test_a_passed_answer_has_all_its_numbers(add_kernel):
    result = graded(add_kernel)
    assert result.verdict is Verdict.PASSED
    assert (result.speedup, result.speedup_low, result.speedup_high) == (2.0, 2.0, 2.0)
    assert (result.sol_ms, result.ref_ms) == (1.0, 2.0)
    assert result.throughput_m == pytest.approx(1000.0)
    assert (result.extra_mb, result.peak_mb) == (0.5, 130.0)
    assert result.kernel_score == pytest.approx(speedup_score(2))
    assert result.samples == {"answer_ns": [1e6] * 6, "reference_ns": [2e6] * 6, "process": [0, 0, 0, 1, 1, 1]}
    assert result.log["compile"] == "a warning"
    assert "6 rounds counted, 1 disturbed" in result.log["run"]
    assert result.machine["cpu_model"] == "Test CPU"
    assert result.machine["backend"] == "fake"
    assert result.kernel_version.startswith(f"3.{HARNESS_MEASUREMENT}+")
    assert result.detail == "Passed every test; 2 times the reference's speed."
    json.dumps(result.to_dict(), allow_nan=False)


def test_what_failed_has_no_speed_and_scores_nothing(add_kernel):
    result = graded(add_kernel, verdict="wrong_answer", detail="element 3 is 1, expected 2 (n = 17)", correct=False, **FAILED)
    assert result.detail == "Element 3 is 1, expected 2 (n = 17)."
    assert (result.speedup, result.sol_ms, result.throughput_m, result.samples) == (None, None, None, None)
    assert (result.kernel_score, result.correct, result.passed) == (0.0, False, False)


def test_an_answer_over_its_memory_is_correct_all_the_same(add_kernel):
    result = graded(add_kernel, verdict="memory_limit", detail="used 64 MiB", extra_mb=64.0)
    assert (result.correct, result.within_memory, result.extra_mb) == (True, False, 64.0)
    assert (result.speedup, result.kernel_score) == (None, 0.0)


def test_an_answer_costs_two_trips_once_the_machine_is_known(add_kernel):
    sandbox = FakeSandbox()
    grade_source(SOURCE, add_kernel, sandbox)
    before = len(sandbox.commands)
    grade_source(SOURCE, add_kernel, sandbox)
    assert len(sandbox.commands) - before == 1
    assert list(sandbox.files) == ["answer.c"]


def test_the_driver_gets_the_kernels_numbers(add_kernel):
    sandbox = FakeSandbox()
    grade_source(SOURCE, add_kernel, sandbox, Options(total_s=20))
    command, timeout_s = sandbox.commands[-1]
    wanted = "size=1000 rounds=11 processes=3 mem_kb=1536 call_s=60 total_s=20 emulate=0 resolution_kb=0 unwalled=1"
    assert command[3:] == ["grade", "/harness", "add_f32", *wanted.split()]
    assert timeout_s > 20 * 3.5  # beyond all that the driver itself keeps


def test_the_unit_of_translation_keeps_the_answers_line_numbers(add_kernel):
    unit = translation_unit(SOURCE, add_kernel).decode()
    before, after = unit.split('#line 1 "answer.c"\n')
    assert "#include <math.h>" in before
    assert before.endswith("float add_f32(float a, float b);\n")
    assert after == f"{SOURCE}\n"


def test_a_source_may_hold_any_bytes(add_kernel):
    source = b"// \xfcber\n".decode("utf-8", "surrogateescape")
    assert b"\xfcber" in translation_unit(source, add_kernel)
    assert b"?" in translation_unit("// \ud800", add_kernel)


def test_a_reply_without_an_answer_needs_no_sandbox(add_kernel):
    sandbox = FakeSandbox()
    result = grade_reply("I cannot do that.", add_kernel, sandbox)
    assert result.verdict is Verdict.NO_ANSWER
    assert (result.answer_parsed, result.compiled, result.passed, result.kernel_score) == (False, None, False, 0.0)
    assert not sandbox.commands


def test_a_reply_is_graded_by_the_c_in_it(add_kernel):
    sandbox = FakeSandbox()
    assert grade_reply(f"<answer>\n```c\n{SOURCE}\n```\n</answer>", add_kernel, sandbox).passed
    assert SOURCE.encode() in sandbox.files["answer.c"]


@pytest.mark.parametrize(("length", "verdict"), [(SOURCE_LIMIT_BYTES, "passed"), (SOURCE_LIMIT_BYTES + 1, "forbidden")])
def test_a_source_over_200_kb_is_forbidden(add_kernel, length, verdict):
    result = graded(add_kernel, "x" * length)
    assert result.verdict == verdict
    if verdict == "forbidden":
        assert "200 kB" in result.detail
        assert (result.answer_parsed, result.compiled) == (True, None)


def test_the_length_of_a_source_is_counted_in_bytes(add_kernel):
    assert graded(add_kernel, "\u20ac" * (SOURCE_LIMIT_BYTES // 2)).verdict is Verdict.FORBIDDEN


def test_an_emulated_run_proves_correctness_only(add_kernel):
    sandbox = FakeSandbox()
    sandbox.emulated = True
    result = grade_source(SOURCE, add_kernel, sandbox)
    assert (result.verdict, result.emulated, result.passed, result.within_memory) == ("passed", True, True, None)
    numbers = (
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
    )
    assert [getattr(result, name) for name in numbers] == [None] * len(numbers)


def test_a_development_run_says_so(add_kernel):
    result = graded(add_kernel, options=Options(size=64, batch=8))
    assert "size 64, batch 8" in result.detail
    assert "size 64, batch 8" in result.log["run"]


def test_missing_defences_are_a_warning_in_the_record(add_kernel):
    result = graded(add_kernel, defences={"landlock": False, "seccomp": True})
    assert "warning: graded without landlock" in result.log["run"]


def test_isolation_is_what_was_in_force_and_not_what_the_backend_says(add_kernel):
    assert graded(add_kernel).machine["isolation"] == "no outer sandbox, landlock, seccomp, resource limits"
    less = graded(add_kernel, compiler_walls=["seccomp"], defences={"landlock": False, "seccomp": True})
    assert less.machine["isolation"] == "no outer sandbox, seccomp, resource limits"


def open_sandbox(**said):
    sandbox = FakeSandbox(
        printed(PASSED | {"compiler_walls": ["seccomp"], "defences": {"landlock": False, "seccomp": True}} | said)
    )
    sandbox.is_walled = False
    return sandbox


@pytest.mark.parametrize("said", [{}, {"verdict": "compile_error", "detail": "no", "samples": None, "defences": {}}])
def test_a_grading_that_isolates_no_files_says_so_whatever_its_verdict(add_kernel, monkeypatch, said):
    monkeypatch.setenv(ALLOW, "1")
    sandbox = open_sandbox(**said)
    result = grade_source(SOURCE, add_kernel, sandbox, Options())
    assert result.machine["isolation"] == "no outer sandbox, no file isolation, seccomp, resource limits"
    assert "without file isolation" in result.machine["warning"]
    assert "warning: graded without file isolation" in result.log["run"]
    assert sandbox.commands[-1][0][-1] == "unwalled=1"


def test_without_leave_the_harness_is_told_that_it_needs_walls_of_its_own(add_kernel, monkeypatch):
    monkeypatch.delenv(ALLOW, raising=False)
    sandbox = open_sandbox(verdict="internal_error", detail="nothing would keep files away", unwalled=True)
    with pytest.raises(SandboxUnavailable, match="install bubblewrap") as raised:
        grade_source(SOURCE, add_kernel, sandbox, Options())
    assert raised.value.needs_operator
    assert sandbox.commands[-1][0][-1] == "unwalled=0"


MALFORMED = {
    "walls that are no list": PASSED | {"compiler_walls": "landlock"},
    "a wall that is no text": PASSED | {"compiler_walls": [1]},
    "nothing": b"",
    "no JSON": b"Segmentation fault",
    "half an object": b'{"verdict": "passed"',
    "no object": b"[]",
    "NaN": json.dumps(PASSED | {"extra_mb": float("nan")}).encode(),
    "infinity": json.dumps(PASSED | {"extra_mb": float("inf")}).encode(),
    "an unknown verdict": PASSED | {"verdict": "fine"},
    "a verdict that is not the driver's": PASSED | {"verdict": "no_answer"},
    "no verdict": {key: value for key, value in PASSED.items() if key != "verdict"},
    "a flag that is none": PASSED | {"correct": "yes"},
    "a number that is none": PASSED | {"extra_mb": "0.5"},
    "a number that is a flag": PASSED | {"extra_mb": True},
    "a negative amount": PASSED | {"peak_mb": -1.0},
    "a detail that is no text": PASSED | {"detail": None},
    "passed without samples": PASSED | {"samples": None},
    "passed without units": PASSED | {"units": None},
    "no rounds": PASSED | {"samples": {"answer_ns": [], "reference_ns": [], "process": []}},
    "samples without partners": PASSED | {"samples": {"answer_ns": [1.0, 2.0], "reference_ns": [1.0], "process": [0]}},
    "samples that are text": PASSED | {"samples": {"answer_ns": ["1"], "reference_ns": [1.0], "process": [0]}},
    "a log that is no table": PASSED | {"log": "text"},
    "numbers too large": json.dumps(PASSED).replace("0.5", "1e999").encode(),
    "endless nesting": b"[" * 100_000,
}


@pytest.mark.parametrize("printout", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_record_of_the_harness_is_our_fault(add_kernel, printout):
    with pytest.raises(HarnessBroken):
        grade_source(SOURCE, add_kernel, FakeSandbox(printed(printout)))


def test_a_harness_that_ends_badly_is_our_fault(add_kernel):
    with pytest.raises(HarnessBroken, match="status 139"):
        grade_source(SOURCE, add_kernel, FakeSandbox(printed(PASSED, exit_code=139)))


def test_a_lost_harness_asks_for_a_fresh_sandbox(add_kernel):
    with pytest.raises(SandboxGone):
        grade_source(SOURCE, add_kernel, FakeSandbox(printed(b"", exit_code=HARNESS_MISSING)))


def test_a_lost_sandbox_is_never_a_verdict(add_kernel):
    with pytest.raises(SandboxGone):
        grade_source(SOURCE, add_kernel, FakeSandbox(SandboxGone("connection lost")))


def test_an_internal_error_of_the_harness_is_a_fault_with_its_reason(add_kernel):
    with pytest.raises(HarnessBroken, match="emfd: no space"):
        graded(add_kernel, verdict="internal_error", detail="memfd: no space")


def test_a_sandbox_of_another_architecture_is_a_fault(add_kernel):
    with pytest.raises(HarnessBroken, match="arm64 inside"):
        grade_source(SOURCE, add_kernel, FakeSandbox(facts=FACTS | {"arch": "arm64"}))


def test_text_from_inside_is_made_fit_for_a_database(add_kernel):
    printout = json.dumps(
        PASSED | {"verdict": "compile_error", "detail": "x\0y \ud800", "log": {"compile": "a\0b", "run": ""}}
    ).encode()
    result = grade_source(SOURCE, add_kernel, FakeSandbox(printed(printout + b"\n")))
    assert result.detail == "Xy ?"
    assert result.log["compile"] == "ab"
    assert grade_source(SOURCE, add_kernel, FakeSandbox(printed(printout.replace(b"a\\u0000b", b"\xff\xfe")))).log["compile"]


def test_a_fault_as_a_record_scores_nothing_and_claims_nothing(add_kernel):
    result = fault_result(Fault("no disk space"), add_kernel, arch="amd64", sandbox="local")
    assert (result.verdict, result.detail) == ("internal_error", "No disk space.")
    assert (result.answer_parsed, result.compiled, result.correct, result.passed, result.kernel_score) == (None,) * 5
    assert list(result.to_dict()) == list(FIELDS)

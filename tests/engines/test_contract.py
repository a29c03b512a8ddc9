"""What every sandbox keeps to, whatever is behind it."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from grading.driver import GRADE
from grading.faults import Fault, SandboxGone, SandboxTimeout
from grading.harness_source import HarnessSource
from grading.pipeline import Options, grade_source
from grading.result import Verdict
from grading.sandbox.base import OUTPUT_LIMIT_BYTES, Sandbox
from grading.sandbox.registry import BACKENDS, check, why_unavailable
from kernels.catalog import get_kernel
from tests.engines import answers
from tests.engines.conftest import Backend

QUICK = Options(size=100_000, rounds=5, processes=1)
DOT = get_kernel("dot_f32")


def shell(sandbox: Sandbox, script: str, timeout_s: float = 60) -> tuple[int, bytes, bytes]:
    done = sandbox.run(["sh", "-c", script], timeout_s)
    return done.exit_code, done.stdout, done.stderr


def put_and_read(sandbox: Sandbox) -> bytes:
    """Some backends notice at the first call that they are gone, some at the next."""
    sandbox.put("answer.c", b"x")
    return shell(sandbox, "cat answer.c")[1]


def test_what_is_put_is_read_inside_byte_for_byte(sandbox):
    data = bytes(range(256)) * 6000
    sandbox.put("data.bin", data)
    assert shell(sandbox, "cksum <data.bin")[1].split()[1] == str(len(data)).encode()
    sandbox.put("small.bin", data[:700])
    assert shell(sandbox, "cat small.bin")[1] == data[:700]


def test_putting_again_replaces_the_file(sandbox):
    sandbox.put("twice", b"first, and longer")
    sandbox.put("twice", b"second")
    assert shell(sandbox, "cat twice")[1] == b"second"


def test_an_empty_file_is_a_file(sandbox):
    sandbox.put("empty", b"")
    assert shell(sandbox, "[ -f empty ] && cat empty") == (0, b"", b"")


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "a/b", ""])
def test_only_plain_names_are_put(sandbox, name):
    with pytest.raises(ValueError):
        sandbox.put(name, b"x")


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", 139), ("kill -KILL $$", 137)])
def test_the_exit_code_is_the_commands(sandbox, script, code):
    assert shell(sandbox, script)[0] == code


def test_both_outputs_arrive_apart_and_whatever_their_bytes(sandbox):
    assert shell(sandbox, r"printf 'out\377\000'; printf 'err\376' >&2") == (0, b"out\xff\x00", b"err\xfe")


def test_arguments_arrive_as_they_are(sandbox):
    words = ["two words", "'quoted'", '"$HOME"', "*", "", "ü", "-n", "line\nbreak"]
    done = sandbox.run(["sh", "-c", r"""printf '<%s>\n' "$@" """, "name", *words], 60)
    assert done.stdout.decode() == "".join(f"<{word}>\n" for word in words)


def test_endless_output_is_cut(sandbox):
    code, stdout, _ = shell(sandbox, "head -c 40000000 /dev/zero; exit 3")
    assert code == 3
    assert len(stdout) <= OUTPUT_LIMIT_BYTES


def test_a_command_that_does_not_end_is_ended(fresh_sandbox):
    began = time.monotonic()
    with pytest.raises(SandboxTimeout):
        shell(fresh_sandbox, "sleep 987", timeout_s=2)
    assert time.monotonic() - began < 300


def test_nothing_that_a_command_started_outlives_it(fresh_sandbox, marked_processes):
    shell(fresh_sandbox, f"(setsid sleep {marked_processes.mark} & setsid sleep {marked_processes.mark} &) >/dev/null 2>&1")
    assert marked_processes.left_in(fresh_sandbox) == 0


def test_nothing_of_a_command_past_its_time_is_left(fresh_sandbox, marked_processes):
    with pytest.raises(SandboxTimeout):
        shell(fresh_sandbox, f"setsid sleep {marked_processes.mark} & sleep {marked_processes.mark}", timeout_s=2)
    with suppress(SandboxGone):  # given up as a whole: nothing is left of it
        assert marked_processes.left_in(fresh_sandbox) == 0


def test_there_is_no_network(backend, sandbox):
    if not backend.is_walled:
        pytest.skip("its double runs commands on this host as they are")
    lines = shell(sandbox, "cat /proc/net/dev")[1].decode().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]


def test_a_command_cannot_change_the_harness(backend, sandbox):
    if not backend.is_walled:
        pytest.skip("its double runs commands on this host as they are")
    harness = sandbox.harness(HarnessSource(DOT))
    assert shell(sandbox, f": >{harness}/grade")[0] != 0
    assert shell(sandbox, f"rm -rf {harness}/jail; [ -x {harness}/jail ]")[0] == 0


def test_a_command_cannot_write_outside_of_its_folders(backend, sandbox):
    if not backend.is_walled:
        pytest.skip("its double runs commands on this host as they are")
    assert shell(sandbox, "for place in /usr /usr/bin /etc /var; do : >$place/mine && echo $place; done")[1] == b""


def test_commands_run_without_privileges(backend, sandbox):
    status = shell(sandbox, "cat /proc/self/status")[1].decode()
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    if backend.is_walled:
        assert facts["Uid"].split()[0] != "0"
        assert int(facts["CapEff"], 16) == 0
        assert facts["NoNewPrivs"] == "1"


def test_a_sandbox_that_is_taken_away_is_a_fault(backend, fresh_sandbox):
    shell(fresh_sandbox, "true")
    backend.destroy(fresh_sandbox)
    with pytest.raises(SandboxGone):
        put_and_read(fresh_sandbox)


def test_a_grading_in_a_sandbox_that_is_taken_away_is_no_verdict(backend, fresh_sandbox):
    fresh_sandbox.harness(HarnessSource(DOT))
    run = fresh_sandbox.run

    def vanishing(command: list[str], timeout_s: float):
        if GRADE in command:
            backend.destroy(fresh_sandbox)
        return run(command, timeout_s)

    fresh_sandbox.run = vanishing
    with pytest.raises(Fault):
        grade_source(answers.RIGHT, DOT, fresh_sandbox, QUICK)


def test_closing_twice_does_no_harm(backend):
    sandbox = backend.open()
    shell(sandbox, "true")
    sandbox.close()
    sandbox.close()


def test_the_harness_is_built_once(sandbox):
    folder = sandbox.harness(HarnessSource(DOT))
    built = shell(sandbox, f"ls -i {folder}/grade")[1]
    assert built
    assert sandbox.harness(HarnessSource(DOT)) == folder
    assert shell(sandbox, f"ls -i {folder}/grade")[1] == built


def test_each_kernel_has_a_harness_of_its_own(sandbox):
    for kernel in (DOT, get_kernel("crc32_ieee")):
        folder = sandbox.harness(HarnessSource(kernel))
        assert shell(sandbox, f"[ -x {folder}/judge_{kernel.name} ]")[0] == 0


@pytest.mark.parametrize(
    ("source", "verdict", "emulated_verdict"),
    [
        (answers.RIGHT, Verdict.PASSED, Verdict.PASSED),
        (answers.WRONG, Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER),
        (answers.CRASH, Verdict.RUNTIME_ERROR, Verdict.RUNTIME_ERROR),
        (answers.BROKEN, Verdict.COMPILE_ERROR, Verdict.COMPILE_ERROR),
        (answers.GREEDY, Verdict.MEMORY_LIMIT, Verdict.PASSED),  # an emulator's memory is not the answer's
        (None, Verdict.NO_ANSWER, Verdict.NO_ANSWER),
    ],
    ids=["right", "wrong", "crash", "broken", "64 MB", "none"],
)
def test_answers_get_their_verdicts(sandbox, source, verdict, emulated_verdict):
    result = grade_source(source, DOT, sandbox, QUICK)
    assert result.verdict is (emulated_verdict if sandbox.emulated else verdict), result.detail
    assert (result.arch, result.sandbox, result.emulated) == (sandbox.arch, sandbox.name, sandbox.emulated)
    if result.verdict is Verdict.MEMORY_LIMIT:
        assert result.extra_mb == pytest.approx(64, abs=0.5)


def test_an_endless_answer_meets_its_limit(sandbox):
    result = grade_source(answers.ENDLESS, DOT, sandbox, replace(QUICK, call_s=1, total_s=3))
    assert result.verdict is Verdict.TIME_LIMIT, result.detail


def test_an_answer_for_another_architecture_is_told_so(sandbox):
    foreign, word = (answers.FOR_X86, "immintrin.h") if sandbox.arch == "arm64" else (answers.FOR_ARM, "arm_neon.h")
    result = grade_source(foreign, DOT, sandbox, QUICK)
    assert result.verdict is Verdict.COMPILE_ERROR
    assert word in result.detail
    assert f"this is {sandbox.arch}" in result.detail


def test_the_record_says_where_it_was_measured(sandbox):
    machine = grade_source(answers.BROKEN, DOT, sandbox, QUICK).machine
    assert machine["backend"] == sandbox.name
    assert machine["arch"] == sandbox.arch
    assert machine["emulated"] is sandbox.emulated
    assert "gcc" in machine["compiler"]
    assert machine["isolation"]
    assert machine["defences"]
    assert "-O3" in machine["flags"]


def test_what_a_backend_says_of_itself_is_plain_json(sandbox):
    assert json.loads(json.dumps(sandbox.describe(), allow_nan=False)) == sandbox.describe()


def test_nothing_is_missing_where_a_sandbox_could_be_opened(backend):
    assert why_unavailable(backend.name, backend.arch) is None
    assert check(backend.name, backend.arch) is None


@pytest.mark.parametrize("name", BACKENDS)
def test_what_is_missing_is_said_in_one_line(name, monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing")
    monkeypatch.delenv("PRIME_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for arch in ("amd64", "arm64"):
        for reason in (why_unavailable(name, arch), check(name, arch)):
            assert reason is None or (reason and "\n" not in reason)


def test_a_backend_that_does_not_exist_is_named_with_those_that_do():
    assert check("podman", "amd64") == f"unknown sandbox 'podman'; there are: {', '.join(BACKENDS)}"
    assert check("", "arm64") == "no arm64 sandbox configured"


def test_the_backend_is_the_one_asked_for(backend: Backend, sandbox: Sandbox):
    assert (sandbox.name, sandbox.arch) == (backend.name, backend.arch)

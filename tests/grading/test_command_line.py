"""`python -m grading`: what it reads, prints and ends with. The sandbox is a fake."""

import io
import json
import sys

import pytest

from grading import __main__ as cli
from grading.faults import SandboxGone
from grading.result import FIELDS
from grading.version import HARNESS_MEASUREMENT
from kernels.catalog import load_catalog
from tests.grading.fakes import PASSED, FakeSandbox, printed

C = "float dot_f32(const float *a, const float *b, size_t n) { return 0; }"


@pytest.fixture
def boxes(monkeypatch):
    """The sandboxes that were opened; the harness inside says what boxes.says is."""
    opened = Boxes()

    def open_sandbox(name, arch):
        box = FakeSandbox(opened.says)
        opened.append(box)
        return box

    monkeypatch.setattr(cli, "open_sandbox", open_sandbox)
    monkeypatch.setattr(cli.signal, "signal", lambda *_: None)
    return opened


class Boxes(list):
    says = printed(PASSED)


@pytest.fixture
def answer(tmp_path):
    path = tmp_path / "answer.c"
    path.write_text(C)
    return str(path)


def run(*arguments):
    return cli.main(list(arguments))


def test_json_prints_exactly_one_object_the_record(boxes, answer, capsys):
    assert run("--kernel", "dot_f32", "--json", answer) == 0
    out, err = capsys.readouterr()
    assert list(json.loads(out)) == list(FIELDS)
    assert out.count("\n") == 1
    assert err == ""
    assert C.encode() in boxes[0].files["answer.c"]
    assert boxes[0].closed


def test_people_read_verdict_speed_memory_score_and_machine(boxes, answer, capsys):
    assert run("--kernel", "dot_f32", answer) == 0
    out = capsys.readouterr().out
    for part in (
        "dot_f32 on amd64: passed",
        "2x",
        "95 % interval",
        "0.50 MiB extra",
        "score     0.667",
        "Test CPU",
        f"1.{HARNESS_MEASUREMENT}+",
    ):
        assert part in out


@pytest.mark.parametrize("verdict", ["compile_error", "runtime_error", "time_limit", "wrong_answer", "forbidden", "extra_thread"])
def test_any_verdict_on_the_answer_ends_with_status_0(boxes, answer, capsys, verdict):
    boxes.says = printed(
        PASSED | {"verdict": verdict, "detail": "why", "samples": None, "log": {"compile": "answer.c:1:2: error", "run": ""}}
    )
    assert run("--kernel", "dot_f32", answer) == 0
    out = capsys.readouterr().out
    assert f"{verdict}\n  Why." in out
    assert "answer.c:1:2: error" in out


def test_a_fault_of_ours_ends_with_status_3_and_a_record(boxes, answer, capsys):
    boxes.says = SandboxGone("the disk is full")
    assert run("--kernel", "dot_f32", "--json", answer) == 3
    record = json.loads(capsys.readouterr().out)
    assert (record["verdict"], record["kernel_score"], record["detail"]) == ("internal_error", None, "The disk is full.")
    assert boxes[0].closed


def test_a_missing_sandbox_is_a_fault_with_its_reason(answer, capsys, monkeypatch):
    monkeypatch.setattr(cli.signal, "signal", lambda *_: None)
    other = "arm64" if cli.host_arch() == "amd64" else "amd64"
    assert run("--kernel", "dot_f32", "--arch", other, "--json", answer) == 3
    assert json.loads(capsys.readouterr().out)["detail"] == f"This machine is {cli.host_arch()}."


def test_standard_input_may_be_a_reply_or_bare_c(boxes, capsys, monkeypatch):
    for text in (C, f"Here:\n<answer>```c\n{C}\n```</answer>"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run("--kernel", "dot_f32", "-") == 0
        assert boxes[-1].files["answer.c"].decode().endswith(f'answer.c"\n{C}\n')


@pytest.mark.parametrize(
    ("name", "text", "flags", "verdict"),
    [
        ("a.c", C, [], "passed"),
        ("a.c", f"<answer>{C}</answer>", [], "passed"),
        ("a.c", f"<answer>{C}", [], "no_answer"),
        ("a.c", "", [], "no_answer"),
        ("a.c", C, ["--reply"], "no_answer"),
        ("a.c", f"// <answer>\n{C}", ["--raw"], "passed"),
        ("reply.txt", f"<answer>{C}</answer>", [], "passed"),
        ("reply.txt", C, [], "no_answer"),
        ("reply.txt", C, ["--raw"], "passed"),
    ],
)
def test_a_file_is_c_or_a_reply(boxes, tmp_path, capsys, name, text, flags, verdict):
    (tmp_path / name).write_text(text)
    assert run("--kernel", "dot_f32", "--json", *flags, str(tmp_path / name)) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == verdict


def test_a_file_in_another_encoding_reaches_the_compiler_as_it_is(boxes, tmp_path):
    (tmp_path / "a.c").write_bytes(b"// \xfcber\n" + C.encode())
    assert run("--kernel", "dot_f32", str(tmp_path / "a.c")) == 0
    assert b"// \xfcber\n" in boxes[0].files["answer.c"]


def test_a_baseline_of_every_kernel_is_one_object_a_line(boxes, capsys):
    assert run("--baseline", "tuned", "--json") == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["kernel"] for record in records] == list(load_catalog())
    for box, kernel in zip(boxes, load_catalog().values(), strict=True):
        assert kernel.tuned_source.encode() in box.files["answer.c"]


def test_a_baseline_of_one_kernel_is_one_object(boxes, capsys):
    assert run("--baseline", "naive", "--kernel", "sort_u32", "--json") == 0
    assert json.loads(capsys.readouterr().out)["kernel"] == "sort_u32"


def test_other_sizes_and_budgets_are_handed_on(boxes, answer):
    assert (
        run(
            "--kernel",
            "dot_f32",
            "--size",
            "64",
            "--batch",
            "8",
            "--rounds",
            "5",
            "--total-s",
            "9",
            "--memory-limit-mb",
            "1",
            answer,
        )
        == 0
    )
    command = boxes[0].commands[-1][0]
    for option in ("size=64", "batch=8", "rounds=5", "total_s=9", "call_s=60", "mem_kb=1024"):
        assert option in command


def test_the_list_names_every_kernel(capsys):
    assert run("--list") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(load_catalog())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "FILE is missing"),
        (["x.c"], "--kernel is missing; there are: dot_f32"),
        (["--kernel", "dot", "x.c"], "no kernel 'dot'; there are: dot_f32"),
        (["--kernel", "dot_f32", "/nonexistent/x.c"], "cannot read /nonexistent/x.c"),
        (["--kernel", "dot_f32", "--baseline", "tuned", "x.c"], "not both"),
        (["--kernel", "dot_f32", "--arch", "mips", "x.c"], "invalid choice"),
        (["--kernel", "dot_f32", "--size", "0", "x.c"], "not positive"),
        (["--kernel", "dot_f32", "--reply", "--raw", "x.c"], "not allowed with"),
    ],
)
def test_a_wrong_command_line_ends_with_status_2_and_says_why(capsys, arguments, message):
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err

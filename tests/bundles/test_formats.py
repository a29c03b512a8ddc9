"""Every writer's run folder, in every packing, gives the same answers."""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.bundles.formats.traces import read_trace
from leaderboard.bundles.formats.vf_eval_v0 import Results
from leaderboard.bundles.types import ArchiveLimits
from tests.bundles import samples
from tests.bundles.conftest import LIMITS, Found, Read
from tests.bundles.samples import MODEL, episode, node, result, trace, without
from tests.conftest import ROOT
from tests.site.bundles import lines, row, tar_of, tgz_of, zip_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKINGS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": zip_of,
    "tar": tar_of,
    "tar.gz": tgz_of,
    "tar.zst": lambda files: zstd.compress(tar_of(files)),
}


def written(files: dict[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def check(found: Found, writer: str = "0.4.0") -> None:
    assert found.skipped == []
    assert [(answer.kernel, answer.rollout, answer.reply) for answer in found.answers] == [
        ("dot_f32", 0, samples.reply("first")),
        ("sort_u32", 0, samples.reply("second")),
        ("dot_f32", 1, samples.reply("third")),
    ]
    assert {answer.model for answer in found.answers} == {MODEL}
    tokens = (None, None) if writer in samples.NO_TOKENS else (42, 19)
    assert {(answer.prompt_tokens, answer.completion_tokens) for answer in found.answers} == {tokens}
    assert not any(answer.cut_short for answer in found.answers)


@pytest.mark.parametrize("writer", samples.RUNS)
@pytest.mark.parametrize("packing", PACKINGS)
def test_every_writers_run_is_read_from_every_archive(read: Read, writer: str, packing: str) -> None:
    check(read(PACKINGS[packing](samples.RUNS[writer]), f"upload.{packing}"), writer)


@pytest.mark.parametrize("writer", samples.RUNS)
def test_every_writers_run_is_read_from_a_folder(read: Read, writer: str, tmp_path: Path) -> None:
    check(read(written(samples.RUNS[writer], tmp_path / "folder")), writer)


@pytest.mark.parametrize("writer", samples.RUNS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_every_writers_lines_are_read_alone(read: Read, writer: str, pack: Callable[[bytes], bytes]) -> None:
    """What only the configuration says has to be given then."""
    (content,) = (content for name, content in samples.RUNS[writer].items() if name.endswith(".jsonl"))
    check(read(pack(content), "traces.jsonl", model=MODEL), writer)


@pytest.mark.parametrize("writer", sorted(set(samples.RUNS) - samples.NO_SETTINGS))
def test_how_the_model_was_asked_is_read_from_the_configuration(read: Read, writer: str) -> None:
    config = read(zip_of(samples.RUNS[writer])).reading.config
    assert config["environment"] == "arch-kernels-v1"
    if "replay" not in writer:
        assert (config["temperature"], config["max_tokens"], config["rollouts"]) == ("0.5", "4096", "2")
    if writer != "v0":  # which keeps the prompt with every row only
        assert config["system_prompt"] == "Be fast."


@pytest.mark.parametrize("one", samples.WHOLE_FILES)
def test_whole_files_of_every_format_are_read_from_every_archive_and_from_a_folder(read: Read, one: str, tmp_path: Path) -> None:
    files = samples.WHOLE_FILES[one]
    nested = {f"a/b c/{name}": content for name, content in files.items()}
    for source in (*(pack(files) for pack in PACKINGS.values()), written(files, tmp_path / "folder"), tgz_of(nested)):
        found = read(source)
        assert found.skipped == []
        read_as = {(answer.kernel, answer.rollout, re.findall(r"int \w+;", answer.reply)[0]) for answer in found.answers}
        assert read_as == {("dot_f32", 0, "int first;"), ("sort_u32", 0, "int second;"), ("dot_f32", 1, "int third;")}
        assert len({answer.model for answer in found.answers}) == 1


def test_c_files_are_read_from_every_archive_and_from_a_folder(read: Read, tmp_path: Path) -> None:
    for source in [*(pack(samples.c_files()) for pack in PACKINGS.values()), written(samples.c_files(), tmp_path / "folder")]:
        found = read(source)
        assert found.skipped == []
        assert {(answer.kernel, answer.rollout, answer.reply, answer.raw, answer.model) for answer in found.answers} == {
            ("dot_f32", 0, "int first;", True, "sample-7b"),
            ("sort_u32", 0, "int second;", True, "sample-7b"),
            ("dot_f32", 1, "int third;", True, "sample-7b"),
        }


def test_a_single_c_file_is_a_bundle_where_the_model_is_given(read: Read) -> None:
    (answer,) = read(b"int x;", "dot_f32.c", model="given").answers
    assert (answer.kernel, answer.model, answer.raw) == ("dot_f32", "given", True)
    assert "no model name" in read(b"int x;", "dot_f32.c").reasons[0]


def test_a_c_files_rollout_may_lie_in_a_folder_of_the_kernel_alone(read: Read) -> None:
    (answer,) = read(zip_of({"dot_f32/7.C": b"int x;"}), model="given").answers
    assert (answer.kernel, answer.model, answer.rollout) == ("dot_f32", "given", 7)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("m/nope.c", "unknown kernel 'nope'"), ("m/nope/0.c", "unknown kernel 'nope'"), ("m/dot_f32/best.c", "no rollout number")],
)
def test_a_c_file_that_is_no_answer_is_listed(read: Read, name: str, reason: str) -> None:
    found = read(zip_of({name: b"int x;"}))
    assert found.places == [(name, 0)]
    assert reason in found.reasons[0]


def test_comments_in_another_encoding_do_no_harm_to_c(read: Read) -> None:
    files = {"m/dot_f32/0.c": "int x; // é".encode("latin-1"), "m/dot_f32/1.c": "int x;".encode("utf-16")}
    assert [answer.reply for answer in read(zip_of(files)).answers] == ["int x; // \ufffd", "int x;"]


def test_several_runs_lie_in_one_archive_each_with_its_own_model(read: Read) -> None:
    files = {
        f"all/{writer}/{name}": content.replace(b"trace-", b"trace-%d-" % number).replace(MODEL.encode(), b"model-%d" % number)
        for number, (writer, run) in enumerate(samples.RUNS.items())
        for name, content in run.items()
    }
    found = read(zip_of(files))
    assert found.skipped == []
    models = [answer.model for answer in found.answers]
    assert sorted(models) == sorted(f"model-{number}" for number in range(len(samples.RUNS)) for _ in range(3))
    asked = {f"model-{number}" for number, writer in enumerate(samples.RUNS) if writer not in samples.NO_SETTINGS}
    assert set(found.reading.run_settings) >= asked


NESTED = ("", "run/", "a/b c/ü/", "./")


@pytest.mark.parametrize("root", NESTED)
@pytest.mark.parametrize("writer", samples.RUNS)
def test_folders_above_a_run_do_no_harm(read: Read, writer: str, root: str) -> None:
    check(read(tgz_of({root + name: content for name, content in samples.RUNS[writer].items()})), writer)


@pytest.mark.parametrize("writer", samples.RUNS)
def test_windows_separators_a_byte_order_mark_and_crlf_do_no_harm(read: Read, writer: str) -> None:
    files = {
        name.replace("/", "\\"): b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")
        for name, content in samples.RUNS[writer].items()
    }
    for pack in (tgz_of, zip_of):
        check(read(pack(files)), writer)


def test_what_systems_and_editors_leave_behind_is_passed_over(read: Read) -> None:
    files = samples.run_0_4_0()
    junk = {
        f"{before}{name.rpartition('/')[0]}/{after}": b"\0\x05\x16\x07"
        for name in files
        for before, after in [
            ("__MACOSX/", "._traces.jsonl"),
            ("", ".DS_Store"),
            ("", "Thumbs.db"),
            ("", "desktop.ini"),
            ("", "._traces.jsonl"),
            ("", ".git/traces.jsonl"),
            (".cache/", "traces.jsonl"),
            ("", "eval.log"),
        ]
    }
    check(read(zip_of(junk | files)))


# Rows of the newest writers


def sampled(*texts: str) -> dict[str, Any]:
    return {"nodes": [node(text) for text in texts]}


def one(found: Found) -> Any:
    assert found.skipped == []
    (answer,) = found.answers
    return answer


def of_trace(**changes: Any) -> bytes:
    return lines(episode("dot_f32", "x", traces=[trace("dot_f32", "x", **changes)]))


def test_the_last_sampled_message_is_the_answer(read: Read) -> None:
    nodes = [node("a"), node("tool", "tool"), node("b"), node("shown", "user")]
    assert one(read(of_trace(nodes=nodes))).reply == "b"


@pytest.mark.parametrize("text", ["the root's", ""])
def test_the_root_reply_takes_precedence_wherever_there_is_one(read: Read, text: str) -> None:
    assert one(read(of_trace(root_reply=text))).reply == text
    assert one(read(of_trace(root_reply=text, nodes=[]))).reply == text
    assert one(read(of_trace(root_reply=None))).reply == samples.reply("x")


def test_a_message_in_parts_is_their_text(read: Read) -> None:
    parts = [{"type": "text", "text": "<answer>int x;"}, {"type": "image"}, {"type": "text", "text": "</answer>"}, 7]
    assert one(read(of_trace(nodes=[{"sampled": True, "message": {"content": parts}}]))).reply == "<answer>int x;</answer>"


def test_an_empty_completion_has_no_content_and_is_an_answer(read: Read) -> None:
    assert one(read(of_trace(nodes=[{"sampled": True, "message": {"role": "assistant"}}]))).reply == ""


def test_a_scoring_timeout_takes_no_answer_away(read: Read) -> None:
    late = {"is_timeout": True, "stop_condition": "scoring_timeout", "rewards": {"correct": None}}
    assert one(read(of_trace(**late))).reply == samples.reply("x")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"stop_condition": "provider_error", "nodes": [], "errors": [{"message": "slow down\nnow", "status_code": 429}]},
            "provider error: 429: slow down",
        ),
        ({"stop_condition": "provider_error", "errors": []}, "provider error: no message"),
        ({"nodes": [], "errors": [{"type": "HarnessError"}]}, "the model never replied: HarnessError"),
        ({"nodes": [], "errors": ["text"]}, "the model never replied: text"),
        (
            {"nodes": [node("q", "user")], "errors": [], "stop_condition": "setup_timeout"},
            "the model never replied: setup_timeout",
        ),
        ({"nodes": [], "errors": [{"status_code": [9] * 50, "message": 7}]}, "the model never replied: no message"),
    ],
)
def test_where_the_model_never_replied_the_row_is_listed_with_the_reason(
    read: Read, changes: dict[str, Any], reason: str
) -> None:
    found = read(lines(episode("sort_u32", "y")) + of_trace(ok=False, **changes), "run.jsonl")
    assert found.places == [("run.jsonl", 2)]
    assert found.reasons == [reason]
    assert len(found.answers) == 1


def test_an_episode_that_failed_as_a_whole_is_listed_and_counts_as_a_rollout(read: Read) -> None:
    failed = episode("dot_f32", "a", ok=False, traces=[], errors=[{"type": "E", "message": "no container", "status_code": None}])
    found = read(lines(failed, episode("dot_f32", "b")))
    assert found.reasons == ["the model never replied: no container"]
    assert found.answers[0].rollout == 1


@pytest.mark.parametrize("changes", [{"calls": [{"finish_reason": "length"}]}, {"stop_condition": "max_output_tokens"}])
def test_replies_that_were_cut_short_are_answers_and_marked(read: Read, changes: dict[str, Any]) -> None:
    assert one(read(of_trace(**changes))).cut_short


def test_a_call_that_failed_after_the_reply_does_not_hide_that_it_was_cut_short(read: Read) -> None:
    calls = [{"finish_reason": "length"}, {"error": {"type": "ProviderError"}}]
    assert one(read(of_trace(calls=calls))).cut_short


def test_older_replies_that_were_cut_short_are_marked_too(read: Read) -> None:
    old = without(trace("dot_f32", "x"), "agent", "calls")
    assert one(read(lines(old | {"nodes": [node("x", finish_reason="length")]}), model=MODEL)).cut_short
    assert one(read(lines(result("dot_f32", "x", is_truncated=True)), model=MODEL)).cut_short


def test_rollouts_are_counted_by_the_tasks_key_else_its_index_else_its_kernel(read: Read) -> None:
    def task(kernel: str, **more: Any) -> dict[str, Any]:
        return {"task": {"data": {"kernel": kernel} | more.pop("data", {}), **more}}

    rows = [
        task("dot_f32", key="k1"),
        task("dot_f32", key="k2"),
        task("dot_f32", key="k1"),
        task("sort_u32", data={"idx": 0}),
        task("sort_u32", data={"idx": 0}),
        task("crc32_ieee"),
        task("levenshtein"),
        task("crc32_ieee"),
    ]
    bare = [without(trace("", str(number)), "task") | row for number, row in enumerate(rows)]
    assert [answer.rollout for answer in read(lines(*bare), model=MODEL).answers] == [0, 0, 1, 0, 1, 0, 0, 1]


def test_each_agent_of_an_episode_is_accounted_for(read: Read) -> None:
    several = [trace("dot_f32", "a"), trace("dot_f32", "b", stop_condition="provider_error"), trace("dot_f32", "c")]
    found = read(lines(episode("dot_f32", "x", traces=several)))
    assert (len(found.answers), len(found.skipped), found.reading.rows) == (2, 1, 3)


def test_a_trace_that_was_rescored_twice_is_one_answer(read: Read) -> None:
    found = read(lines(*[episode("dot_f32", "x")] * 2))
    assert (len(found.answers), found.reasons) == (1, ["duplicate: an earlier row of the bundle is the same"])


# Rows of the oldest


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("ModelError()", "provider error: ModelError()"),  # a string before 0.1.10
        (
            {"error": "ModelError", "error_chain_repr": "ModelError() -> BadRequestError('400')"},
            "provider error: ModelError() -> BadRequestError('400')",
        ),
        ({"error": "ModelError"}, "provider error: ModelError"),
        (["odd"], "provider error: odd"),
    ],
)
def test_an_errored_result_is_no_answer_whatever_its_reward(read: Read, error: Any, reason: str) -> None:
    found = read(lines(result("dot_f32", "x", error=error, completion=[], reward=0.0)), model=MODEL)
    assert (found.answers, found.reasons) == ([], [reason])


def test_a_result_may_be_a_string_and_its_info_json_in_a_string(read: Read) -> None:
    rows = [
        result("dot_f32", "x", completion="<answer>int a;</answer>"),
        result("dot_f32", "x", info=json.dumps({"kernel": "dot_f32"})),
    ]
    assert [answer.kernel for answer in read(lines(*rows), model=MODEL).answers] == ["dot_f32"] * 2


def test_a_result_without_a_model_in_its_metadata_is_listed(read: Read) -> None:
    files = {"results.jsonl": lines(result("dot_f32", "x")), "metadata.json": b'{"model": 3}'}
    assert "no model name" in read(zip_of(files)).reasons[0]


# What a file ends with, and what it is written in


def test_a_last_line_that_was_cut_off_is_named_as_such(read: Read) -> None:
    whole = lines(row(), row(kernel="sort_u32"))
    found = read(whole[:-30], "run.jsonl")
    assert found.places == [("run.jsonl", 2)]
    assert found.reasons == ["broken JSON: the line is cut off, the file ends here"]
    assert len(found.answers) == 1


def test_so_is_one_that_was_cut_off_within_a_character(read: Read) -> None:
    text = json.dumps(row(answer="é"), ensure_ascii=False).encode()
    assert read(lines(row()) + text[: text.index("é".encode()) + 1]).reasons == [
        "broken JSON: the line is cut off, the file ends here"
    ]


def test_two_rows_in_a_last_line_are_not_cut_off(read: Read) -> None:
    assert "Extra data" in read(lines(row()).strip() + b"\r" + lines(row()).strip()).reasons[0]


def test_a_last_line_needs_no_line_break(read: Read) -> None:
    assert len(read(lines(row())[:-1]).answers) == 1


def test_a_byte_order_mark_in_the_middle_is_from_two_files_put_together(read: Read) -> None:
    assert len(read(b"\xef\xbb\xbf" + lines(row()) + b"\xef\xbb\xbf" + lines(row())).answers) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "latin-1"])
def test_another_encoding_is_named_and_ends_nothing(read: Read, encoding: str) -> None:
    text = json.dumps(row(answer="é"), ensure_ascii=False) + "\n"
    found = read(zip_of({"other.jsonl": text.encode(encoding), "good.jsonl": lines(row())}))
    assert len(found.answers) == 1
    assert found.skipped
    assert {item.member for item in found.skipped} == {"other.jsonl"}
    if encoding == "utf-16":
        assert found.reasons == ["not UTF-8 but UTF-16: save the file as UTF-8"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_that_is_one_list_is_told_how_lines_look(read: Read, indent: int | None) -> None:
    found = read(json.dumps([row()], indent=indent).encode())
    assert not found.answers
    assert found.reasons[0].endswith("each row is one object in one line (JSON Lines)")


def test_only_a_files_first_line_tells_utf_16(read: Read) -> None:
    assert read(lines(row()) + b"\xff\xfe\n").reasons == ["not UTF-8"]


# What JSON allows, or Python's reader of it


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1", "1" * 400, "1.5", "true", '"3"', "[]", "2147483648"]
)
def test_odd_numbers_are_no_numbers(read: Read, number: str) -> None:
    text = json.dumps(row(rollout="R", prompt_tokens="R", completion_tokens="R", raw="R")).replace('"R"', number)
    answer = one(read(text.encode()))
    assert (answer.rollout, answer.raw) == ((1, False) if number == "1.5" else (0, number == "true"))
    assert answer.prompt_tokens in (None, 1)


def test_a_number_of_five_thousand_digits_is_broken_json(read: Read) -> None:
    assert read(b'{"kernel": "dot_f32", "answer": "", "rollout": ' + b"9" * 5000 + b"}\n").reasons == [
        "broken JSON: a number of over 4300 digits"
    ]


def test_of_a_key_that_stands_twice_the_last_counts(read: Read) -> None:
    assert one(read(b'{"model": "a", "model": "b", "kernel": "dot_f32", "answer": "x"}\n')).model == "b"


def test_nested_too_deeply_is_broken_json(read: Read) -> None:
    for deep in (b"[" * 100_000, b'{"a":' * 50_000, b"[" * 50_000 + b"]" * 50_000):
        assert read(b'{"kernel": "dot_f32", "answer": "", "x": ' + deep + b"}\n").reasons[0].startswith("broken JSON")


@pytest.mark.parametrize("depth", [300, 490, 600, 900, 940])
@pytest.mark.parametrize("field", ["example_id", "kernel", "model", "key", "idx", "status_code", "error", "name", "content"])
def test_nested_just_within_what_python_reads_is_as_harmless(read: Read, field: str, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    for sample in (
        episode("dot_f32", "x"),
        trace("dot_f32", "x", errors=[{"status_code": 1, "message": "x"}]),
        result("dot_f32", "x", error={"error": "x", "status_code": "y"}),
        row(example_id=0),
    ):
        text = json.dumps(replaced(sample, field, "@@"))
        read(text.replace('"@@"', nested).encode(), model=MODEL)


def replaced(value: Any, field: str, by: Any) -> Any:
    if isinstance(value, dict):
        return {key: by if key == field else replaced(item, field, by) for key, item in value.items()}
    return [replaced(item, field, by) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "config",
    [
        b"x = " + b"[" * 5000,
        b"num_rollouts = 0x" + b"f" * 20_000,
        b"[" * 3000,
        b"a." * 3000 + b"a = 1",
        b"\xff\xfe",
        b"model = 3",
        b"model = 1979-05-27T07:32:00Z",
        b"[sampling]\ntemperature = nan\nseed = 1979-05-27",
        b'model = "' + b"m" * 200_000 + b'"',
    ],
)
def test_a_configuration_that_makes_no_sense_names_no_model(read: Read, config: bytes) -> None:
    files = samples.run_0_2()
    files[next(name for name in files if name.endswith(".toml"))] = config
    found = read(zip_of(files))
    assert found.reasons == ["no model name: give one with the upload (--model on the command line)"] * 3


@pytest.mark.parametrize(
    "config", [b"[1]", b'{"model": {"a": 1}}', b"[" * 5000, b'{"sampling": 3, "env": [], "num_rollouts": [[]]}']
)
def test_neither_does_one_in_json(read: Read, config: bytes) -> None:
    files = {"results.jsonl": lines(result("dot_f32", "x")), "metadata.json": config}
    assert "no model name" in read(zip_of(files)).reasons[0]


# Limits, each of which is named


def limited(**changes: int) -> ArchiveLimits:
    return ArchiveLimits(**{name: getattr(LIMITS, name) for name in LIMITS.__dataclass_fields__} | changes)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'{"answer": "' + b"x" * (1 << 20) + b'"}\n', "BUNDLE_MAX_LINE_MB"),
        (b'{"a": [' + b"[]," * 40_000 + b"0]}\n", "BUNDLE_MAX_VALUES"),
        (lines(row(answer="x" * 1_000_000, raw=True)), "BUNDLE_MAX_REPLY_MB"),
    ],
)
def test_a_row_over_a_limit_is_listed_with_the_limits_name_and_the_rest_is_read(read: Read, data: bytes, name: str) -> None:
    found = read(data + lines(row()), limits=limited(values=50_000, reply_mb=0 if "REPLY" in name else 2))
    assert name in found.reasons[0]
    assert found.places[0][1] == 1
    assert len(found.answers) == (0 if "REPLY" in name else 1)


def test_a_c_file_over_the_limit_is_listed_with_its_name(read: Read) -> None:
    files = {"m/dot_f32/0.c": b"x" * (1 << 20), "m/dot_f32/1.c": b"x" * ((1 << 20) + 1)}
    found = read(zip_of(files), limits=limited(reply_mb=1))
    assert (len(found.answers), "BUNDLE_MAX_REPLY_MB" in found.reasons[0]) == (1, True)


# What docs/bundles.md offers to be copied


def examples() -> list[str]:
    text = (ROOT.parent / "docs" / "bundles.md").read_text()
    return re.findall(r"(?m)^    (.+)$", text.partition("### Examples to copy")[2])


@pytest.mark.parametrize("answer", [None, ""])
def test_a_plain_line_with_an_error_and_an_empty_answer_is_no_answer(read: Read, answer: str | None) -> None:
    assert read(lines(row(answer=answer, error="429: rate limit"))).reasons == ["provider error: 429: rate limit"]


def test_a_plain_line_with_an_empty_error_or_a_text_is_an_answer(read: Read) -> None:
    assert len(read(lines(row(answer="", error=None), row(answer="", error=""), row(answer="x", error="scoring"))).answers) == 3


def test_the_lines_that_the_docs_show_are_read_as_they_say(read: Read) -> None:
    found = read("".join(f"{line}\n" for line in examples() if line.startswith("{")).encode())
    assert [(answer.kernel, answer.rollout, answer.raw, answer.cut_short) for answer in found.answers] == [
        ("dot_f32", 0, False, False),
        ("dot_f32", 1, True, False),
        ("sort_u32", 0, False, True),
    ]
    assert found.reasons == ["provider error: 429: rate limit"]


def test_so_is_the_folder_of_c_files(read: Read) -> None:
    found = read(zip_of({name: b"int x;" for name in examples() if name.endswith(".c")}))
    assert [(answer.model, answer.kernel, answer.rollout) for answer in found.answers] == [
        ("vendor-model-1", "dot_f32", 0),
        ("vendor-model-1", "sort_u32", 0),
        ("vendor-model-1", "sort_u32", 1),
        ("another-model", "dot_f32", 0),
    ]


@pytest.mark.parametrize("kind", ["reasoning", "thinking", "redacted_thinking", "reasoning_text", "thought"])
def test_parts_of_a_message_that_are_reasoning_are_no_reply(kind):
    said = [{"type": kind, "text": "<answer>draft</answer>"}, {"type": "text", "text": "<answer>"}, {"text": "C</answer>"}]
    sampled = {"sampled": True, "message": {"role": "assistant", "reasoning_content": "<answer>draft</answer>", "content": said}}
    (reply,) = Results().replies({"completion": [{"role": "assistant", "content": said}], "info": {"kernel": "dot_f32"}})
    traced = read_trace({"nodes": [sampled]}, {"data": {"kernel": "dot_f32"}})
    assert (reply.text, traced.text) == ("<answer>C</answer>", "<answer>C</answer>")

from __future__ import annotations

import csv
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from grading.answer import extract
from kernels.catalog import load_catalog
from leaderboard.bundles.archives import unpack
from leaderboard.bundles.parser import BundleParser
from leaderboard.bundles.types import Answer, ArchiveLimits, BundleError, Skipped
from tests.conftest import OLDER_RUNS, RUNS
from tests.site.bundles import ANSWER, lines, row, zip_of

LIMITS = ArchiveLimits(unpacked_mb=100, ratio=1000, files=1000, line_mb=1, rows=1000)
TRUTH = RUNS.parent / "truth"


@pytest.fixture
def read(tmp_path):
    """read(path or bytes): (answers, skipped, reading)"""

    def read_one(source: Path | bytes, name: str = "answers.jsonl", model: str = "", limits: ArchiveLimits = LIMITS):
        if isinstance(source, bytes):
            (tmp_path / "source").write_bytes(source)
            source = tmp_path / "source"
        into = Path(tempfile.mkdtemp(dir=tmp_path))
        reading = BundleParser(
            unpacked=unpack(source, into, limits, name), kernels=set(load_catalog()), limits=limits, model=model
        )
        items = list(reading)
        answers = [item for item in items if isinstance(item, Answer)]
        return answers, [item for item in items if isinstance(item, Skipped)], reading

    return read_one


def truth(model: str) -> dict[tuple[str, int], dict[str, str]]:
    with (TRUTH / f"{model}.csv").open() as file:
        return {(line["kernel"], int(line["rollout"])): line for line in csv.DictReader(file)}


@pytest.mark.parametrize(
    ("folder", "model", "answers"),
    [
        ("arch-kernels-v1--stub--plain-7b--null--8cb61393", "plain-7b", 39),
        ("arch-kernels-v1--stub--portable-70b--null--8f39c5ba", "portable-70b", 26),
        ("arch-kernels-v1--stub--simd-x--null--d50891c8", "simd-x", 26),
    ],
)
def test_a_run_folder_gives_every_kernel_and_rollout_of_its_truth_file(read, folder, model, answers):
    found, skipped, reading = read(RUNS / folder)
    assert len(found) == answers
    assert skipped == []
    assert {answer.model for answer in found} == {f"stub/{model}"}
    expected = truth(model)
    assert {(answer.kernel, answer.rollout) for answer in found} == set(expected)
    without = {key for key, line in expected.items() if line["amd64"] == "no_answer"}
    assert {(answer.kernel, answer.rollout) for answer in found if extract(answer.reply, answer.kernel).source is None} == without
    assert dict(reading.formats) == {"verifiers 0.4 episodes": answers}
    assert reading.config["environment"] == "arch-kernels-v1"
    assert all(answer.completion_tokens and answer.prompt_tokens for answer in found)


def test_provider_errors_are_no_answers_and_are_listed(read):
    found, skipped, _ = read(RUNS / "arch-kernels-v1--stub--portable-70b--null--14e0c972")
    assert (len(found), len(skipped)) == (20, 6)
    assert all(item.reason.startswith("provider error") and item.line for item in skipped)


def test_older_writers_give_the_same_replies_with_the_same_rollouts(read):
    def replies(path: Path) -> dict[tuple[str, int], str]:
        return {(answer.kernel, answer.rollout): answer.reply for answer in read(path)[0]}

    newest = replies(RUNS / "arch-kernels-v1--stub--portable-70b--null--8f39c5ba")
    assert set(replies(OLDER_RUNS / "v0-0.1.14")) == set(newest)
    traces = replies(OLDER_RUNS / "v1-0.2.0")
    assert set(traces) == set(newest)
    assert Counter(traces.values()) == Counter(newest.values())


@pytest.mark.parametrize("folder", ["format-samples/variety", "format-samples/v0-0.1.14", "format-samples/v1-0.2.0"])
def test_answers_to_kernels_that_we_do_not_have_are_listed(read, folder):
    found, skipped, reading = read(OLDER_RUNS / folder)
    assert found == []
    assert len(skipped) == reading.rows > 0
    assert {item.reason.partition(" '")[0].partition(":")[0] for item in skipped} <= {
        "unknown kernel",
        "provider error",
        "the row names no kernel",
        "the model never replied",
    }


def test_a_plain_line_needs_no_more_than_model_kernel_and_answer(read):
    (answer,), skipped, _ = read(lines(row()))
    assert (answer.model, answer.kernel, answer.rollout, answer.reply, answer.raw) == ("stub/one", "dot_f32", 0, ANSWER, False)
    assert (answer.line, skipped) == (1, [])


def test_a_plain_line_may_name_its_rollout_and_be_raw_c(read):
    (answer,), _, _ = read(lines(row(rollout=7, raw=True, answer="int x;")))
    assert (answer.rollout, answer.raw, answer.reply) == (7, True, "int x;")


def test_rollouts_are_counted_per_kernel_and_model_in_file_order(read):
    found, _, _ = read(lines(row(), row(kernel="sort_u32"), row(), row(model="stub/two"), row()))
    assert [(answer.kernel, answer.model, answer.rollout) for answer in found] == [
        ("dot_f32", "stub/one", 0),
        ("sort_u32", "stub/one", 0),
        ("dot_f32", "stub/one", 1),
        ("dot_f32", "stub/two", 0),
        ("dot_f32", "stub/one", 2),
    ]


def test_an_empty_reply_is_an_answer(read):
    found, skipped, _ = read(lines(row(answer=""), row(answer=None)))
    assert [answer.reply for answer in found] == ["", ""]
    assert skipped == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"model": "x", "kernel": "dot_f32", "ans', "broken JSON"),
        (b"not json", "broken JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b'{"a": 1}', "no format known here"),
        (b'{"model": "x", "kernel": "dot_f32", "answer": "\xff"}', "not UTF-8"),
        (b'{"model": "x", "kernel": "nope", "answer": ""}', "unknown kernel 'nope'"),
        (b'{"model": "x", "kernel": 3, "answer": ""}', "names no kernel"),
        (b'{"model": "x", "kernel": "dot_f32", "answer": 3}', "not a text"),
        (b'{"kernel": "dot_f32", "answer": ""}', "no model name"),
        (b'{"model": "' + b"m" * 301 + b'", "kernel": "dot_f32", "answer": ""}', "300 characters"),
        (b'{"kernel": "dot_f32", "answer": ' + b"[" * 100_000, "broken JSON"),
        (b'{"answer": "' + b"x" * (1 << 20) + b'"}', "BUNDLE_MAX_LINE_MB"),
        (b'{"traces": 3}', "never replied"),
        (b'{"nodes": [{"sampled": true, "message": 7}], "task": []}', "names no kernel"),
        (b'{"completion": {"a": 1}}', "never replied"),
    ],
)
def test_a_row_that_is_no_answer_is_listed_with_its_line_and_the_rest_is_read(read, line, reason):
    found, skipped, _ = read(lines(row()) + line + b"\n" + lines(row(kernel="sort_u32")))
    assert [answer.line for answer in found] == [1, 3]
    (item,) = skipped
    assert item.line == 2
    assert reason in item.reason


def test_a_byte_order_mark_crlf_and_blank_lines_do_no_harm(read):
    data = b"\xef\xbb\xbf" + json.dumps(row()).encode() + b"\r\n\r\n   \n" + json.dumps(row()).encode()
    found, skipped, _ = read(data)
    assert [answer.line for answer in found] == [1, 4]
    assert skipped == []


def test_the_given_model_is_for_rows_that_name_none(read):
    found, _, _ = read(lines(row(), {"kernel": "dot_f32", "answer": ""}), model="given")
    assert [answer.model for answer in found] == ["stub/one", "given"]


def test_the_same_trace_twice_in_a_bundle_is_one_answer(read):
    found, skipped, _ = read(lines(row(trace_id="a"), row(trace_id="a"), row(trace_id="b")))
    assert [answer.identity for answer in found] == ["trace:a", "trace:b"]
    assert skipped[0].reason.startswith("duplicate")


def test_equal_text_in_two_rollouts_is_two_answers(read):
    assert len(read(lines(row(), row()))[0]) == 2


def test_repacking_a_run_changes_no_identity(read):
    run = RUNS / "arch-kernels-v1--stub--simd-x--null--d50891c8"
    plain = lines(row(), row())
    for one, other in [
        (read(run)[0], read((run / "traces.jsonl").read_bytes())[0]),
        (read(plain)[0], read(zip_of({"deep/er/answers.jsonl": plain}))[0]),
    ]:
        assert [answer.identity for answer in one] == [answer.identity for answer in other]


def test_a_cut_short_reply_is_marked(read):
    episode = {
        "task": {"data": {"kernel": "dot_f32"}, "key": "k"},
        "traces": [
            {
                "id": "t",
                "agent": {"config": {"model": "m"}},
                "nodes": [{"sampled": True, "message": {}}],
                "calls": [{"finish_reason": "length", "usage": {"prompt_tokens": 3, "completion_tokens": 4}}],
            }
        ],
    }
    (answer,), _, _ = read(lines(episode))
    assert (answer.cut_short, answer.reply, answer.prompt_tokens, answer.completion_tokens) == (True, "", 3, 4)


def test_several_runs_in_one_archive_keep_their_own_configuration(read):
    def run(model: str) -> dict[str, bytes]:
        trace = {
            "id": model,
            "nodes": [{"sampled": True, "message": {"content": ANSWER}}],
            "task": {"data": {"kernel": "dot_f32", "idx": 0}},
        }
        return {f"{model}/traces.jsonl": lines(trace), f"{model}/config.toml": f'model = "{model}"\n'.encode()}

    found, _, _ = read(zip_of(run("one") | run("two")))
    assert sorted(answer.model for answer in found) == ["one", "two"]


def test_a_folder_of_c_files_is_a_bundle(read):
    files = {
        "root/m/dot_f32.c": b"int a;",
        "root/m/sort_u32/0.c": b"int b;",
        "root/m/sort_u32/1.c": b"int c;",
        "root/m/nope.c": b"",
    }
    found, skipped, _ = read(zip_of(files))
    assert [(answer.model, answer.kernel, answer.rollout, answer.raw) for answer in found] == [
        ("m", "dot_f32", 0, True),
        ("m", "sort_u32", 0, True),
        ("m", "sort_u32", 1, True),
    ]
    assert "unknown kernel" in skipped[0].reason


def test_too_many_rows_name_the_limit(read):
    with pytest.raises(BundleError, match="BUNDLE_MAX_ROWS"):
        read(lines(*[row()] * 5), limits=ArchiveLimits(unpacked_mb=1, ratio=99, files=9, line_mb=1, rows=4))

"""The command: a model is asked, whatever goes wrong, and its answers are a bundle."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from kernels.catalog import get_kernel
from leaderboard.evaluation.endpoint import retry_after
from leaderboard.evaluation.folder import Folder
from leaderboard.models import Bundle, Result, Submission
from tests.doubles.openai import KEY as STUB_KEY
from tests.doubles.openai import OpenAIStub, recorded
from tests.evaluation.endpoint import CODE, KEY, Endpoint, answer, drip, drop, hang, raw, refuse
from tests.grading.processes import wait_until
from tests.site.conftest import kernels as kernels

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "media" / "incoming")
    (tmp_path / "media" / "incoming").mkdir(parents=True)
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr("leaderboard.evaluation.patience.Patience.first_s", 0.01)


def evaluate(endpoint: Endpoint | str, *arguments: str, model: str = "lab/one", key: str = "TEST_KEY") -> str:
    out = io.StringIO()
    url = endpoint if isinstance(endpoint, str) else endpoint.url
    call_command("evaluate", model, f"--base-url={url}", f"--api-key-var={key}", *arguments, stdout=out)
    return out.getvalue()


def rows(tmp_path: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in (tmp_path / "evaluations").rglob("answers.jsonl") for line in path.read_text().splitlines()
    ]


ONE = ("--kernels", "dot_f32", "--rollouts", "1")


def test_the_recorded_answers_come_in_as_a_bundle_of_their_own(kernels, tmp_path, monkeypatch):
    monkeypatch.setenv("TEST_KEY", STUB_KEY)
    answered = [*recorded()["stub/plain-7b"]]
    answers = 2 * len(answered)
    with OpenAIStub(recorded()) as stub:
        said = evaluate(stub.url, "--rollouts", "2", "--kernels", ",".join(answered), model="stub/plain-7b")
    assert f"{answers} answers (0 cut short), 0 questions without one" in said
    assert {(row["kernel"], row["number"]) for row in stub.requests} == {(name, n) for name in answered for n in (0, 1)}
    assert Submission.objects.public().count() == answers
    assert set(Submission.objects.values_list("model__name", flat=True)) == {"stub/plain-7b"}
    assert sorted(Submission.objects.filter(kernel__name="dot_f32").values_list("rollout", flat=True)) == [0, 1]
    assert Result.objects.queued().count() == 2 * answers
    bundle = Bundle.objects.get()
    assert (bundle.format, bundle.answers) == ("plain lines", answers)


def test_what_is_asked_is_the_kernels_prompt_with_the_settings_given(kernels):
    with Endpoint() as endpoint:
        evaluate(endpoint, *ONE, "--temperature", "0.5", "--max-tokens", "900", "--seed", "7", "--extra", '{"top_k": 3}')
    (request,) = endpoint.requests
    assert request.pop("messages") == [{"role": "user", "content": get_kernel("dot_f32").prompt}]
    assert request == {"model": "lab/one", "temperature": 0.5, "max_tokens": 900, "seed": 7, "top_k": 3, "stream": False}
    assert endpoint.keys == [f"Bearer {KEY}"]
    assert Bundle.objects.get().config["temperature"] == "0.5"


def test_one_architecture_alone_is_told_and_graded(kernels):
    with Endpoint() as endpoint:
        evaluate(endpoint, *ONE, "--arch", "arm64")
    assert "AArch64" in endpoint.requests[0]["messages"][0]["content"]
    assert list(Result.objects.values_list("arch", flat=True)) == ["arm64"]


def test_no_key_is_sent_where_none_is_named(kernels):
    with Endpoint() as endpoint:
        evaluate(endpoint, *ONE, key="")
    assert endpoint.keys == [None]


@pytest.mark.parametrize(
    "trouble",
    [refuse(429), refuse(500), refuse(503), raw(b"<html>"), raw(b'{"choices": []}'), raw(b"[1]"), drop, raw(b"\xff\xfe{}")],
    ids=["429", "500", "503", "not JSON", "no choices", "another JSON", "dropped", "not UTF-8"],
)
def test_what_passes_is_asked_again(kernels, tmp_path, trouble):
    with Endpoint(trouble, trouble, answer()) as endpoint:
        evaluate(endpoint, *ONE)
    (row,) = rows(tmp_path)
    assert (row["answer"], row["attempts"], len(endpoint.requests)) == (CODE, 3, 3)


def test_retry_after_is_honoured_by_all_questions(kernels, tmp_path):
    with Endpoint(refuse(429, Retry_After="1"), answer()) as endpoint:
        evaluate(endpoint, "--kernels", "dot_f32", "sort_u32", "--rollouts", "2", "--concurrency", "1")
    assert endpoint.times[1] - endpoint.times[0] >= 1
    assert len(rows(tmp_path)) == 4


def test_a_retry_after_is_seconds_or_a_date_or_milliseconds():
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < retry_after({"retry-after": soon}) <= 30
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_a_service_that_wants_an_hour_is_not_waited_for(kernels, tmp_path):
    with Endpoint(refuse(429, "come back tomorrow", Retry_After="3600"), answer()) as endpoint:
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2", "--concurrency", "1")
    assert [("error" in row, row.get("attempts")) for row in rows(tmp_path)] == [(True, 1), (False, 1)]


def test_a_hanging_endpoint_and_one_that_drips_end_at_the_timeout(kernels, tmp_path):
    with Endpoint(hang(), drip, answer()) as endpoint:
        evaluate(endpoint, *ONE, "--timeout", "0.5")  # the second drips for ever
    assert rows(tmp_path)[0]["attempts"] == 3


def test_an_error_that_stays_is_a_row_and_no_answer(kernels, tmp_path):
    with Endpoint(refuse(400, "the prompt is too long"), refuse(500), refuse(500), answer()) as endpoint:
        said = evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "3", "--concurrency", "1", "--retries", "1")
    found = rows(tmp_path)
    assert [row.get("error") for row in found] == [
        {"status_code": 400, "message": "the prompt is too long"},
        {"status_code": 500, "message": "no"},
        None,
    ]
    assert [row["attempts"] for row in found] == [1, 2, 1]
    assert "1 answers (0 cut short), 2 questions without one" in said
    assert "provider error: 400: the prompt is too long" in said
    assert (Submission.objects.count(), Bundle.objects.get().skipped) == (1, 2)
    assert Submission.objects.get().rollout == 2


def test_errors_are_asked_again_only_when_told_to(kernels, tmp_path):
    with Endpoint(refuse(400), answer()) as endpoint:
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2", "--concurrency", "1")
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2", "--concurrency", "1")
        assert len(endpoint.requests) == 2
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2", "--retry-errors")
        assert len(endpoint.requests) == 3
    assert sorted(Submission.objects.values_list("rollout", flat=True)) == [0, 1]


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_what_every_question_would_meet_ends_it_at_once(kernels, tmp_path, status):
    with Endpoint(refuse(status, "model not found"), answer()) as endpoint:
        with pytest.raises(CommandError, match=f"HTTP {status}: model not found"):
            evaluate(endpoint, "--concurrency", "1")
        assert len(endpoint.requests) == 1
        assert rows(tmp_path) == []
        evaluate(endpoint, *ONE)
    assert len(rows(tmp_path)) == 1


def test_an_empty_completion_is_an_answer_and_what_was_cut_short_says_so(kernels, tmp_path):
    with Endpoint(answer(""), answer(None), answer("half a", finish_reason="length")) as endpoint:
        said = evaluate(endpoint, "--kernels", "dot_f32", "--concurrency", "1")
    assert [row["answer"] for row in rows(tmp_path)] == ["", "", "half a"]
    assert list(Submission.objects.order_by("rollout").values_list("source", "cut_short")) == [
        *((None, False), (None, False), (None, True)),
    ]
    assert "3 answers (1 cut short)" in said


def test_tokens_and_cost_are_kept_and_added_up(kernels, tmp_path):
    with Endpoint(
        answer(prompt_tokens=1000, completion_tokens=500), answer(prompt_tokens=10, completion_tokens=5, cost=0.25)
    ) as endpoint:
        prices = ("--price-prompt", "2", "--price-completion", "10")
        said = evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2", "--concurrency", "1", *prices)
    assert [row["cost_usd"] for row in rows(tmp_path)] == [pytest.approx(0.007), 0.25]
    assert "1,010 prompt and 505 completion tokens, 0.2570 US dollars" in said
    (config,) = (tmp_path / "evaluations").rglob("eval.json")
    assert json.loads(config.read_text())["usage"]["cost_usd"] == pytest.approx(0.257)
    assert Submission.objects.get(rollout=0).completion_tokens == 500


def test_the_same_command_asks_nothing_twice_and_more_rollouts_only_add(kernels):
    with Endpoint() as endpoint:
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2")
        assert "2 questions, 2 of them answered already" in evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "2")
        assert len(endpoint.requests) == 2
        evaluate(endpoint, "--kernels", "dot_f32,sort_u32", "--rollouts", "3")
        assert len(endpoint.requests) == 6
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "1", "--again")
        assert len(endpoint.requests) == 7
        evaluate(endpoint, "--kernels", "dot_f32", "--rollouts", "1", "--temperature", "1")
        assert len(endpoint.requests) == 8
    assert Submission.objects.count() == 8


def run(endpoint: Endpoint, tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command in a process of its own, without the site's import."""
    command = [sys.executable, "manage.py", "evaluate", "lab/one", f"--base-url={endpoint.url}", "--api-key-var=TEST_KEY"]
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    command += ["--no-import", "--kernels=dot_f32", *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_evaluation_keeps_what_is_under_way_and_goes_on(tmp_path, number):
    with Endpoint(answer(), answer(after_s=1.0), answer(after_s=1.0), answer()) as endpoint:
        process = run(endpoint, tmp_path, "--rollouts=5", "--concurrency=2")
        wait_until(lambda: process.poll() is not None or len(endpoint.requests) == 3, 60)
        process.send_signal(number)
        said, _ = process.communicate(timeout=300)
        assert (process.returncode, len(rows(tmp_path))) == (130, 3), said
        assert "run the same command again to resume" in said
        said, _ = run(endpoint, tmp_path, "--rollouts=5", "--concurrency=2").communicate(timeout=300)
        assert "5 questions, 3 of them answered already" in said
    assert len(endpoint.requests) == 5
    assert sorted(row["rollout"] for row in rows(tmp_path)) == [0, 1, 2, 3, 4]


def test_a_killed_evaluation_loses_only_what_was_under_way(tmp_path):
    with Endpoint(answer(), answer(), hang(), answer()) as endpoint:
        process = run(endpoint, tmp_path, "--rollouts=4", "--concurrency=1")
        wait_until(lambda: process.poll() is not None or len(endpoint.requests) == 3, 60)
        (path,) = (tmp_path / "evaluations").rglob("answers.jsonl")
        wait_until(lambda: process.poll() is not None or path.read_bytes().count(b"\n") == 2, 60)  # kept by another thread
        process.kill()
        process.communicate()
        with path.open("a") as file:
            file.write('{"model": "lab/one", "ker')  # as a crash in the middle of a line would leave it
        said, _ = run(endpoint, tmp_path, "--rollouts=4", "--concurrency=1").communicate(timeout=300)
        assert "4 questions, 2 of them answered already" in said
    assert [row["rollout"] for row in rows(tmp_path)] == [0, 1, 2, 3]
    assert len(endpoint.requests) == 5


def test_two_at_once_do_not_ask_the_same_questions(kernels, tmp_path):
    with Endpoint() as endpoint:
        evaluate(endpoint, *ONE)
        (path,) = (tmp_path / "evaluations").iterdir()
        with Folder(path), pytest.raises(CommandError, match="another evaluation right now"):
            evaluate(endpoint, *ONE)


def test_the_key_is_nowhere(kernels, tmp_path, caplog):
    """Not even where a service repeats it, in its errors and in its answers."""
    caplog.set_level("DEBUG")
    shown = []
    with Endpoint(refuse(400, f"bad key {KEY}"), answer(f"{CODE} {KEY}"), raw(KEY.encode(), 500), refuse(401, KEY)) as endpoint:
        options = ("--kernels", "dot_f32", "--rollouts", "4", "--concurrency", "1", "--retries", "0")
        with pytest.raises(CommandError) as ended:
            evaluate(endpoint, *options)
        shown.append(str(ended.value))
        process = run(endpoint, tmp_path, "--rollouts=9")
        arguments = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        shown.append(process.communicate(timeout=300)[0])
    assert KEY.encode() not in arguments
    assert "[key]" in shown[0]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"[key]" in path.read_bytes() for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in "".join(shown) + caplog.text


@pytest.mark.parametrize("value", ["sk-with a space", "sk-höchst-geheim", "sk-two\nlines"])
def test_a_key_that_fits_no_header_is_refused_without_being_repeated(monkeypatch, value):
    monkeypatch.setenv("TEST_KEY", value)
    with pytest.raises(CommandError, match="characters that no key has") as refused:
        evaluate("http://127.0.0.1:9/v1")
    assert value not in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"key": "sk-0123"}, "takes the name of an environment variable"),
        ({"key": "NOT_SET_ANYWHERE"}, "is not set"),
        ({"endpoint": "ftp://example.com"}, "should be like https"),
        ({"endpoint": "https://user:secret@example.com/v1"}, "contains more than an address"),
        ({"endpoint": "https://example.com/v1?key=secret"}, "contains more than an address"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments, reason):
    with pytest.raises(CommandError, match=reason) as refused:
        evaluate(arguments.get("endpoint", "http://127.0.0.1:9/v1"), key=arguments.get("key", "TEST_KEY"))
    assert not re.search("secret|0123", str(refused.value))


OPTIONS = [("--kernels", "nope"), ("--extra", "[1]"), ("--extra", '{"model": "other"}'), ("--rollouts", "0")]


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_mean_nothing_are_refused(option):
    with pytest.raises(CommandError):
        evaluate("http://127.0.0.1:9/v1", *option)


def test_a_redirect_is_not_followed_with_the_key(kernels, tmp_path):
    with Endpoint() as elsewhere, Endpoint(refuse(302, Location=elsewhere.url)) as endpoint, pytest.raises(CommandError):
        evaluate(endpoint, *ONE)
    assert elsewhere.requests == []
    assert rows(tmp_path)[0]["error"]["status_code"] == 302


def test_an_endpoint_that_is_not_there_is_an_error_of_the_row(kernels, tmp_path):
    with pytest.raises(CommandError, match="no answer at all"):
        evaluate("http://127.0.0.1:9/v1", *ONE, "--retries", "1")
    assert "ConnectError" in rows(tmp_path)[0]["error"]["message"]

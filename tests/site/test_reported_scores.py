"""What a run said of its answers itself is kept and shown beside ours, and counts for nothing."""

from __future__ import annotations

import json

import pytest

from leaderboard.bundles.formats.scores import MAX_NAMES, reported_scores
from leaderboard.models import Bundle, BundleEntry, Result, Submission
from tests.site.bundles import ANSWER, lines
from tests.site.conftest import claim
from tests.site.test_importing import bring

pytestmark = pytest.mark.usefixtures("kernels")

GRADE = {"verdict": "passed", "speedup": 3.5, "log": {"compile": "x" * 1000}}
TRACE = {
    "id": "trace-1",
    "task": {"key": "dot_f32/amd64", "data": {"kernel": "dot_f32", "arch": "amd64"}},
    "agent": {"config": {"model": "stub/one"}},
    "nodes": [{"sampled": True, "message": {"role": "assistant", "content": ANSWER}}],
    "rewards": {"kernel_score": {"score": 0.75, "weight": 1.0}, "unscored": None},
    "metrics": {"passed": 1.0, "speedup": 3.5, "correct": None, "odd": "text"},
    "info": {"grade": GRADE},
}
KEPT = {"verdict": "passed", "arch": "amd64", "kernel_score": 0.75, "passed": 1.0, "speedup": 3.5}


def episode(**changes):
    trace = TRACE | changes
    return {"task": trace["task"], "traces": [trace], "ok": True}


def bare(**changes):
    """verifiers 0.2."""
    return TRACE | {"rewards": {"kernel_score": 0.75}} | changes


@pytest.mark.parametrize("row", [episode(), bare()])
def test_rewards_metrics_and_the_verdict_of_a_run_are_kept(row):
    bring(lines(row), name="traces.jsonl")
    assert BundleEntry.objects.get().scores == KEPT


def test_the_reward_of_an_older_run_is_kept():
    row = {"example_id": 0, "info": {"kernel": "dot_f32"}, "model": "stub/one", "reward": 0.5, "metrics": {"passed": 1}}
    bring(lines(row | {"completion": [{"role": "assistant", "content": ANSWER}]}), name="results.jsonl")
    assert BundleEntry.objects.get().scores == {"reward": 0.5, "passed": 1.0}


def test_a_replay_of_the_same_answer_keeps_its_own_scores():
    bring(lines(episode()), name="first.jsonl")
    bring(lines(episode(rewards={"kernel_score": {"score": 0.5, "weight": 1.0}}, metrics={}, info={})), name="replay.jsonl")
    assert Submission.objects.count() == 1
    first, again = BundleEntry.objects.order_by("id")
    assert (first.scores, again.scores) == (KEPT, {"arch": "amd64", "kernel_score": 0.5})


def test_a_hostile_run_keeps_only_what_is_a_finite_number_of_a_short_name():
    found = reported_scores(
        {"a\0": {"score": float("nan")}, "b": float("inf"), "c": 10**400, "d": [1], "e\0" * 100: 1, "f": True},
        {str(number): number for number in range(1000)},
        {"verdict": ["x"]},
        "none",
    )
    assert len(found) == MAX_NAMES
    assert found["f"] == 1.0
    assert all(isinstance(value, float) and len(name) <= 60 and "\0" not in name for name, value in found.items())
    json.dumps(found, allow_nan=False)
    assert reported_scores(None, [1], 3, {"arch": 3}) == {}


def test_the_page_shows_them_beside_the_results_here(client, kernels, django_user_model):
    bundle = bring(lines(episode()), name="traces.jsonl")
    found = Submission.objects.get()
    result = Result.objects.get(submission=found, arch="amd64")
    claim(result)
    Result.objects.filter(pk=result.pk).update(
        state="done", is_current=True, verdict="wrong_answer", kernel_score=0.0, passed=False, lease_token=None
    )
    page = client.get(f"/submissions/{found.uid}/").content.decode()
    shown = page.partition("Scores reported by the run")[2].partition("</table>")[0]
    assert f"in bundle <code>{bundle.uid}</code>, amd64" in shown
    for name, run, here in (("verdict", "passed", "wrong_answer"), ("kernel_score", "0.75", "0"), ("passed", "yes", "no")):
        row = shown.partition(f'<th scope="row">{name}</th>')[2].partition("</tr>")[0]
        assert f">{run}" in row, row
        assert f">{here}" in row, row

    Bundle.objects.update(public=False)
    assert "Scores reported by the run" not in client.get(f"/submissions/{found.uid}/").content.decode()
    client.force_login(django_user_model.objects.create_user("somebody"))
    assert "Scores reported by the run" not in client.get(f"/submissions/{found.uid}/").content.decode()
    Bundle.objects.update(uploader=django_user_model.objects.get(username="somebody"))
    assert "Scores reported by the run" in client.get(f"/submissions/{found.uid}/").content.decode()


def test_the_scores_of_a_run_are_no_result():
    bring(lines(episode()), name="traces.jsonl")
    assert set(Result.objects.values_list("state", "kernel_score")) == {("queued", None)}

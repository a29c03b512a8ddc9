from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any
from uuid import UUID

import pytest

from kernels.catalog import load_catalog
from leaderboard.models import Kernel, LanguageModel, Result, Submission
from leaderboard.services import catalog, leases, queueing, recording
from leaderboard.services.language_models import find_model
from tests.site import fake_grader

Make = Callable[..., Submission]


@pytest.fixture
def kernels(db: Any) -> dict[str, Kernel]:
    """All kernels as rows, without their baselines."""
    return {spec.name: catalog._sync_kernel(spec) for spec in load_catalog().values()}


@pytest.fixture
def make(kernels: dict[str, Kernel]) -> Make:
    """make(source, model=..., kernel=..., public=...): one submission."""
    numbers = count(1)

    def make_one(
        source: str | None = "speedup 2",
        *,
        model: str = "stub/one",
        kernel: str = "dot_f32",
        public: bool = True,
        kind: str = LanguageModel.Kind.LLM,
    ) -> Submission:
        number = next(numbers)
        return Submission.objects.create(
            identity=f"trace:{number}",
            kernel=kernels[kernel],
            model=find_model(model, kind),
            rollout=number,
            reply=source or "",
            source=source,
            public=public,
        )

    return make_one


def claim(result: Result, *, worker: str = "somewhere:else:1:2", lease_s: float = 60) -> UUID:
    token = queueing.RESULTS.claim(result.pk, worker=worker)
    assert token
    Result.objects.filter(pk=result.pk).update(lease_until=leases.from_now(lease_s))
    return token


@pytest.fixture
def seen_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep's first look at a lease that has run out is its second one."""
    monkeypatch.setattr(leases, "LOOKED_AGAIN", 0)


@pytest.fixture
def queue(make: Make) -> Callable[..., Result]:
    """queue(source, arch=...): one submission with a queued row."""

    def queue_one(source: str | None = "speedup 2", *, arch: str = "amd64", **more: Any) -> Result:
        submission = make(source, **more)
        queueing.enqueue([submission], [arch])
        return Result.objects.get(submission=submission, arch=arch)

    return queue_one


@pytest.fixture
def grade(queue: Callable[..., Result]) -> Callable[..., Result]:
    """grade(speedup=..., verdict=..., model=...): one submission, graded and recorded."""

    def grade_one(
        *, verdict: str = "passed", speedup: float = 2.0, arch: str = "amd64", again: Any = None, **more: Any
    ) -> Result:
        extra = {key: more.pop(key) for key in list(more) if key in RECORDED}
        if again is not None:
            queueing.regrade(Submission.objects.filter(pk=again.submission_id), [arch])
            row = Result.objects.queued().get(submission=again.submission_id, arch=arch)
        else:
            row = queue(arch=arch, **more)
        record = fake_grader.record(row.kernel.name, arch, verdict=verdict, speedup=speedup, **extra)
        recorded = recording.record_result(claim(row), record)
        assert recorded is not None
        return recorded

    return grade_one


# Fields of the record that grade() takes, beside verdict and speedup.
RECORDED = ("emulated", "machine", "extra_mb", "kernel_score", "kernel_version", "detail", "log", "speedup_low", "speedup_high")
RECORDED += ("unresolved", "const_kb")


@pytest.fixture(autouse=True)
def fake(settings: Any) -> Any:
    settings.GRADER = "tests.site.fake_grader"
    fake_grader.unavailable.clear()
    fake_grader.graded.clear()
    fake_grader.real.clear()
    for kept in (
        fake_grader.swept,
        fake_grader.places,
        fake_grader.slow,
        fake_grader.unmeasurable,
        fake_grader.calibrated,
        fake_grader.uncalibrated,
        fake_grader.short_of,
    ):
        kept.clear()
    return fake_grader

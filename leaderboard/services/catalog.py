"""The kernels' folders become rows, and their baselines are queued."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass

from django.db import transaction

from grading.answer import AnswerFrom
from grading.architectures import ARCHS
from grading.version import kernel_version, measurement
from kernels.catalog import load_catalog
from kernels.spec import BASELINES, KernelSpec
from leaderboard.models import Kernel, LanguageModel, Result, Submission
from leaderboard.services import priorities, queueing
from leaderboard.services.language_models import find_model


@dataclass(frozen=True, kw_only=True)
class Synced:
    kernels: int
    retired: int
    queued: int  # gradings of baselines


@transaction.atomic
def sync_kernels() -> Synced:
    """Mirror kernels/*/kernel.toml; queue both baselines wherever a measurement has none of their results yet."""
    catalog = load_catalog()
    kernels = [_sync_kernel(spec) for spec in catalog.values()]
    retired = Kernel.objects.exclude(name__in=catalog).filter(retired=False).update(retired=True)
    queued = sum(_sync_baseline(name, kernels, catalog) for name in BASELINES)
    return Synced(kernels=len(kernels), retired=retired, queued=queued)


def _sync_kernel(spec: KernelSpec) -> Kernel:
    kernel, _ = Kernel.objects.update_or_create(
        name=spec.name,
        defaults={
            "title": spec.title,
            "unit": spec.unit,
            "signature": spec.signature,
            "benchmark": spec.benchmark_description,
            "memory_limit_mb": spec.memory_limit_mb,
            "version": kernel_version(spec),
            "measurement": measurement(spec),
            "position": spec.position,
            "suite": spec.suite,
            "retired": False,
        },
    )
    return kernel


def _sync_baseline(name: str, kernels: list[Kernel], catalog: dict[str, KernelSpec]) -> int:
    model = find_model(name, LanguageModel.Kind.BASELINE)
    missing: dict[str, list[Submission]] = defaultdict(list)
    for kernel in kernels:
        submission, changed = _baseline_submission(name, kernel, model, BASELINES[name](catalog[kernel.name]))
        graded = Result.objects.filter(submission=submission, measurement=kernel.measurement, invalidated=False)
        known = set() if changed else set(graded.values_list("arch", flat=True))
        for arch in ARCHS:
            if arch not in known:
                missing[arch].append(submission)
    return sum(
        queueing.enqueue(rows, [arch], lambda row: priorities.baseline(name, row.kernel)) for arch, rows in missing.items()
    )


def _baseline_submission(name: str, kernel: Kernel, model: LanguageModel, source: str) -> tuple[Submission, bool]:
    """The one answer of a baseline to a kernel, and whether its source has changed. It keeps its address when it does."""
    digest = hashlib.sha256(source.encode()).hexdigest()
    values = {"kernel": kernel, "model": model, "reply": source, "source": source, "source_sha256": digest, "public": True}
    values["answer_from"] = AnswerFrom.RAW
    submission, created = Submission.objects.get_or_create(identity=f"baseline:{name}:{kernel.name}", defaults=values)
    changed = not created and submission.source_sha256 != digest
    if changed:
        Submission.objects.filter(pk=submission.pk).update(**values)
    return submission, changed

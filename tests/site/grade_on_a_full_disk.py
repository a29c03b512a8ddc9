"""Grade for real on a site whose DATA_DIR is on a full disk: a program, with the settings of a real site.

    DATA_DIR=DISK/data python -m tests.site.grade_on_a_full_disk DISK POINTS

At each of so many points of free room, from 8 kB to 2 MB, it grades what is queued, and queues again what came out. It prints
{"verdicts": {expected verdict: {what was recorded while the disk was full: how often}}, "afterwards": the same with room again,
"open": rows not done at the end, "failed": rows given up, "attempts": gradings that were begun while the disk was full}.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import django

ROUNDS = 20  # with room again: other tests may disturb one of them, by a full disk or an exhausted machine of their own


def main(disk: Path, points: int) -> dict[str, Any]:
    from django.core.management import call_command
    from django.db import DatabaseError

    from grading.pipeline import grade_source
    from grading.sandbox.local import host_arch
    from kernels.catalog import get_kernel
    from leaderboard import tasks
    from leaderboard.models import LanguageModel, Result, Submission
    from leaderboard.services import catalog, queueing
    from leaderboard.services.language_models import find_model
    from leaderboard.worker import grader
    from tests.grading.test_faults_of_ours import HONEST, QUICK, WRONG
    from tests.small_disk import leave, make_room, sweep

    arch = host_arch()
    call_command("migrate", verbosity=0)
    kernel = catalog._sync_kernel(get_kernel("dot_f32"))
    begun: Counter[str] = Counter()

    def quick(*what: Any) -> Any:
        begun["gradings"] += 1
        return grade_source(*what, QUICK)

    grader.grade_source = quick  # type: ignore[assignment]
    grader.is_real = lambda arch: False  # type: ignore[assignment]  # calibrating would take its time
    answers = {}
    for expected, source in {"passed": HONEST, "compile_error": WRONG}.items():
        answers[expected] = Submission.objects.create(
            identity=expected, kernel=kernel, model=find_model("lab/one", LanguageModel.Kind.LLM), source=source, reply=source
        )
    found: dict[str, Counter[str]] = defaultdict(Counter)
    counted: set[int] = set()

    def count() -> None:
        for row in Result.objects.done().exclude(pk__in=counted).select_related("submission"):
            counted.add(row.pk)
            found[row.submission.identity][row.verdict] += 1

    for free_kb in sweep(points):
        make_room(disk)
        queueing.enqueue(Submission.objects.select_related("kernel"), [arch])
        leave(disk, free_kb)
        tasks._parked.clear()  # as if its pause had passed
        with suppress(DatabaseError, OSError):  # django-q2 notes it and goes on with the next wake-up
            tasks.tick(arch)
        with suppress(DatabaseError, OSError):
            count()
    make_room(disk)
    count()
    full, found = found, defaultdict(Counter)
    for _ in range(ROUNDS):
        queueing.enqueue(Submission.objects.select_related("kernel"), [arch])
        Result.objects.open().update(not_before=None)  # as if its pause had passed
        tasks._parked.clear()
        tasks.look_after_the_queue()
        tasks.tick(arch)
        count()
        if len(found) == len(answers):
            break
    grader.close(arch)
    return {
        "verdicts": full,
        "afterwards": found,
        "open": Result.objects.open().count(),
        "failed": Result.objects.failed().count(),
        "attempts": begun["gradings"],
    }


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    django.setup()
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))

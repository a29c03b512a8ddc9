"""Run as a program: what becomes of work that kills its process, really kills it, again and again.

    python -m tests.site.die_at_work KIND        # with the DATA_DIR of a new site

Two rows of that kind wait; whoever works on the first of them is ended by SIGKILL. Forty times a process begins what the sweep
(or a worker) does. Prints JSON: the signals that ended those processes, and how the two rows look in the end.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from typing import Any

import django

django.setup()

from django.core.files import File  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from leaderboard import tasks  # noqa: E402
from leaderboard.models import BulkAction, Bundle, LanguageModel, Result, Submission  # noqa: E402
from leaderboard.services import (  # noqa: E402
    all_leases,
    bulk_actions,
    bundle_decisions,
    bundle_files,
    bundle_lease,
    bundle_reading,
    importing,
    taking_back,
)
from tests.site import fake_grader  # noqa: E402
from tests.site.bundles import lines, row  # noqa: E402

ROUNDS = 40
LEASES = dict(zip(("result", "bundle", "bulk action", "evaluation"), all_leases.ALL, strict=True)) | {
    "reading": bundle_lease.BUNDLES,
    "deletion": bundle_lease.BUNDLES,
}


def kill(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def only_at(pk: int, real: Any) -> Any:
    return lambda work, *more: kill() if work.pk == pk else real(work, *more)


def two_answers() -> list[Result]:
    """Without kernels' baselines, so that nothing else waits."""
    bundle = bundle_files.keep_file(
        File(io.BytesIO(lines(*(row(trace_id=name, answer=f"<answer>{name}</answer>") for name in ("poison", "fine"))))),
        name="answers.jsonl",
    )
    importing.import_bundle(bundle_reading.read(bundle))
    Submission.objects.filter(model__kind=LanguageModel.Kind.BASELINE).delete()
    return list(Result.objects.filter(arch="amd64").order_by("pk"))


def prepare(kind: str) -> tuple[list[int], Any]:
    """The two rows, and what a process does that begins work."""
    if kind == "result":
        rows = two_answers()
        real = fake_grader.grade
        fake_grader.grade = lambda kernel, source, arch: kill() if source == "poison" else real(kernel, source, arch)  # type: ignore[assignment]

        def grade() -> None:
            tasks.look_after_the_queue()
            tasks.tick("amd64")

        return [result.pk for result in rows], grade
    if kind == "bulk action":
        two_answers()
        operations = [bulk_actions.plan("move_first", Result.objects.all(), None) for _ in range(2)]  # type: ignore[arg-type]
        BulkAction.objects.update(state=BulkAction.State.RUNNING)
        bulk_actions._work_off = only_at(operations[0].pk, bulk_actions._work_off)
        return [action.pk for action in operations], tasks.carry_on_actions
    bundles = [bundle_files.keep_file(File(io.BytesIO(lines(row(trace_id=name)))), name=f"{name}.jsonl") for name in "ab"]
    if kind == "bundle":
        for bundle in bundles:
            bundle_decisions.confirm_when_read(bundle)
        importing._import = only_at(bundles[0].pk, importing._import)
    elif kind == "deletion":
        Bundle.objects.update(state=Bundle.State.DELETING)
        taking_back.take_back = only_at(bundles[0].pk, taking_back.take_back)
    else:
        bundle_reading._read = only_at(bundles[0].pk, bundle_reading._read)
    return [bundle.pk for bundle in bundles], tasks.carry_on_bundles


def in_a_process(work: Any) -> int:
    """The signal that ended it, or 0."""
    connections.close_all()
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def main(kind: str) -> None:
    call_command("migrate", verbosity=0)
    call_command("sync_kernels", stdout=io.StringIO())
    leases = LEASES[kind]
    (poison, other), work = prepare(kind)
    signals = [in_a_process(work) for _ in range(ROUNDS)]
    names = ["state", "attempt", "worker", leases.reason]
    found = [leases.rows.filter(pk=pk).first() for pk in (poison, other)]
    shown = [{name: getattr(row, name) for name in names} if row else {"state": "gone"} for row in found]
    print(json.dumps({"signals": signals, "reason": leases.reason, "poison": shown[0], "other": shown[1]}))


if __name__ == "__main__":
    main(sys.argv[1])

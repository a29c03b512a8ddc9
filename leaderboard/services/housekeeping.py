"""Delete expired rows and files."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django_q.models import OrmQ, Schedule, Task

from leaderboard.models import Bundle, Worker
from leaderboard.services import bulk_actions, deletion, failed_logins, trials
from leaderboard.storage import temp_files

WORKERS_FOR = timedelta(hours=1)
TASKS_FOR = timedelta(days=7)
PREVIEWS_FOR = timedelta(days=7)


def prune(now: datetime) -> None:
    Worker.objects.silent(WORKERS_FOR.total_seconds()).delete()
    Task.objects.filter(stopped__lt=now - TASKS_FOR).delete()
    for bundle in Bundle.objects.filter(state=Bundle.State.PREVIEW, created_at__lt=now - PREVIEWS_FOR):
        deletion.delete_bundle(bundle)
    trials.prune(now)
    temp_files.prune(now)
    bulk_actions.prune(now)
    failed_logins.prune(now)
    # Messages for a cluster that does not exist (a mistyped name) would wait for ever.
    OrmQ.objects.exclude(key__in=settings.CLUSTERS).filter(lock__lt=now - TASKS_FOR).delete()


def ensure_schedule() -> None:
    """Clusters without a supervisor (on further hosts, in containers) are woken by django-q2's own scheduler, once a minute."""
    Schedule.objects.update_or_create(
        name="sweep",
        defaults={
            "func": "leaderboard.tasks.sweep",
            "schedule_type": Schedule.MINUTES,
            "minutes": 1,
            "cluster": "housekeeping",
            "repeats": -1,
        },
    )

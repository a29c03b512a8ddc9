"""Failed logins, which django-axes keeps, are deleted after a while."""

from __future__ import annotations

from datetime import datetime, timedelta

from axes.models import AccessAttempt

RETENTION = timedelta(days=1)


def prune(now: datetime) -> None:
    AccessAttempt.objects.filter(attempt_time__lt=now - RETENTION).delete()

"""Rows that a process works on: results, bundles, bulk actions, evaluations. Only `services.leases` writes these columns."""

from __future__ import annotations

from django.db import models


class Leased(models.Model):
    """A row that one process at a time holds, under a token, until a time of the database's clock that the process extends."""

    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    # The process: host, boot, pid (lib.processes). The database has the default, too, so that a former version may add rows.
    worker = models.CharField(max_length=120, blank=True, default="", db_default="", editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)  # claims since the work last made progress
    not_before = models.DateTimeField(null=True, blank=True, editable=False)  # the end of a pause after a fault

    class Meta:
        abstract = True

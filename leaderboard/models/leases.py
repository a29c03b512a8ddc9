"""Rows that a process works on: results, bundles, bulk actions, evaluations. `services.leases` is what writes these columns."""

from __future__ import annotations

from django.db import models


class Leased(models.Model):
    """Held by one process at a time: under a token of its own, until a time of the database's clock, which it moves on."""

    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    # The process: host, boot, pid (lib.processes). The database has the default, too, so that a former version may add rows.
    worker = models.CharField(max_length=120, blank=True, default="", db_default="", editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)  # how often it was claimed since it last got on
    not_before = models.DateTimeField(null=True, blank=True, editable=False)  # a pause, after a fault of ours or of the host

    class Meta:
        abstract = True

"""Can this site serve, and does its work go on? Each check is named, with its reason where it fails."""

from __future__ import annotations

import logging
import os
import tempfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.functions import Now

from grading.architectures import ARCHS
from leaderboard.lib import faults
from leaderboard.models import Worker
from leaderboard.queue.status import alive_for_s

log = logging.getLogger(__name__)

PROBE = b"x" * 4096


@dataclass(frozen=True)
class Check:
    name: str
    reason: str = ""  # empty: it is well
    stops: bool = True  # whether the site is not ready then

    @property
    def line(self) -> str:
        return f"{self.name}: {self.reason or 'ok'}"


def checks() -> list[Check]:
    """All of them, those first that keep the site from serving."""
    found = [database(), disk(), data()]
    if not found[0].reason:
        found += clusters()
    return found


def database() -> Check:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error as error:
        log.warning("readyz: the database does not answer", exc_info=error)
        return Check("database", "the database does not answer")
    return Check("database", f"{len(missing)} migrations are not applied" if missing else "")


def disk() -> Check:
    """Room where the database lies and where uploads do, which may be mounted separately."""
    low = []
    for folder in dict.fromkeys((settings.DATA_DIR, settings.MEDIA_ROOT)):
        try:
            free = faults.free_bytes(folder)
        except OSError as error:
            return Check("disk", f"{Path(folder).name} cannot be looked at: {error.strerror}")
        if settings.LOW_DISK_MB and free < settings.LOW_DISK_MB << 20:
            low.append(f"{faults.in_mb(free)} are free in {Path(folder).name}")
    return Check("disk", f"{', '.join(low)}; LOW_DISK_MB is {settings.LOW_DISK_MB}" if low else "")


def data() -> Check:
    """Check the disk by writing: one that is mounted read-only, or has no inode left, is full of room."""
    for folder in (settings.DATA_DIR, Path(settings.FILE_UPLOAD_TEMP_DIR)):
        try:
            with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
                probe.write(PROBE)
        except OSError as error:
            log.warning("readyz: %s cannot be written to", folder, exc_info=error)
            return Check("data", f"{Path(folder).name} cannot be written to: {os.strerror(error.errno or 0)}")
    return Check("data")


def clusters() -> list[Check]:
    """Each that should be at work, here or on another host: it has a sandbox here, or has reported itself within the hour."""
    ages = dict[str, timedelta]()
    for cluster, beat, now in Worker.objects.annotate(now=Now()).order_by("beat_at").values_list("cluster", "beat_at", "now"):
        ages[cluster] = now - beat
    expected = {arch for arch in ARCHS if settings.SANDBOXES[arch]} | {"housekeeping"} | set(ages)
    return [Check(f"cluster {name}", silence(ages.get(name)), stops=False) for name in sorted(expected)]


def silence(age: timedelta | None) -> str:
    if age is None:
        return "silent: no worker has reported in the last hour"
    since_s = age.total_seconds()
    return f"silent for {since_s:.0f} s" if since_s > alive_for_s() else ""

"""Where results were measured, and how fast it was."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from leaderboard.models import querysets
from leaderboard.models.ids import ARCH_CHOICES, public_id


class Machine(models.Model):
    """Where results were measured: one row for equal machines."""

    uid = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    fingerprint = models.CharField(max_length=64, unique=True)  # sha256 of the canonical facts
    arch = models.CharField(max_length=8, choices=ARCH_CHOICES)
    cpu_model = models.CharField(max_length=200, blank=True)
    vcpus = models.PositiveIntegerField(null=True)
    memory_mb = models.FloatField(null=True)
    kernel_release = models.CharField(max_length=120, blank=True)
    compiler = models.CharField(max_length=200, blank=True)
    flags = models.CharField(max_length=500, blank=True)
    libc = models.CharField(max_length=100, blank=True)
    page_size_bytes = models.PositiveIntegerField(null=True)
    huge_pages = models.CharField(max_length=60, blank=True)
    backend = models.CharField(max_length=32, blank=True)  # the sandbox: local, docker, prime, emulated
    image = models.CharField(max_length=200, blank=True)
    emulated = models.BooleanField(default=False)
    facts = models.JSONField(default=dict)  # everything the sandbox said of itself
    first_seen = models.DateTimeField(db_default=Now(), editable=False)

    objects = querysets.MachineQuerySet.as_manager()

    class Meta:
        ordering = ["arch", "id"]

    def __str__(self) -> str:
        return f"{self.cpu_model or self.arch} ({self.backend})"


class Calibration(models.Model):
    """How fast a sandbox was before it graded answers: its own limits, and the tuned baselines of a few kernels."""

    place = models.CharField(max_length=160, unique=True)  # the machine behind the sandbox, as the backend names it
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="calibrations")
    measured_at = models.DateTimeField(db_default=Now(), editable=False)
    limits = models.JSONField(default=dict)  # {"read_bandwidth": GB/s, "copy_bandwidth": GB/s, "fma_f32": GFLOP/s}
    throughput_m = models.JSONField(default=dict)  # {kernel: millions of its units per second}
    versions = models.JSONField(default=dict)  # {kernel: measurement}: only equal ones compare
    drifting = models.BooleanField(default=False)
    note = models.TextField(blank=True)  # what differs from earlier machines of its kind, and how much

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.machine}, {self.measured_at:%Y-%m-%d %H:%M}"

"""Gradings, and their sums.

The Result row is the job: a django-q2 task only wakes the worker.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard.models import querysets
from leaderboard.models.catalog import Kernel, LanguageModel
from leaderboard.models.ids import ARCH_CHOICES
from leaderboard.models.leases import Leased
from leaderboard.models.machines import Machine
from leaderboard.models.submissions import Submission


class Result(Leased):
    """One grading of a submission on an architecture: first the job, then its record."""

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed on our side"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results")
    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="results")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="results")
    arch = models.CharField(max_length=8, choices=ARCH_CHOICES)
    public = models.BooleanField(default=True)  # the submission's, copied so that boards need no join

    # the job
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    priority = models.IntegerField(default=0)  # higher first, then id
    failure = models.TextField(blank=True)  # why our last attempt failed; empty once done
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    graded_at = models.DateTimeField(null=True, blank=True)

    # the record (docs: contracts); null until done, but for the version, which is first what it was queued for
    is_current = models.BooleanField(default=False)  # the newest done, not invalidated one of its submission and arch
    kernel_version = models.CharField(max_length=64, blank=True)
    measurement = models.CharField(max_length=32, blank=True)
    verdict = models.CharField(max_length=16, blank=True)
    detail = models.TextField(blank=True)
    answer_parsed = models.BooleanField(null=True)
    compiled = models.BooleanField(null=True)
    correct = models.BooleanField(null=True)
    within_memory = models.BooleanField(null=True)
    passed = models.BooleanField(null=True)
    kernel_score = models.FloatField(null=True)
    speedup = models.FloatField(null=True)
    speedup_low = models.FloatField(null=True)
    speedup_high = models.FloatField(null=True)
    sol_ms = models.FloatField(null=True)
    ref_ms = models.FloatField(null=True)
    throughput_m = models.FloatField(null=True)
    extra_mb = models.FloatField(null=True)
    peak_mb = models.FloatField(null=True)
    emulated = models.BooleanField(default=False)
    double = models.BooleanField(default=False)  # graded on a double of a service, for a test or a demonstration: never public
    sandbox = models.CharField(max_length=32, blank=True)
    machine = models.ForeignKey(Machine, null=True, blank=True, on_delete=models.PROTECT, related_name="results")
    samples = models.JSONField(null=True)
    log = models.JSONField(null=True)
    seconds = models.JSONField(null=True)
    unresolved = models.BooleanField(null=True)  # the time is at the clock's limit: speedup_low is what counts
    const_kb = models.FloatField(null=True)
    first_call = models.BooleanField(null=True)
    memory_resolution_mb = models.FloatField(null=True)

    # what people decided
    invalidated = models.BooleanField(default=False)
    invalid_reason = models.TextField(blank=True)
    flagged = models.BooleanField(default=False)  # too good: kept out of aggregates until an operator has reviewed it
    flag_note = models.TextField(blank=True)
    drifting = models.BooleanField(default=False)  # its machine was not as fast as those before it: see its calibration

    objects = querysets.ResultQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        permissions = [
            ("regrade_result", "Can regrade results"),
            ("invalidate_result", "Can invalidate results"),
            ("flag_result", "Can flag results"),
            ("queue_result", "Can move and cancel gradings"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["submission", "arch"], condition=Q(is_current=True), name="one_current_result"),
            models.UniqueConstraint(
                # a failed row is revived by grading again, so that it is never counted beside its successor
                fields=["submission", "arch"],
                condition=Q(state__in=["queued", "running", "failed"]),
                name="one_job",
            ),
            models.CheckConstraint(condition=Q(is_current=False) | Q(state="done", invalidated=False), name="current_is_done"),
            models.CheckConstraint(condition=~Q(state="done") | ~Q(verdict=""), name="done_has_a_verdict"),
        ]
        indexes = [
            models.Index(F("arch"), F("priority").desc(), F("id"), condition=Q(state="queued"), name="next_in_queue"),
            models.Index(fields=["state", "lease_until"]),
            models.Index(fields=["model", "kernel", "arch"], condition=Q(is_current=True), name="board"),
            models.Index(fields=["arch"], condition=Q(flagged=True), name="flagged_now"),
            models.Index(fields=["-graded_at"], name="newest_graded"),  # partial on the state, SQLite would not use it
            models.Index(fields=["arch"], condition=Q(is_current=True, emulated=True), name="emulated_now"),
            models.Index(fields=["arch"], condition=Q(is_current=True, double=True), name="double_now"),
            models.Index(fields=["arch"], condition=Q(public=True, is_current=True), name="public_now"),
            # A hundred thousand answers may wait: counts and the oldest of them are read off an index alone.
            models.Index(fields=["state", "arch", "created_at"], condition=Q(public=True), name="public_queue"),
            models.Index(fields=["state"], condition=Q(failure__gt=""), name="with_failure"),
            models.Index(fields=["machine", "public", "state"], name="of_machine"),
            models.Index(fields=["submission", "arch", "state", "is_current", "verdict"], name="of_submission"),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.kernel}, {self.arch}"  # its own copies: lists need no join through the submission


class Standing(models.Model):
    """Summary of the current, public, rankable results of one model, kernel, architecture and measurement: pages read these.

    Updated in the transaction that records a result; rebuilt from scratch by `manage.py rebuild_standings`.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="standings")
    kernel = models.ForeignKey(Kernel, on_delete=models.CASCADE, related_name="standings")
    arch = models.CharField(max_length=8, choices=ARCH_CHOICES)
    measurement = models.CharField(max_length=32)
    answers = models.PositiveIntegerField(default=0)
    passed = models.PositiveIntegerField(default=0)
    verdicts = models.JSONField(default=dict)  # {"passed": 3, "wrong_answer": 1}
    score_mean = models.FloatField(null=True)  # mean kernel_score over the answers
    log_speedup_sum = models.FloatField(default=0.0)  # over passed answers: exp(sum / passed) is the geometric mean
    log_extra_sum = models.FloatField(default=0.0)  # ln of max(extra_mb, 1/256) over passed answers: one 4 KiB page at least
    extra_mb_median = models.FloatField(null=True)  # over passed answers
    speedup_best = models.FloatField(null=True)
    per_answer = models.JSONField(default=dict)  # {"scores": [0, 0.83], ...}, ascending: what intervals are made of
    updated_at = models.DateTimeField(auto_now=True, db_index=True)  # the newest one tells whether a cached summary still holds

    objects = querysets.StandingQuerySet.as_manager()

    class Meta:
        ordering = ["model", "kernel", "arch"]
        constraints = [models.UniqueConstraint(fields=["model", "kernel", "arch", "measurement"], name="one_standing_per_cell")]

    def __str__(self) -> str:
        return f"{self.model} on {self.kernel}, {self.arch}"

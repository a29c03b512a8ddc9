"""Work in the background, and the processes that do it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leaderboard.models import querysets
from leaderboard.models.bundles import Bundle
from leaderboard.models.leases import Leased


class Worker(models.Model):
    """A process that grades (or imports), as it last reported itself."""

    name = models.CharField(max_length=120, unique=True)  # host, boot, process
    cluster = models.CharField(max_length=16)  # an architecture, or "housekeeping"
    reason = models.TextField(blank=True)  # what keeps it from grading: a missing sandbox, an operator's fault; empty: it works
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    beat_at = models.DateTimeField(db_index=True)

    objects = querysets.WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["cluster", "name"]

    def __str__(self) -> str:
        return self.name


class BulkAction(Leased):
    """An action on many rows: chosen in a list, confirmed, then done in chunks, each with its part of the cursor."""

    class State(models.TextChoices):
        PENDING = "asked", "waiting to be confirmed"  # the value is in databases
        RUNNING = "running", "under way"
        DONE = "done", "done"
        FAILED = "failed", "stopped by an error"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=40)  # a key of services.bulk_actions.OPERATIONS
    title = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    targets = models.JSONField(default=list)  # primary keys, as they were when the action was chosen
    total = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)  # targets before it are done
    counts = models.JSONField(default=dict, blank=True)  # what was done: {"gradings queued": 20000}
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.title


class Evaluation(Leased):
    """A model to be asked for answers. Replies are in a folder (leaderboard.evaluation.folder); this row says how far it is."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting to begin"
        RUNNING = "running", "asking"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        STOPPED = "stopped", "stopped by a person"

    endpoint = models.CharField(max_length=100)  # a name in EVALUATION_ENDPOINTS: neither an address nor a key is here
    model = models.CharField(max_length=300)
    rollouts = models.PositiveIntegerField(default=3)
    kernels = models.JSONField(default=list, blank=True)  # names; none: all
    temperature = models.FloatField(null=True, blank=True)
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    public = models.BooleanField(default=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED, editable=False)
    total = models.PositiveIntegerField(default=0, editable=False)
    answered = models.PositiveIntegerField(default=0, editable=False)
    errors = models.PositiveIntegerField(default=0, editable=False)
    said = models.TextField(blank=True, editable=False)  # what the command said, or why it failed
    bundle = models.ForeignKey(Bundle, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}"

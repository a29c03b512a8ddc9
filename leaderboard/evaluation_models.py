"""Evaluations that were begun in the admin. Part of models.py, which imports them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Evaluation(models.Model):
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
    bundle = models.ForeignKey("leaderboard.Bundle", null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}"

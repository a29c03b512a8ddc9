"""Tables behind the admin: what an upload says of its models, and actions on many rows. Part of models.py, which imports them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

KINDS = [("llm", "language model"), ("baseline", "baseline")]
WEIGHTS = [("open", "open weights"), ("closed", "closed weights"), ("", "unknown")]


class BundleModel(models.Model):
    """A model in a bundle: how many answers, and how it was asked. Read from the run's configuration, mended by people."""

    bundle = models.ForeignKey("leaderboard.Bundle", on_delete=models.CASCADE, related_name="asked")
    name = models.CharField(max_length=300)  # as the run spells it
    model = models.ForeignKey(
        "leaderboard.LanguageModel", null=True, blank=True, on_delete=models.SET_NULL, related_name="asked"
    )  # known once it is imported
    kind = models.CharField(max_length=16, choices=KINDS, default="llm")
    display_name = models.CharField(max_length=300, blank=True)
    provider = models.CharField(max_length=120, blank=True)
    weights = models.CharField(max_length=16, choices=WEIGHTS, blank=True, default="")
    answers = models.PositiveIntegerField(default=0)
    kernels = models.JSONField(default=dict, blank=True)  # {kernel: answers}
    prompt = models.TextField(blank=True)  # the system prompt
    sampling = models.JSONField(default=dict, blank=True)  # {"temperature": "0.7", ...}; of several runs: "0.2, 0.8"

    class Meta:
        ordering = ["-answers", "name"]
        constraints = [models.UniqueConstraint(fields=["bundle", "name"], name="one_row_per_bundle_and_model_name")]

    def __str__(self) -> str:
        return self.display_name or self.name


class BulkAction(models.Model):
    """An action on many rows: chosen in a list, confirmed, then done in chunks, each with its part of the cursor."""

    class State(models.TextChoices):
        ASKED = "asked", "waiting to be confirmed"
        RUNNING = "running", "under way"
        DONE = "done", "done"
        FAILED = "failed", "stopped by an error"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=40)  # a key of services.bulk.OPERATIONS
    title = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    targets = models.JSONField(default=list)  # primary keys, as they were when the action was chosen
    total = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)  # targets before it are done
    counts = models.JSONField(default=dict, blank=True)  # what was done: {"gradings queued": 20000}
    state = models.CharField(max_length=8, choices=State.choices, default=State.ASKED)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.title

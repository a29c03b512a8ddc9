"""Answers: which bundles brought them, and those that somebody only tries out."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.models import querysets
from leaderboard.models.bundles import Bundle
from leaderboard.models.catalog import Kernel, LanguageModel
from leaderboard.models.ids import public_id


class Submission(models.Model):
    """One answer to one kernel by one model. Its identity is the trace's id; without one, services/matching.py tells."""

    uid = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    identity = models.CharField(max_length=300, unique=True)
    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="submissions")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="submissions")
    bundles = models.ManyToManyField(Bundle, through="BundleEntry", related_name="submissions")
    text_key = models.CharField(
        max_length=32, blank=True, db_index=True, editable=False
    )  # equal for equal answers of equal names
    rollout = models.PositiveIntegerField(default=0)
    rollout_named = models.BooleanField(null=True, editable=False)  # by the row itself, not counted; null: nobody noted it
    reply = models.TextField(blank=True)  # as the model wrote it
    source = models.TextField(null=True, blank=True)  # the C in it; null: no answer
    source_sha256 = models.CharField(max_length=64, blank=True)
    answer_from = models.CharField(max_length=16, blank=True)  # which rule chose the C; empty: none is there, or nobody noted it
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cut_short = models.BooleanField(default=False)
    public = models.BooleanField(default=True)  # a baseline, or in at least one public bundle; kept by services
    shown = models.BooleanField(null=True, blank=True)  # by hand: yes or no, whatever its bundles say; null: as they say
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = querysets.SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        permissions = [("publish_submission", "Can publish and hide answers")]
        indexes = [models.Index(fields=["model", "kernel", "rollout"])]

    def __str__(self) -> str:
        return f"{self.model} on {self.kernel}, rollout {self.rollout}"


class BundleEntry(models.Model):
    """A bundle that brought a submission, with the file and the line."""

    bundle = models.ForeignKey(Bundle, on_delete=models.CASCADE, related_name="entries")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="entries")
    member = models.CharField(max_length=400, blank=True)  # path inside the bundle
    line = models.PositiveIntegerField(default=0)
    first = models.BooleanField(default=True)  # no earlier bundle had brought it
    scores = models.JSONField(default=dict, blank=True)  # what the run itself said of the answer: {"kernel_score": 0.7, ...}

    class Meta:
        verbose_name_plural = "bundle entries"
        constraints = [models.UniqueConstraint(fields=["bundle", "submission"], name="one_entry_per_bundle_and_submission")]

    def __str__(self) -> str:
        return f"{self.member}:{self.line}"


class Trial(models.Model):
    """A submission that somebody tries out: theirs to see, never public."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="trial")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trials")
    created_at = models.DateTimeField(default=timezone.now, editable=False, db_index=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} on {self.submission.kernel}"

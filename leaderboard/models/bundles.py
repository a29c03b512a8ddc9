"""What was uploaded, and what an upload says of its models."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leaderboard.models import querysets
from leaderboard.models.catalog import LanguageModel
from leaderboard.models.ids import public_id
from leaderboard.models.leases import Leased

KINDS = [("llm", "language model"), ("baseline", "baseline")]
WEIGHTS = [("open", "open weights"), ("closed", "closed weights"), ("", "unknown")]


class Bundle(Leased):
    """An uploaded file as it came, and what became of every row in it."""

    class State(models.TextChoices):
        READING = "reading", "being read"
        PREVIEW = "preview", "waiting to be confirmed"
        IMPORTING = "importing", "importing"
        IMPORTED = "imported", "imported"
        FAILED = "failed", "failed"
        DELETING = "deleting", "being deleted"  # answer by answer: begun, it is carried through

    class Overlap(models.TextChoices):
        SAME = "same", "the same run"
        ANOTHER = "another", "another run"

    uid = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    name = models.CharField(max_length=255)  # the file's name, for people
    file = models.FileField(upload_to="bundles/%Y/%m/", max_length=400)
    sha256 = models.CharField(max_length=64, db_index=True)
    # Its sha256, so that a file comes in once; with the uploader where somebody else has the same one in a private bundle.
    file_key = models.CharField(max_length=100, unique=True, null=True, editable=False)
    size_bytes = models.BigIntegerField(default=0)
    format = models.CharField(max_length=64, blank=True)
    model_override = models.CharField(max_length=300, blank=True)  # for rows that do not name their model
    public = models.BooleanField(default=True)
    uploader = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    state = models.CharField(max_length=16, choices=State.choices, default=State.READING)
    error = models.TextField(blank=True)
    rows = models.PositiveIntegerField(default=0)
    answers = models.PositiveIntegerField(default=0)  # rows that are answers to our kernels
    added = models.PositiveIntegerField(default=0)  # answers that no earlier bundle had brought
    skipped = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=list, blank=True)  # skipped rows: {"file", "line", "reason"}
    counts = models.JSONField(default=dict, blank=True)  # {"models": {name: n}, "kernels": {name: n}}
    config = models.JSONField(default=dict, blank=True)  # what the run's own config says of sampling and prompt
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    imported_at = models.DateTimeField(null=True, blank=True)
    # What its uploader says of earlier bundles that share a part of its answers; empty: nobody was asked.
    overlap = models.CharField(max_length=8, choices=Overlap.choices, blank=True)
    overlaps = models.JSONField(default=list, blank=True)  # those bundles: {"uid", "name", "shared", "of", "added"}

    objects = querysets.BundleQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        permissions = [("publish_bundle", "Can publish and hide bundles")]

    def __str__(self) -> str:
        return self.name


class BundleModel(models.Model):
    """A model in a bundle: how many answers, and how it was asked. Read from the run's configuration, mended by people."""

    bundle = models.ForeignKey(Bundle, on_delete=models.CASCADE, related_name="models")
    name = models.CharField(max_length=300)  # as the run spells it
    model = models.ForeignKey(
        LanguageModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="in_bundles"
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

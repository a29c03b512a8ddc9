"""What was asked, and who answers."""

from __future__ import annotations

from django.db import models

from kernels.spec import DEFAULT_SUITE
from leaderboard.models import querysets


class Kernel(models.Model):
    """One of the tasks; mirrors kernels/<name>/kernel.toml (`manage.py sync_kernels`)."""

    name = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=100)
    unit = models.CharField(max_length=32)
    signature = models.CharField(max_length=300)
    benchmark = models.CharField(max_length=300)
    memory_limit_mb = models.FloatField()
    version = models.CharField(max_length=64)  # "1.1+3f9c21ab": kernel measurement.harness measurement+hash
    measurement = models.CharField(max_length=32)  # "1.1": results compare only within one
    position = models.PositiveIntegerField(default=0)
    retired = models.BooleanField(default=False)  # its folder is gone; old results stay readable
    suite = models.CharField(max_length=64, default=DEFAULT_SUITE, db_index=True)  # no mean is taken over two

    objects = querysets.KernelQuerySet.as_manager()

    class Meta:
        ordering = ["position", "name"]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """The author of answers: a language model, or one of our two baselines."""

    class Kind(models.TextChoices):
        LLM = "llm", "language model"
        BASELINE = "baseline", "baseline"
        TRIAL = "trial", "trial"  # of all that people try out under /try/: private, in no summary, deleted after a while

    class Weights(models.TextChoices):
        OPEN = "open", "open weights"
        CLOSED = "closed", "closed weights"
        UNKNOWN = "", "unknown"

    name = models.CharField(max_length=300)  # the exact string of the run, case kept
    slug = models.SlugField(max_length=120, unique=True)
    display_name = models.CharField(max_length=300, blank=True)
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.LLM)
    provider = models.CharField(max_length=120, blank=True)
    weights = models.CharField(max_length=16, choices=Weights.choices, blank=True, default=Weights.UNKNOWN)
    released = models.DateField(null=True, blank=True)
    link = models.URLField(blank=True)
    notes = models.TextField(blank=True)

    objects = querysets.LanguageModelQuerySet.as_manager()

    class Meta:
        verbose_name = "model"
        ordering = ["name"]
        constraints = [  # somebody's model may be called "tuned": it is not our baseline
            models.UniqueConstraint(fields=["name", "kind"], name="one_model_per_name_and_kind")
        ]

    def __str__(self) -> str:
        return self.display_name or self.name

    @property
    def is_baseline(self) -> bool:
        return self.kind == self.Kind.BASELINE


class ModelAlias(models.Model):
    """Another name under which runs know a model: two spellings were merged, and stay merged when the next run comes."""

    name = models.CharField(max_length=300, unique=True)
    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="aliases")

    class Meta:
        verbose_name_plural = "model aliases"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

"""The tables: what was asked, who answered, what was graded where.

The Result row is the job: a django-q2 task only wakes the worker. Writes go through services.py; reads through querysets.py.
"""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard import querysets
from leaderboard.admin_models import BulkAction, BundleModel
from leaderboard.evaluation_models import Evaluation

__all__ = [
    "ARCHITECTURES",
    "ApiToken",
    "BulkAction",
    "Bundle",
    "BundleEntry",
    "BundleModel",
    "Calibration",
    "Evaluation",
    "Kernel",
    "LanguageModel",
    "Machine",
    "ModelAlias",
    "Result",
    "Standing",
    "Submission",
    "Trial",
    "UploadKey",
    "Worker",
    "public_id",
]

ARCHITECTURES = [("amd64", "amd64"), ("arm64", "arm64")]
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no letter that reads as a digit


def public_id() -> str:
    """Ten random characters (50 bits): a public id that tells nothing of how many rows there are."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


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

    objects = querysets.KernelQuerySet.as_manager()

    class Meta:
        ordering = ["position", "name"]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """Whose answers they are: a language model, or one of our two baselines."""

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


class Bundle(models.Model):
    """An uploaded file as it came, and what became of every row in it."""

    class State(models.TextChoices):
        READING = "reading", "being read"
        PREVIEW = "preview", "waiting to be confirmed"
        IMPORTING = "importing", "importing"
        IMPORTED = "imported", "imported"
        FAILED = "failed", "failed"
        DELETING = "deleting", "being deleted"  # answer by answer: begun, it is carried through

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
    lease_token = models.UUIDField(null=True, blank=True, editable=False)  # of whoever reads or imports it now
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    attempt = models.PositiveIntegerField(default=0, editable=False)

    objects = querysets.BundleQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """One answer to one kernel by one model. Its identity is the trace's id, else file, path and row (docs: contracts)."""

    uid = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    identity = models.CharField(max_length=300, unique=True)
    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="submissions")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="submissions")
    bundles = models.ManyToManyField(Bundle, through="BundleEntry", related_name="submissions")
    rollout = models.PositiveIntegerField(default=0)
    reply = models.TextField(blank=True)  # as the model wrote it
    source = models.TextField(null=True, blank=True)  # the C in it; null: no answer
    source_sha256 = models.CharField(max_length=64, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cut_short = models.BooleanField(default=False)
    public = models.BooleanField(default=True)  # a baseline, or in at least one public bundle; kept by services
    shown = models.BooleanField(null=True, blank=True)  # by hand: yes or no, whatever its bundles say; null: as they say
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = querysets.SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["model", "kernel", "rollout"])]

    def __str__(self) -> str:
        return f"{self.model} on {self.kernel}, rollout {self.rollout}"


class BundleEntry(models.Model):
    """Which bundles brought a submission, and in which file and line."""

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


class Machine(models.Model):
    """Where results were measured: one row for equal machines."""

    uid = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    fingerprint = models.CharField(max_length=64, unique=True)  # sha256 of the canonical facts
    arch = models.CharField(max_length=8, choices=ARCHITECTURES)
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


class Result(models.Model):
    """One grading of a submission on an architecture: first the job, then its record."""

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed on our side"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="results")
    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="results")
    model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, related_name="results")
    arch = models.CharField(max_length=8, choices=ARCHITECTURES)
    public = models.BooleanField(default=True)  # the submission's, copied so that boards need no join

    # the job
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    priority = models.IntegerField(default=0)  # higher first, then id
    not_before = models.DateTimeField(null=True, blank=True)  # back-off after a fault of ours
    attempt = models.PositiveIntegerField(default=0)
    lease_token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
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

    # what people decided
    invalidated = models.BooleanField(default=False)
    invalid_reason = models.TextField(blank=True)
    flagged = models.BooleanField(default=False)  # too good: kept out of aggregates until a person has looked
    flag_note = models.TextField(blank=True)
    drifting = models.BooleanField(default=False)  # its machine was not as fast as those before it: see its calibration

    objects = querysets.ResultQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
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
            models.Index(fields=["submission", "arch", "state", "is_current", "verdict"], name="of_submission"),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.kernel}, {self.arch}"  # its own copies: lists need no join through the submission


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


class Standing(models.Model):
    """Summary of the current, public, rankable results of one model, kernel, architecture and measurement: pages read these.

    Updated in the transaction that records a result; rebuilt from scratch by `manage.py rebuild_standings`.
    """

    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="standings")
    kernel = models.ForeignKey(Kernel, on_delete=models.CASCADE, related_name="standings")
    arch = models.CharField(max_length=8, choices=ARCHITECTURES)
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


class ApiToken(models.Model):
    """Lets a program act for a user. Only a hash is kept: the token itself is shown once, when it is made."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=100)  # what it is for, in its owner's words
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    start = models.CharField(max_length=16, editable=False)  # its first characters, to tell it from others
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "API token"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.label} ({self.start}…)"


class UploadKey(models.Model):
    """The Idempotency-Key of an upload: sent again, it is answered with the bundle of the first time."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    bundle = models.ForeignKey(Bundle, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_bundle_per_upload_key")]

    def __str__(self) -> str:
        return self.key


class Trial(models.Model):
    """A submission that somebody tries out: theirs to see, never public."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="trial")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trials")
    created_at = models.DateTimeField(default=timezone.now, editable=False, db_index=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} on {self.submission.kernel}"

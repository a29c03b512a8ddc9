"""Answers that signed-in people try out: graded soon, seen by them alone, in no summary, deleted after a while."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.answer import Kind, extract
from grading.architectures import ARCHS
from leaderboard.lib.text import clean
from leaderboard.models import Kernel, LanguageModel, Result, Submission, Trial, public_id
from leaderboard.queue.status import arch_counts, living_workers
from leaderboard.services import priorities, queueing
from leaderboard.services.language_models import find_model

MODEL = "trial"


class TooMany(Exception):
    """The person's share is used up; the message says until when."""


def begin(user: User, kernel: Kernel, text: str, archs: Iterable[str], *, is_reply: bool) -> Trial:
    """Queue a pasted answer. Raises TooMany."""
    text = clean(text)
    extracted = extract(text, kernel.name, Kind.REPLY if is_reply else Kind.RAW)
    source = extracted.source
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # two at once are counted one after the other
        check_share(user)
        uid = public_id()
        submission = Submission.objects.create(
            uid=uid,
            identity=f"trial:{uid}",
            kernel=kernel,
            model=find_model(MODEL, LanguageModel.Kind.TRIAL),
            reply=text,
            source=source,
            source_sha256=hashlib.sha256(source.encode()).hexdigest() if source else "",
            answer_from=extracted.answer_from or "",
            public=False,
        )
        trial = Trial.objects.create(submission=submission, user=user)
        queueing.enqueue([submission], archs, priorities.TRIAL)
        waiting = Result.objects.queued().filter(submission__identity=f"baseline:tuned:{kernel.name}")
        queueing.prioritise(waiting, priorities.TRIAL_BASELINE)
    return trial


def check_share(user: User) -> None:
    recent = Trial.objects.filter(user=user, created_at__gt=timezone.now() - timedelta(hours=1))
    if recent.count() >= settings.TRIALS_PER_HOUR:
        raise TooMany(f"{settings.TRIALS_PER_HOUR} trials within an hour are the limit; try the next one later.")
    open_rows = Result.objects.open().for_archs(moving_archs()).filter(submission__trial__user=user)
    waiting = open_rows.values("submission").distinct().count()
    if waiting >= settings.TRIALS_WAITING:
        raise TooMany(f"{settings.TRIALS_WAITING} of your trials are waiting for their verdicts; try again after them.")


def moving_archs() -> list[str]:
    """Architectures that move: rows waiting for an operator do not count against the user's limit."""
    workers = living_workers()
    return [arch for arch in ARCHS if not arch_counts(arch, {(arch, Result.State.QUEUED): 1}, workers).parked]


def prune(now: datetime) -> int:
    """Delete old ones, also those whose user is gone. Returns how many."""
    old = Submission.objects.filter(
        model__kind=LanguageModel.Kind.TRIAL, created_at__lt=now - timedelta(days=settings.TRIAL_DAYS)
    )
    count = old.count()
    old.delete()
    return count

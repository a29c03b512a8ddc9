"""Find the answers that exist already. Texts are compared without holding more of them than the answers at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models.functions import Length

from leaderboard.bundles.types import Answer
from leaderboard.lib.text import clean
from leaderboard.models import Bundle, BundleEntry, Submission, access


@dataclass(frozen=True)
class Existing:
    submission: Submission  # without its texts
    is_same: bool


def find_existing(answers: Sequence[Answer]) -> dict[str, Existing]:
    """By identity. A trace id alone proves nothing: the text must be the same, or a made-up id could publish somebody's private
    answer."""
    asked = {answer.identity: answer for answer in answers}
    there = {
        row.identity: row
        for row in Submission.objects.filter(identity__in=list(asked))
        .select_related("kernel", "model")
        .defer("reply", "source")
        .annotate(reply_length=Length("reply"))
    }
    replies = {identity: clean(asked[identity].reply) for identity in there}
    likely = [
        row.pk
        for identity, row in there.items()
        if row.kernel.name == asked[identity].kernel and row.reply_length == len(replies[identity])
    ]
    texts = Submission.objects.filter(pk__in=likely).values_list("identity", "reply")
    same = {identity for identity, reply in texts.iterator(chunk_size=1) if reply == replies[identity]}
    return {identity: Existing(row, identity in same) for identity, row in there.items()}


def hidden_existing(bundle: Bundle, known: dict[str, Existing]) -> frozenset[int]:
    """Answers that are there already without its uploader being allowed to know: they count as new."""
    if access.has(bundle.uploader, "view_submission"):
        return frozenset()
    private = {row.submission.pk for row in known.values() if row.is_same and not row.submission.public}
    theirs = BundleEntry.objects.filter(submission__in=private, bundle__uploader=bundle.uploader).exclude(bundle=bundle)
    return frozenset(private.difference(theirs.values_list("submission_id", flat=True)))

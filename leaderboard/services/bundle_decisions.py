"""What people decide about a bundle: its name for a model, whether it is another run, that it is to be imported."""

from __future__ import annotations

from typing import Any

from leaderboard.lib.text import clean
from leaderboard.models import Bundle
from leaderboard.services import queueing


def confirm(bundle: Bundle, *, public: bool | None = None, overlap: str = "") -> None:
    """Start the import of a preview, by the housekeeping cluster. overlap: the uploader's answer to the question."""
    values: dict[str, Any] = {} if public is None else {"public": public}
    values |= {"overlap": overlap} if overlap else {}
    waiting = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.PREVIEW)
    if waiting.update(state=Bundle.State.IMPORTING, attempt=0, not_before=None, **values):
        queueing.wake("housekeeping")


def confirm_when_read(bundle: Bundle) -> None:
    """Import without a look at the preview: what the repository ships, or a script brings."""
    waiting = Bundle.objects.filter(pk=bundle.pk, state__in=[Bundle.State.READING, Bundle.State.PREVIEW])
    if waiting.update(state=Bundle.State.IMPORTING, attempt=0, not_before=None):
        queueing.wake("housekeeping")


def read_again(bundle: Bundle, model: str) -> bool:
    """Back from the preview, with a name for the rows that name no model. False if it is no longer there to be changed."""
    waiting = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.PREVIEW)
    named = clean(model).strip()[:300]
    if not waiting.update(state=Bundle.State.READING, model_override=named, attempt=0, not_before=None):
        return False
    bundle.models.all().delete()
    bundle.refresh_from_db()
    return True


def read_failed_again(bundle: Bundle) -> bool:
    """Let the housekeeping cluster read a failed bundle again: it may have killed its process. False if it has not failed."""
    failed = Bundle.objects.filter(pk=bundle.pk, state=Bundle.State.FAILED)
    if not failed.update(state=Bundle.State.READING, error="", attempt=0, not_before=None):
        return False
    queueing.wake("housekeeping")
    return True


def decide(bundle: Bundle, overlap: str) -> None:
    """Whether it is the same run as the earlier bundles that share a part of its answers."""
    Bundle.objects.filter(pk=bundle.pk, state__in=[Bundle.State.READING, Bundle.State.PREVIEW]).update(overlap=overlap)
    bundle.refresh_from_db()

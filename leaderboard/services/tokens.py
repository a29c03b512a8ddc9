"""Tokens for programs: made, found, revoked. A token is 32 random bytes, so that its plain SHA-256 gives nothing away."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q
from django.utils import timezone

from leaderboard.lib.faults import tolerated
from leaderboard.models import ApiToken

PREFIX = "ak_"  # so that scanners for leaked secrets can know one
USE_NOTED_EVERY = timedelta(minutes=1)


def make(user: AbstractBaseUser, label: str) -> tuple[ApiToken, str]:
    """The row, and the token itself: this is the only time that anybody sees it."""
    token = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(user=user, label=label, sha256=hash_of(token), start=token[:8])  # type: ignore[misc]
    return row, token


def find(token: str) -> ApiToken | None:
    """The living token of a user who may still sign in; its use is noted."""
    found = ApiToken.objects.select_related("user").filter(sha256=hash_of(token), revoked_at=None, user__is_active=True).first()
    if found:
        now = timezone.now()
        stale = Q(used_at=None) | Q(used_at__lt=now - USE_NOTED_EVERY)
        with tolerated("the use of a token is not noted"):
            ApiToken.objects.filter(stale, pk=found.pk).update(used_at=now)
    return found


def revoke(token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()

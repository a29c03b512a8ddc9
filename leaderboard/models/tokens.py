"""How programs act for their users."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from leaderboard.models.bundles import Bundle


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
        permissions = [("revoke_apitoken", "Can see and revoke other people's API tokens")]

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

"""New passwords by mail.

The request only leaves a message: the housekeeping cluster looks whose address it is, and sends the mail, so that neither the
answer nor the time it takes tells who has an account.
"""

from __future__ import annotations

import hashlib
import time

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.cache import caches
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django_q.tasks import async_task

SUBJECT = "Arch Kernels: a new password"


def ask(email: str, base: str) -> None:
    """`base` is the site as its readers reach it, for example https://board.example.org/."""
    async_task("leaderboard.tasks.send_password_mail", email, base, cluster="housekeeping")


def send(email: str, base: str) -> int:
    """To every active account of that address that has a password. Returns how many mails went out."""
    users: list[User] = list(PasswordResetForm().get_users(email))
    for user in users:
        values = {
            "user": user,
            "base": base.rstrip("/"),
            "uid": urlsafe_base64_encode(force_bytes(user.pk)),
            "token": default_token_generator.make_token(user),
        }
        send_mail(SUBJECT, render_to_string("leaderboard/account/mail.txt", values), None, [user.email])
    return len(users)


def may_ask(address: str, email: str) -> bool:
    """Whether a mail may be requested: as often as a password may be guessed, per client address and per mail address."""
    pause = settings.AXES_COOLOFF_TIME.total_seconds()
    return all([_counted(who, pause) <= settings.AXES_FAILURE_LIMIT for who in (f"from {address}", f"to {email.lower()}")])  # noqa: C419


def _counted(who: str, pause: float) -> int:
    """How often in this stretch of time, with this one."""
    key = f"password-{hashlib.sha256(who.encode()).hexdigest()}-{int(time.time() / pause)}"
    count = int(caches["limits"].get(key, 0)) + 1
    caches["limits"].set(key, count, pause)
    return count

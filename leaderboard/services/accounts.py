"""The admin's first login."""

from __future__ import annotations

import secrets

from django.contrib.auth import get_user_model
from django.db import IntegrityError

NAME = "admin"


def first_login() -> str | None:
    """Make the superuser `admin` when there is no superuser yet; returns the password, which is kept nowhere else."""
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return None
    password = secrets.token_urlsafe(9)
    try:
        users.create_superuser(NAME, password=password)
    except IntegrityError:  # somebody was faster, or an ordinary user has that name
        return None
    return password


def reset_login() -> str:
    """A new password for `admin`, who is made when missing."""
    password = secrets.token_urlsafe(9)
    user, _ = get_user_model().objects.get_or_create(username=NAME)
    user.is_staff = user.is_superuser = user.is_active = True
    user.set_password(password)
    user.save()
    return password

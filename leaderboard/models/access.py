"""Who may do what: the one place that says it. The admin, the API, pages and querysets ask here.

A right is a permission of Django's, named by its codename; a group that a migration made (leaderboard/migrations/0017_roles.py)
holds those of a role. To look (`view_`) changes nothing. Whoever may upload has a say over their own bundles, and over no other.
"""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

APP = "leaderboard"
VIEWED = ("bulkaction", "bundle", "calibration", "evaluation", "kernel", "languagemodel", "machine", "result", "submission")
ROLES: dict[str, tuple[str, ...]] = {
    "uploader": ("add_bundle", "add_apitoken"),
    "reviewer": (
        *(f"view_{name}" for name in (*VIEWED, "trial", "worker")),
        *("change_bundle", "publish_bundle", "delete_bundle", "publish_submission"),
        *("change_result", "regrade_result", "invalidate_result", "flag_result"),
    ),
}
# The group "operator" has every permission of this application, those on the failed logins, and none to change kernels, which are
# code, or users. Migration 0017 makes the groups.

# {table: (the right that suffices for rows of one's own, the field that names their owner)}
OWN: dict[str, tuple[str, str]] = {"bundle": ("add_bundle", "uploader"), "apitoken": ("add_apitoken", "user")}

# {name of an address of the admin: the right to it}; one's own bundles and tokens need OWN's. The others follow from their names.
ADDRESSES: dict[str, str] = {
    "leaderboard_bundle_confirm": "change_bundle",
    "leaderboard_bundle_again": "change_bundle",
    "leaderboard_bundle_models": "change_bundle",
    "leaderboard_bundle_state": "view_bundle",
    "leaderboard_bundle_file": "view_bundle",
    "leaderboard_bulkaction_state": "view_bulkaction",
    "auth_user_password_change": "auth.change_user",
}


class Missing(PermissionDenied):
    """What was asked for needs a right that the person does not have; the page that is shown names it."""

    def __init__(self, right: str) -> None:
        super().__init__(right)
        self.right = right


def has(user: Any, right: str) -> bool:
    """`right` is a codename of this application, or "app.codename". None is the command line, which may do everything."""
    if user is None or user.has_perm(full(right)):
        return True
    # as in Django's admin: whoever may change rows may look at them
    return ".view_" in full(right) and bool(user.has_perm(full(right).replace(".view_", ".change_")))


def full(right: str) -> str:
    return right if "." in right else f"{APP}.{right}"


def pk_of(user: Any) -> int | None:
    """The user's id; None for whoever is not signed in, since rows without an owner are not theirs."""
    pk: int | None = getattr(user, "pk", None)
    return pk


def owns(user: Any, row: Any) -> bool:
    """Whether it is the user's own row, and the user may still have such rows."""
    right, field = OWN[row._meta.model_name]
    return pk_of(user) is not None and getattr(row, f"{field}_id") == pk_of(user) and has(user, right)


def may(user: Any, right: str, row: Any = None) -> bool:
    """Whether the right is there, for this row where one is named; without a row: for some of them, be it one's own."""
    if has(user, right):
        return True
    table = full(right).rpartition("_")[2]
    if table not in OWN:
        return False
    return has(user, OWN[table][0]) if row is None else owns(user, row)


def require(user: Any, right: str, row: Any = None) -> None:
    """Raises Missing."""
    if not may(user, right, row):
        raise Missing(right)


def require_for_all(user: Any, right: str, rows: QuerySet[Any]) -> None:
    """Require the permission for every one of these rows: they are one's own, or it holds for all. Raises Missing."""
    if has(user, right):
        return
    table = rows.model._meta.model_name or ""
    own, field = OWN.get(table, ("", ""))
    if not own or not has(user, own) or rows.exclude(**{field: pk_of(user)}).exists():
        raise Missing(right)


def right_to(name: str, method: str) -> str:
    """The right that an address of the admin asks for, "app.codename"; empty where it has none of its own."""
    if name in ADDRESSES:
        return full(ADDRESSES[name])
    found = re.fullmatch(r"([a-z_]+)_([a-z]+)_(changelist|add|change|delete|history)", name)
    if not found:
        return ""
    app, table, page = found.groups()
    verb = {"add": "add", "delete": "delete"}.get(page) or ("change" if method == "POST" and page == "change" else "view")
    return f"{app}.{verb}_{table}"

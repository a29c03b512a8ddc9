"""What a missing right is called, and who has it: for the pages that refuse something."""

from __future__ import annotations

from django.contrib.auth.models import Permission

from leaderboard import access


def sentence(right: str) -> str:
    """For example: You need the right “regrade results” (group operator or reviewer). Ask an operator."""
    app, _, codename = access.full(right).partition(".")
    found = Permission.objects.filter(content_type__app_label=app, codename=codename).first()
    if found is None:
        return "You may not do that. Ask an operator."
    groups = " or ".join(found.group_set.order_by("name").values_list("name", flat=True))
    whose = f" (group {groups})" if groups else ""
    ask = "an operator" if app == access.APP else "an administrator"
    return f"You need the right “{name_of(found)}”{whose}. Ask {ask}."


def name_of(permission: Permission) -> str:
    return permission.name.removeprefix("Can ")

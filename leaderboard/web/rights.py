"""What a missing right is called, and who has it: for the pages that refuse something."""

from __future__ import annotations

from django.contrib.auth.models import Permission

from leaderboard.models import access

ROLES = (*access.ROLES, "operator")
UNSEEN = ("bundleentry", "bundlemodel", "modelalias", "standing", "uploadkey")  # tables that no page is made of
IDLE = {  # rights of Django's making that lead nowhere, since these rows come from elsewhere
    *(
        f"{verb}_{name}"
        for verb in ("add", "change", "delete")
        for name in ("bulkaction", "calibration", "machine", "trial", "worker")
    ),
    *("add_submission", "change_submission", "add_result", "add_languagemodel", "delete_languagemodel"),
    *("change_evaluation", "delete_evaluation", "change_apitoken"),
}


def sentence(right: str) -> str:
    """For example: You need the permission “regrade results” (group operator or reviewer). Ask an operator."""
    app, _, codename = access.full(right).partition(".")
    found = Permission.objects.filter(content_type__app_label=app, codename=codename).first()
    if found is None:
        return "You may not do that. Ask an operator."
    groups = " or ".join(found.group_set.order_by("name").values_list("name", flat=True))
    whose = f" (group {groups})" if groups else ""
    ask = "an operator" if app == access.APP else "an administrator"
    return f"You need the permission “{name_of(found)}”{whose}. Ask {ask}."


def name_of(permission: Permission) -> str:
    return permission.name.removeprefix("Can ")


def table() -> str:
    """For docs/operations.md: the permissions of each group that have an effect."""
    found = Permission.objects.filter(content_type__app_label=access.APP, group__name__in=ROLES).distinct().order_by("name", "pk")
    rows = ["| permission | " + " | ".join(ROLES) + " |", "| --- |" + " --- |" * len(ROLES)]
    for permission in found:
        if permission.content_type.model not in UNSEEN and permission.codename not in IDLE:
            holders = set(permission.group_set.values_list("name", flat=True))
            rows.append(f"| {name_of(permission)} | " + " | ".join("yes" if role in holders else "" for role in ROLES) + " |")
    return "\n".join(rows) + "\n"

"""What a list of the admin is asked for, looked at before Django makes a query of it.

Django takes any lookup of any field in a list's address, and some end in an exception of the database's driver: a range of one
value, a broken regular expression, the year 0. The lists' own links need few lookups; those are taken, and no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.db.models import Field
from django.db.models.fields.related import ForeignObject
from django.http import HttpRequest

TAKEN = {"exact", "in", "isnull", "isempty", "gt", "gte", "lt", "lte", "year", "month", "day"}
LOOKUPS = {*Field.class_lookups, *ForeignObject.class_lookups} | {
    *("date", "hour", "iso_year", "minute", "quarter", "second", "time", "week", "week_day", "iso_week_day"),
    *("has_key", "has_keys", "has_any_keys", "contained_by"),
}
YEAR = re.compile("0*[1-9][0-9]{0,3}", re.ASCII)
NO_SELECTION = "The action names rows that cannot exist: a row's id is a number."


def is_fit(parameter: str, values: list[str]) -> bool:
    """Whether a list may be asked for that. A parameter without a lookup is Django's to refuse."""
    parts = parameter.split("__")[1:]
    if any(part in LOOKUPS and part not in TAKEN for part in parts):
        return False
    return "year" not in parts or all(YEAR.fullmatch(value) for value in values)


def can_be_chosen(model_admin: Any, chosen: list[str]) -> bool:
    """Whether each could be a row's primary key."""
    try:
        for value in chosen:
            model_admin.model._meta.pk.to_python(value)
    except (ValidationError, ValueError, OverflowError):
        return False
    return "" not in chosen


def unfit(request: HttpRequest, view: Callable[..., Any], no_filter: str) -> str:
    """Why this list cannot be shown or its action not done; empty: it can, or the view is no list."""
    model_admin = getattr(view, "model_admin", None)
    match = request.resolver_match
    if model_admin is None or match is None or not str(match.url_name).endswith("_changelist"):
        return ""
    if not all(is_fit(name, values) for name, values in request.GET.lists()):
        return no_filter
    chosen = request.POST.getlist(ACTION_CHECKBOX_NAME) if request.method == "POST" else []
    return "" if can_be_chosen(model_admin, chosen) else NO_SELECTION

"""What changed in kernels and harness, and how many results were graded with which version."""

from __future__ import annotations

import hashlib
import tomllib
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max, Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from grading.version import HARNESS_MEASUREMENT
from kernels import catalog
from leaderboard.board.selection import Selection, with_selection
from leaderboard.models import Result

KEPT_S = 60  # the counts read every result
FILE = "changes.toml"


@with_selection()
def changes(request: HttpRequest, selection: Selection) -> HttpResponse:
    context = {
        "section": "changes",
        "selection": selection,
        "harness": HARNESS_MEASUREMENT,
        "changes": read_changes(),
        "versions": versions(selection),
    }
    return render(request, "leaderboard/changes.html", context)


def read_changes() -> list[dict[str, Any]]:
    """The entries of kernels/changes.toml: date, what, measurement, text."""
    folder = catalog.ROOT
    found: list[dict[str, Any]] = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))["change"]
    return found


def versions(selection: Selection) -> list[dict[str, Any]]:
    """Public results by kernel and version: how many, when; the present measurement first within a kernel."""
    key = f"changes-versions-{hashlib.sha256(selection.query().encode()).hexdigest()}"
    found: list[dict[str, Any]] | None = cache.get(key)
    if found is None:
        results = Result.objects.public().done().filter(selection.narrowed)
        results = results.order_by("kernel__position", "kernel__name", "-measurement", "kernel_version")
        rows = results.values("kernel__name", "kernel__measurement", "measurement", "kernel_version").annotate(
            count=Count("pk"), first=Min("graded_at"), last=Max("graded_at")
        )
        found = [{**row, "outdated": row["measurement"] != row["kernel__measurement"]} for row in rows]
        cache.set(key, found, KEPT_S)
    return found

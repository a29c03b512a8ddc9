"""How answers are judged and numbers made."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard import verdicts
from leaderboard.exports import COLUMNS, formats_of


def methodology(request: HttpRequest) -> HttpResponse:
    context = {
        "section": "methodology",
        "verdicts": [(name, verdicts.MEANINGS[name]) for name in (*verdicts.ORDER, verdicts.INTERNAL_ERROR)],
        "tables": [{"name": name, "formats": formats_of(name), "columns": columns} for name, columns in COLUMNS.items()],
    }
    return render(request, "leaderboard/methodology.html", context)

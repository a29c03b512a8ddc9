"""How answers are judged and numbers made."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard import verdicts
from leaderboard.exports import LEADERBOARD_COLUMNS, RESULT_COLUMNS


def methodology(request: HttpRequest) -> HttpResponse:
    context = {
        "section": "methodology",
        "verdicts": [(name, verdicts.MEANINGS[name]) for name in (*verdicts.ORDER, verdicts.INTERNAL_ERROR)],
        "leaderboard_columns": LEADERBOARD_COLUMNS,
        "result_columns": RESULT_COLUMNS,
    }
    return render(request, "leaderboard/methodology.html", context)

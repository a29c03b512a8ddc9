"""How answers are judged and numbers made."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from grading.scoring import SCORE_FORMULA, SCORE_SPEEDUPS, speedup_score
from leaderboard.board import verdicts
from leaderboard.board.marks import MEANINGS, NOT_COUNTED
from leaderboard.board.worked_examples import examples
from leaderboard.exports.columns import COLUMNS
from leaderboard.exports.contents import formats_of
from leaderboard.lib.text import listed

BIBTEX = """\
@misc{{archkernels,
  title = {{Arch Kernels: how fast and how lean is the {{C}} that language models write?}},
  author = {{{{The Arch Kernels authors}}}},
  year = {{{year}}},
  month = {month},
  url = {{{url}}},
  note = {{Accessed {date}}},
}}
"""


def methodology(request: HttpRequest) -> HttpResponse:
    context = {
        "section": "methodology",
        "verdicts": [(name, verdicts.MEANINGS[name]) for name in (*verdicts.ORDER, verdicts.INTERNAL_ERROR)],
        "score_formula": SCORE_FORMULA,
        "scores": [(speedup, speedup_score(speedup)) for speedup in SCORE_SPEEDUPS],
        "examples": examples(),
        "not_counted": listed(NOT_COUNTED),
        "marks": list(MEANINGS.items()),
        "tables": [{"name": name, "formats": formats_of(name), "columns": columns} for name, columns in COLUMNS.items()],
    }
    return render(request, "leaderboard/methodology.html", context)


def cite(request: HttpRequest) -> HttpResponse:
    """This site as it is today, for a bibliography."""
    today = timezone.now().date()
    entry = BIBTEX.format(
        year=today.year, month=f"{today:%b}".lower(), date=today.isoformat(), url=request.build_absolute_uri("/")
    )
    return HttpResponse(entry, content_type="application/x-bibtex; charset=utf-8")

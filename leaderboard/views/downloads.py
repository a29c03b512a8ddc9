"""CSV downloads, streamed."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from leaderboard import exports
from leaderboard.selection import Selection, with_selection


@with_selection()
def export_leaderboard(request: HttpRequest, selection: Selection) -> HttpResponse:
    return _download(exports.leaderboard_csv(selection), "leaderboard.csv")


@with_selection()
def export_results(request: HttpRequest, selection: Selection) -> HttpResponse:
    history = request.GET.get("history", "") not in ("", "0")
    return _download(exports.results_csv(selection, history=history), "results.csv")


def _download(chunks: Iterator[str], filename: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return StreamingHttpResponse(chunks, content_type="text/csv; charset=utf-8", headers=headers)  # type: ignore[return-value]

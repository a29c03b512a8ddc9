"""Downloads: every table in every format, streamed, each with a sidecar that says when and from what it was made."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render

from leaderboard.board.selection import Selection, with_selection
from leaderboard.exports import contents
from leaderboard.exports.formats import FORMATS
from leaderboard.exports.parquet import NoParquet, parquet_bytes
from leaderboard.exports.tables import Table


@with_selection()
def export(request: HttpRequest, selection: Selection, table: str, form: str) -> HttpResponse:
    """/export/<table>.<csv|json|tex|md|parquet>; 404 for what there is not, 501 for Parquet without pyarrow.

    ?columns=model,score leaves the others out: a table for a paper.
    """
    if form not in contents.formats_of(table):
        raise Http404
    made = _table(request, selection, table)
    if columns := request.GET.get("columns"):
        try:
            made = made.only(columns.split(","))
        except KeyError as unknown:
            return render(request, "leaderboard/bad_selection.html", {"reason": unknown.args[0]}, status=400)
    if form == "parquet":
        try:
            return _download(parquet_bytes(made), f"{table}.parquet", "application/vnd.apache.parquet")
        except NoParquet as missing:
            return HttpResponse(str(missing), status=501, content_type="text/plain; charset=utf-8")
    return _download(FORMATS[form].write(made), f"{table}.{form}", FORMATS[form].content_type)


@with_selection()
def export_meta(request: HttpRequest, selection: Selection, table: str) -> HttpResponse:
    """The sidecar of a format that cannot carry it."""
    if table not in contents.TABLES:
        raise Http404
    made = _table(request, selection, table)
    columns = {column.name: column.meaning for column in made.columns}
    return JsonResponse({"table": table, "title": made.title, **made.meta, "columns": columns})


def _table(request: HttpRequest, selection: Selection, name: str) -> Table:
    if name == "results":
        return contents.results_table(selection, history=request.GET.get("history", "") not in ("", "0"))
    return contents.TABLES[name](selection)


def _download(chunks: Iterator[str] | Iterator[bytes], filename: str, content_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return StreamingHttpResponse(chunks, content_type=content_type, headers=headers)  # type: ignore[return-value]

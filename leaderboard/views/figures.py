"""Every figure as a file for a paper: what /figures/<name>.json holds, drawn."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import Resolver404, resolve

from leaderboard.figures.images import CONTENT_TYPES, Busy, NoImages, drawn

RETRY_S = 10


def image(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """/figures/<name>.<svg|pdf|png>, with the same selection; 503 where nothing here can draw, or others are waiting to."""
    if form not in CONTENT_TYPES:
        raise Http404
    try:
        view, args, kwargs = resolve(f"/figures/{name}.json", urlconf=getattr(request, "urlconf", None))
    except Resolver404 as unknown:
        raise Http404 from unknown
    response: HttpResponse = view(request, *args, **kwargs)
    if response.status_code != 200:
        return response
    try:
        data = drawn(json.loads(response.content), form)
    except NoImages as missing:
        return HttpResponse(f"{missing}\n", status=503, content_type="text/plain; charset=utf-8")
    except Busy:
        said = "Other figures are being drawn: try again in a few seconds.\n"
        headers = {"Retry-After": str(RETRY_S)}
        return HttpResponse(said, status=503, content_type="text/plain; charset=utf-8", headers=headers)
    found = HttpResponse(data, content_type=CONTENT_TYPES[form])
    for header in {"Vary", "Cache-Control", "Expires"} & set(response.headers):  # some may see what no cache must keep
        found[header] = response[header]
    found["Content-Disposition"] = f'attachment; filename="{name.replace("/", "-")}.{form}"'
    return found

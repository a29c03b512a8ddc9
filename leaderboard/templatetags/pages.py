"""The navigation of every page."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse

from leaderboard.exports.contents import formats_of
from leaderboard.figures.images import FORMATS, can_draw

register = template.Library()

FORMAT_NAMES = {"csv": "CSV", "json": "JSON", "tex": "LaTeX", "md": "Markdown", "parquet": "Parquet"}

NAVIGATION = (
    ("board", "Leaderboard"),
    ("kernels", "Kernels"),
    ("architectures", "Architectures"),
    ("compare", "Compare"),
    ("machines", "Machines"),
    ("queue", "Queue"),
    ("methodology", "Methodology"),
    ("changes", "Changes"),
    ("try", "Try"),  # the same for everybody, so that pages are: who is not signed in is asked to be
)
OF_ALL_SUITES = ("methodology", "try")


@register.inclusion_tag("leaderboard/parts/exports.html")
def exports(table: str, query: str = "", what: str = "", paper: str = "") -> dict[str, Any]:
    """Links to a table in every format. query: what the page shows; paper: the columns that LaTeX and Markdown are to have."""
    links = []
    for form in formats_of(table):
        of_paper = f"&columns={paper}" if paper and form in ("tex", "md") else ""
        address = f"{reverse('export', args=[table, form])}?{query}{of_paper}".rstrip("?")
        links.append((FORMAT_NAMES[form], address))
    return {"what": what or "Export", "links": links}


@register.inclusion_tag("leaderboard/parts/figure_files.html")
def figure_files(figure_url: str, label: str) -> dict[str, Any]:
    """Links to a figure as files for a paper.

    The browser draws SVG and PNG itself (static/js/charts.js); without a script, and for PDF, the server does, where it can.
    """
    links = [(form, figure_url.replace(".json", f".{form}", 1)) for form in FORMATS]
    return {"links": links, "what": label.partition(";")[0], "can_draw": can_draw()}


@register.inclusion_tag("leaderboard/parts/navigation.html", takes_context=True)
def navigation(context: dict[str, Any]) -> dict[str, Any]:
    """Links to the sections; `section` in the page's context is the one it belongs to."""
    request = context.get("request")
    here = request.path if request else ""
    of_suite = getattr(context.get("selection"), "suite_query", "")
    links = []
    for name, label in NAVIGATION:
        address = reverse(name)
        current = "page" if address == here else "true" if name == context.get("section") else ""
        address += of_suite if name not in OF_ALL_SUITES else ""
        links.append({"address": address, "label": label, "current": current})
    return {"links": links}

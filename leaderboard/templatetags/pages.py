"""What every page has: its navigation."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse

from leaderboard.images import FORMATS, can_draw

register = template.Library()

NAVIGATION = (
    ("board", "Leaderboard"),
    ("kernels", "Kernels"),
    ("architectures", "Architectures"),
    ("compare", "Compare"),
    ("machines", "Machines"),
    ("queue", "Queue"),
    ("methodology", "Methodology"),
    ("changes", "Changes"),
)


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
    links = []
    for name, label in NAVIGATION:
        address = reverse(name)
        current = "page" if address == here else "true" if name == context.get("section") else ""
        links.append({"address": address, "label": label, "current": current})
    return {"links": links}

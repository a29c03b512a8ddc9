"""What every page has: its navigation."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse

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

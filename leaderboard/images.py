"""Figures as SVG, PDF and PNG in paper size: the pages' own, in the light theme's colours, drawn by kaleido without a network.

Needs kaleido (the extra `figures`), a Chromium on this machine and the chart library that setup fetches.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from importlib import import_module
from typing import Any

from django.conf import settings

FORMATS = ("svg", "pdf", "png")
WIDTH_PX = 660  # 17.5 cm at 96 dots an inch: the text width of a paper
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TOKEN = re.compile(r"--([\w-]+):\s*light-dark\(\s*(#\w+)")
LABEL_PX, LETTER_PX = 15, 6.6


class NoImages(Exception):
    """Something is missing here; the message says what."""


def image(figure: dict[str, Any], form: str) -> bytes:
    """The figure in one of FORMATS. Raises NoImages."""
    return images([figure], form)[0]


def images(figures: list[dict[str, Any]], form: str) -> list[bytes]:
    """Several at once: the browser starts once."""
    kaleido, options = _kaleido()
    kaleido.start_sync_server(silence_warnings=True, **options)
    try:
        scale = {"scale": 3} if form == "png" else {}
        return [kaleido.calc_fig_sync(for_paper(figure), opts={"format": form, **scale}) for figure in figures]
    finally:
        kaleido.stop_sync_server(silence_warnings=True)


def for_paper(figure: dict[str, Any]) -> dict[str, Any]:
    """Tokens become colours, and the rest of what static/js/charts.js does in the browser is done for one fixed width."""
    made: dict[str, Any] = json.loads(_with_colours(json.dumps(figure)))
    layout = made["layout"]
    layout.pop("meta", None)
    layout |= {"width": WIDTH_PX, "template": None}
    layout["font"] |= {"family": "Liberation Sans, Arial, Helvetica, sans-serif"}
    labels = sorted(
        (note for note in layout.get("annotations", []) if note.get("name") == "reference"), key=lambda note: note["x"]
    )
    axis = layout["xaxis"]["range"]
    inner = WIDTH_PX - layout["margin"]["l"] - layout["margin"]["r"]
    ends: list[float] = []
    for label in labels:  # the first row where the earlier ones leave room
        half = LETTER_PX * len(label["text"]) / 2 + 6
        at = (label["x"] - axis[0]) / (axis[1] - axis[0]) * inner
        row = next((i for i, end in enumerate(ends) if end <= at - half), len(ends))
        ends[row:] = [at + half, *ends[row + 1 :]]
        label["yshift"] = 3 + LABEL_PX * row
    more = LABEL_PX * max(0, len(ends) - 1)
    layout["margin"]["t"] += more
    layout["height"] += more
    return made


def _with_colours(text: str) -> str:
    """The light theme's colour for every token of the style sheet."""
    sheet = (settings.BASE_DIR / "static" / "css" / "site.css").read_text(encoding="utf-8")
    colours = dict(TOKEN.findall(sheet))
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], text)


def _kaleido() -> tuple[Any, dict[str, Any]]:
    try:
        kaleido: Any = import_module("kaleido")
    except ImportError as error:
        raise NoImages("Figures as images need kaleido: pip install 'arch-kernels[figures]'") from error
    browser = os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if browser is None:
        raise NoImages("Figures as images need a Chromium: apt-get install chromium, or BROWSER_PATH=/path/to/it")
    bundle = settings.BASE_DIR / "static" / "vendor" / "plotly" / "plotly.min.js"
    if not bundle.is_file():
        raise NoImages("Figures as images need the chart library: python scripts/fetch_plotly.py")
    os.environ["BROWSER_PATH"] = browser
    page = kaleido.PageGenerator(plotly=bundle, mathjax=False)
    return kaleido, {"page_generator": page, "n": 1}

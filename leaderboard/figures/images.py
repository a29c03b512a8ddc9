"""Figures as SVG, PDF and PNG in paper size: the pages' own, in the light theme's colours, drawn by kaleido without a network.

Needs kaleido (the extra `figures`), a Chromium on this machine and the chart library that setup fetches. Starting Chromium takes
three seconds of a core: a drawn figure is kept, and only one is drawn at a time on a host.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.cache import caches

from leaderboard.figures.plots import MOST_LETTERS

FORMATS = ("svg", "pdf", "png")
CONTENT_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
KEPT_S = 7 * 24 * 3600
PATIENCE_S = 15.0  # how long one waits for another's figure
WIDTH_PX = 660  # 17.5 cm at 96 dots an inch: the text width of a paper
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TOKEN = re.compile(r"--([\w-]+):\s*light-dark\(\s*(#\w+)")
LABEL_PX, LETTER_PX = 15, 6.6


class NoImages(Exception):
    """Something is missing here; the message says what."""


class Busy(Exception):
    """Other figures are being drawn."""


def drawn(figure: dict[str, Any], form: str) -> bytes:
    """The figure in one of FORMATS, drawn once. Raises NoImages and Busy."""
    text = json.dumps(for_paper(figure), sort_keys=True)
    key, kept = f"{hashlib.sha256(text.encode()).hexdigest()}.{form}", caches["figures"]
    found: bytes | None = kept.get(key)
    if found is None:
        with _alone():
            found = kept.get(key) or images([figure], form)[0]  # another may have drawn it meanwhile
        kept.set(key, found, KEPT_S)
    return found


def can_draw() -> bool:
    """Whether links to drawn figures lead anywhere."""
    return not _missing()


@contextmanager
def _alone() -> Iterator[None]:
    """One browser at a time, over all processes of this host: kaleido's server is one per process."""
    if reason := _missing():
        raise NoImages(reason)
    end = time.monotonic() + PATIENCE_S
    with (settings.DATA_DIR / "figures.lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as held:
                if time.monotonic() > end:
                    raise Busy from held
                time.sleep(0.2)
        yield


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
    width = layout.pop("meta", {}).get("width_px", WIDTH_PX)
    layout |= {"width": width, "template": None}
    layout["font"] |= {"family": "Liberation Sans, Arial, Helvetica, sans-serif"}
    if "ticktext" in layout.get("yaxis", {}):
        layout["yaxis"]["ticktext"] = [broken(name) for name in layout["yaxis"]["ticktext"]]
    labels = sorted(
        (note for note in layout.get("annotations", []) if note.get("name") == "reference"), key=lambda note: note["x"]
    )
    axis = layout["xaxis"].get("range", [0, 1])
    inner = width - layout["margin"]["l"] - layout["margin"]["r"]
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


def broken(name: str, letters: int = MOST_LETTERS) -> str:
    """A row's name in two lines at most, as the browser breaks it: at a space or after a sign if there is one, else anywhere."""
    if len(name) <= letters:
        return name
    cut = max((i + 1 for i, sign in enumerate(name[:letters]) if sign in " -/_:."), default=letters)
    rest = name[cut:]
    return f"{name[:cut]}<br>{rest if len(rest) <= letters else rest[: letters - 1] + '…'}"


def _with_colours(text: str) -> str:
    """The light theme's colour for every token of the style sheet."""
    sheet = (settings.BASE_DIR / "static" / "css" / "site.css").read_text(encoding="utf-8")
    colours = dict(TOKEN.findall(sheet))
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colours[match[1]], text)


def _kaleido() -> tuple[Any, dict[str, Any]]:
    if reason := _missing():
        raise NoImages(reason)
    os.environ["BROWSER_PATH"] = _browser()
    kaleido: Any = import_module("kaleido")
    return kaleido, {"page_generator": kaleido.PageGenerator(plotly=_bundle(), mathjax=False), "n": 1}


@lru_cache(maxsize=1)
def _missing() -> str:
    """What is not here that drawing needs; empty: all is. It does not change while a process lives."""
    try:
        import_module("kaleido")
    except ImportError:
        return "Figures as images need kaleido: pip install 'arch-kernels[figures]'"
    if not _browser():
        return "Figures as images need a Chromium: apt-get install chromium, or BROWSER_PATH=/path/to/it"
    if not _bundle().is_file():
        return "Figures as images need the chart library: python scripts/fetch_plotly.py"
    return ""


def _browser() -> str:
    return os.environ.get("BROWSER_PATH") or next(filter(None, map(shutil.which, CHROMIUMS)), "")


def _bundle() -> Path:
    """The one that knows heat maps; the wheel's knows everything."""
    folder = Path(settings.BASE_DIR) / "static" / "vendor" / "plotly"
    cartesian = folder / "plotly-cartesian.min.js"
    return cartesian if cartesian.is_file() else folder / "plotly.min.js"

"""The public site as plain files: every page that is linked from the leaderboard, its figures, its exports, its static files.

An address with a selection becomes a file of its own (its name ends in a hash of the query); links are made relative, so that the
folder works below any address and in an archive. What plain files cannot do (forms, live updates) is left out.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from leaderboard.figures.images import FORMATS, can_draw, images
from leaderboard.figures.plots import Figure
from leaderboard.lib import formatting

START = ("/", "/queue/", "/export/samples.csv", "/export/leaderboard.meta.json", "/export/results.meta.json")
LINK = re.compile(r'\b(href|src|data-figure|data-api)="([^"]*)"')
DRAWN = re.compile(r"^(/figures/[\w/-]+)\.(svg|pdf|png)(\?.*)?$")
NOT_DRAWN = "/figures/submissions/"  # a figure or two per answer: their data are in record.json and samples.csv
SKIPPED = re.compile(r"^/(admin|healthz|readyz|try/)|/reproduce\.zip$|/diff/\?with=(?!reference$|tuned$)")
PAGE_SUFFIX = "index.html"


@dataclass
class Snapshot:
    """Fetches as an anonymous visitor, so that nothing private can be in it. `say` hears of every file. draw: figures as SVG, PDF
    and PNG, too, half a second each, where this machine can."""

    out: Path
    draw: bool = True
    say: Callable[[str], None] = lambda path: None
    files: dict[str, str] = field(default_factory=dict)  # address -> path of its file; "" where there is none
    client: Client = field(default_factory=lambda: Client(headers={"host": _host()}))
    to_draw: dict[str, tuple[Figure, str]] = field(default_factory=dict)  # path -> figure, form

    def write(self) -> int:
        """Everything that can be reached; returns how many files there are."""
        self.out.mkdir(parents=True, exist_ok=True)
        pages: list[tuple[str, str]] = []
        waiting = deque(START)
        while waiting:
            address = waiting.popleft()
            if address in self.files:
                continue
            text = self._fetch(address)
            if text is not None:
                pages.append((address, text))
                waiting.extend(target for _, target in _links(address, text))
        self._draw()
        for address, text in pages:  # once all files are known
            self._save(self.files[address], self._rewritten(address, text).encode())
        return len({path for path in self.files.values() if path})

    def _fetch(self, address: str) -> str | None:
        """Write what is no page at once; a page's text is given back, for its links."""
        self.files[address] = ""
        if SKIPPED.search(address):
            return None
        if address.startswith(settings.STATIC_URL if settings.STATIC_URL.startswith("/") else f"/{settings.STATIC_URL}"):
            self._copy_static(address)
            return None
        if drawn := DRAWN.match(address):
            self._plan(address, drawn[1], drawn[2], drawn[3] or "")
            return None
        response: Any = self.client.get(address)
        if response.status_code != 200:
            return None
        self.files[address] = path = _path(address, response["Content-Type"])
        if response["Content-Type"].startswith("text/html"):
            return str(response.content.decode())
        self._save(path, b"".join(response.streaming_content) if response.streaming else response.content)
        return None

    def _plan(self, address: str, name: str, form: str, query: str) -> None:
        """Equal figures of different selections are one file."""
        if not self.draw or name.startswith(NOT_DRAWN) or not can_draw():
            return
        response = self.client.get(f"{name}.json{query}")
        figure = json.loads(response.content) if response.status_code == 200 else {"data": []}
        if any(trace["x"] for trace in figure["data"]):
            digest = hashlib.sha256(response.content).hexdigest()[:10]
            self.files[address] = path = f"{name[1:]}-{digest}.{form}"
            self.to_draw[path] = (figure, form)

    def _draw(self) -> None:
        """All of a format together: the browser starts once."""
        for form in FORMATS:
            of_form = {path: figure for path, (figure, own) in self.to_draw.items() if own == form}
            if of_form:
                for path, data in zip(of_form, images(list(of_form.values()), form), strict=True):
                    self._save(path, data)

    def _copy_static(self, address: str) -> None:
        name = urlsplit(address).path.removeprefix("/").removeprefix(settings.STATIC_URL.strip("/") + "/")
        collected = Path(settings.STATIC_ROOT) / name
        found = collected if collected.is_file() else finders.find(name)
        if found:
            self.files[address] = path = f"static/{name}"
            target = self.out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(found), target)
            self.say(path)

    def _rewritten(self, address: str, text: str) -> str:
        here = posixpath.dirname(self.files[address])

        def relative(match: re.Match[str]) -> str:
            name, value = match[1], unescape(match[2])
            if value.startswith("#") or urlsplit(value).scheme:
                return match[0]
            target, _, anchor = urljoin(address, value).partition("#")
            path = self.files.get(target, "")
            if not path:
                return f'data-not-in-snapshot="{match[2]}"'
            return f'{name}="{posixpath.relpath(path, here or ".")}{"#" + anchor if anchor else ""}"'

        taken = f"<span>Snapshot of {formatting.utc(datetime.now(UTC))}</span>"
        text = (
            LINK.sub(relative, text)
            .replace("<form ", "<form hidden ")
            .replace('<details class="drop">', '<details class="drop" hidden>')
        )
        return text.replace('<footer><div class="wrap">', f'<footer><div class="wrap">{taken}', 1)

    def _save(self, path: str, data: bytes) -> None:
        target = self.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        self.say(path)


def _links(address: str, text: str) -> Iterator[tuple[str, str]]:
    for name, raw in LINK.findall(text):
        value = unescape(raw)
        if not value.startswith("#") and not urlsplit(value).scheme and not value.startswith("//"):
            yield name, urljoin(address, value).partition("#")[0]


def _path(address: str, content_type: str) -> str:
    """/kernels/ -> kernels/index.html; with a query kernels/index-1a2b3c4d5e.html; /api/queue -> api/queue.json."""
    parts = urlsplit(address)
    path = parts.path.lstrip("/")
    if not path or path.endswith("/"):
        path += PAGE_SUFFIX
    elif not PurePosixPath(path).suffix and "json" in content_type:
        path += ".json"
    if parts.query:
        stem, suffix = posixpath.splitext(path)
        path = f"{stem}-{hashlib.sha256(parts.query.encode()).hexdigest()[:10]}{suffix}"
    return path


def _host() -> str:
    """One that the settings allow."""
    allowed = [host for host in settings.ALLOWED_HOSTS if not host.startswith(("*", "."))]
    return allowed[0] if allowed else "localhost"

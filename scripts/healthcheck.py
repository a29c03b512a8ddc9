"""For the image's HEALTHCHECK: true while the web side answers, or, where this container serves no pages, always."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path


def serves_pages() -> bool:
    """Whether the container's first process is one that serves pages, by its command line."""
    command = Path("/proc/1/cmdline").read_bytes().decode().split("\0")
    return "supervise" in command and "--no-web" not in command


def answers(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=4) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, TimeoutError):
        return False


if __name__ == "__main__":
    sys.exit(0 if not serves_pages() or answers(os.environ.get("PORT", "8000")) else 1)

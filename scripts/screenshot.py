#!/usr/bin/env python3
"""Take the README's picture of a running site, once its demo is graded.

python scripts/screenshot.py [URL] [FILE]    default: http://localhost:8000/ into docs/images/leaderboard.png
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"]
QUIET += ["--disable-sync", "--no-first-run"]


def main() -> int:
    url = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8000/"
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "images" / "leaderboard.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium") or "chromium", args=QUIET)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        page.goto(url, wait_until="networkidle")
        page.screenshot(path=target, clip={"x": 0, "y": 0, "width": 1280, "height": 900})
        browser.close()
    print(f"{target}: {target.stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

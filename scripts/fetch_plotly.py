"""Put plotly.js and its style sheet into static/vendor/plotly/, where collectstatic finds them.

With npm: the basic bundle (0.3 MB to the reader) and the cartesian one (0.4 MB), which pages with a heat map load instead, both
pinned by package-lock.json. Without npm, or when it cannot reach its registry: the full bundle inside the plotly wheel (1.1 MB,
the same pages). None is committed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "static" / "vendor" / "plotly"
FROM_NPM = ROOT / "node_modules" / "plotly.js-basic-dist-min" / "plotly-basic.min.js"
CARTESIAN = ROOT / "node_modules" / "plotly.js-cartesian-dist-min" / "plotly-cartesian.min.js"

# The rules that plotly.js would otherwise insert into a <style> of its own, which our Content-Security-Policy refuses.
RULES = re.compile(r"""\{"X,X div":.*?\}(?=[,;])""", re.DOTALL)
RULE = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")


def main() -> int:
    bundle = npm_bundle() or wheel_bundle()
    if bundle is None:
        print("plotly: neither npm nor the plotly wheel gave a bundle; pages will show tables without charts", file=sys.stderr)
        return 1
    script = bundle.read_text(encoding="utf-8")
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "plotly.min.js").write_text(script, encoding="utf-8")
    cartesian = TARGET / CARTESIAN.name  # the wheel's one bundle has everything: there pages find no other
    cartesian.unlink(missing_ok=True)
    if bundle == FROM_NPM:
        shutil.copyfile(CARTESIAN, cartesian)
    (TARGET / "plotly.css").write_text(style_sheet(script), encoding="utf-8")
    print(f"plotly: {bundle.name}, {len(script) / 1e6:.1f} MB, from {'npm' if bundle == FROM_NPM else 'the plotly wheel'}")
    return 0


def npm_bundle() -> Path | None:
    """The bundle that package-lock.json pins, installed by npm; None where npm is absent or fails (the reason is printed)."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        print("plotly: npm ci did not end within 300 s; using the wheel's bundle", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"plotly: npm ci failed, using the wheel's bundle\n{done.stderr.strip()}", file=sys.stderr)
        return None
    return FROM_NPM


def wheel_bundle() -> Path | None:
    """The full bundle that the installed plotly package carries; None without the package."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        return None
    bundle = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    return bundle if bundle.is_file() else None


def style_sheet(script: str) -> str:
    """plotly.js's own style rules, read from its bundle, so that sheet and script are always of one version."""
    table = RULES.search(script)
    if table is None:
        raise SystemExit("plotly: this bundle keeps its style rules in a way scripts/fetch_plotly.py does not know")
    rules = []
    for selector, body in RULE.findall(table.group()):
        scoped = unquote(selector).replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")
        rules.append(f"{scoped} {{ {unquote(body)} }}")
    return "\n".join(rules) + "\n"


def unquote(literal: str) -> str:
    """The text of a JavaScript string literal (only quotes and backslashes are escaped in this table)."""
    return re.sub(r"\\(.)", r"\1", literal[1:-1])


if __name__ == "__main__":
    sys.exit(main())

"""Where the chart library comes from (scripts/fetch_plotly.py)."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch_plotly", ROOT / "scripts" / "fetch_plotly.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "TARGET", tmp_path / "plotly")
    return module


def test_without_npm_the_wheels_bundle_is_used(fetch: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)
    assert fetch.main() == 0
    assert not (fetch.TARGET / "plotly-cartesian.min.js").exists()  # pages with heat maps use the same one then
    script = (fetch.TARGET / "plotly.min.js").read_text()
    assert "plotly.js v" in script[:200]
    sheet = (fetch.TARGET / "plotly.css").read_text()
    assert ".js-plotly-plot .plotly .main-svg { position:absolute;top:0;left:0;pointer-events:none; }" in sheet
    assert sheet.count("{") == sheet.count("}") > 40
    assert not re.search(r"\bX\b|\bY\b", sheet)


def test_when_npm_fails_its_reason_is_shown_and_the_wheels_bundle_is_used(
    fetch: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'no network' >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setattr(fetch.shutil, "which", lambda name: str(npm))
    assert fetch.main() == 0
    said = capsys.readouterr()
    assert "no network" in said.err
    assert "from the plotly wheel" in said.out


def test_without_any_bundle_it_says_so_and_fails(
    fetch: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)
    monkeypatch.setattr(fetch, "find_spec", lambda name: None)
    assert fetch.main() == 1
    assert "tables without charts" in capsys.readouterr().err


def test_a_bundle_that_keeps_its_styles_elsewhere_is_an_error(fetch: ModuleType) -> None:
    with pytest.raises(SystemExit, match="does not know"):
        fetch.style_sheet("var nothing = {}")


def test_the_lock_file_pins_the_bundle_by_its_hash() -> None:
    lock = (ROOT / "package-lock.json").read_text()
    assert "plotly.js-basic-dist-min" in lock
    assert "plotly.js-cartesian-dist-min" in lock
    assert '"integrity": "sha512-' in lock

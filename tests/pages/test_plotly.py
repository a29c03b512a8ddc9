"""Where the chart library comes from (scripts/fetch_plotly.py)."""

import gzip
import html
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from leaderboard.models import Submission
from tests.pages import factories

ROOT = Path(__file__).resolve().parents[2]
BUNDLES = ROOT / "static" / "vendor" / "plotly"


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


@pytest.mark.django_db
@pytest.mark.skipif(not (BUNDLES / "plotly-cartesian.min.js").is_file(), reason="no npm: the wheel's one bundle is larger")
def test_the_first_load_of_a_page_is_small(client: Client) -> None:
    """What the server sends compressed: the page, its styles, scripts and figures. By gzip; by brotli it is a sixth less."""
    factories.make_site(models=8)
    answer = Submission.objects.filter(results__verdict="passed", model__kind="llm").first()
    assert answer
    pages = ["/?arch=both", "/kernels/", "/kernels/sort_u32/", "/architectures/", "/queue/", "/methodology/"]
    pages += ["/compare/?models=lab-one-wide-405b,lab-two-large", f"/submissions/{answer.uid}/", "/machines/", "/changes/"]
    for address, most in [*((page, 500_000) for page in pages), ("/models/lab-two-large/", 620_000)]:
        assert first_load(client, address) <= most, address


def first_load(client: Client, address: str) -> int:
    page = client.get(address).content
    sizes = [len(gzip.compress(page))]
    for target in re.findall(r'(?:src|data-figure)="([^"]+)"|<link [^>]*href="([^"]+)"', page.decode()):
        name = html.unescape("".join(target))
        if name.startswith("/static/"):
            found = finders.find(name.removeprefix("/static/"))
            assert found, name
            sizes.append(len(gzip.compress(Path(str(found)).read_bytes())))
        else:
            sizes.append(len(gzip.compress(client.get(name).content)))
    return sum(sizes)


@pytest.mark.django_db
def test_only_a_page_with_a_heat_map_loads_the_larger_bundle(client: Client) -> None:
    factories.make_site(models=1, rollouts=1)
    for address, name in (("/", "plotly.min.js"), ("/models/lab-one-wide-405b/", "plotly-cartesian.min.js")):
        bundles = re.findall(r"vendor/plotly/(plotly[\w-]*\.min\.js)", client.get(address).content.decode())
        there = name if (BUNDLES / name).is_file() else "plotly.min.js"  # without npm, one for all
        assert bundles == [there]

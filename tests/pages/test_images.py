import fcntl
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.exports import snapshot
from leaderboard.exports.snapshot import Snapshot
from leaderboard.figures import images
from leaderboard.figures.images import CHROMIUMS, for_paper
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db
BUNDLE = Path(__file__).resolve().parents[2] / "static" / "vendor" / "plotly" / "plotly.min.js"


@pytest.fixture(autouse=True)
def looked_for_anew() -> Iterator[None]:
    """What is installed is looked for once per process."""
    images._missing.cache_clear()
    yield
    images._missing.cache_clear()


def test_a_figure_of_a_page_is_a_file_with_the_same_selection(site: None, client: Client, drawer: list[str]) -> None:
    text = client.get("/?arch=both&scale=linear").content.decode()
    addresses = re.findall(r'<a href="(/figures/speedup\.(?:svg|pdf|png)\?[^"]*)"', text)
    assert [re.sub(r"\?.*", "", address) for address in addresses] == [f"/figures/speedup.{form}" for form in images.FORMATS]
    for address, form in zip(addresses, images.FORMATS, strict=True):
        response = client.get(address.replace("&amp;", "&"))
        assert response["Content-Type"] == images.CONTENT_TYPES[form]
        assert response["Content-Disposition"] == f'attachment; filename="speedup.{form}"'
        assert response.content.startswith(form.encode())


def test_a_figure_is_drawn_once(site: None, client: Client, drawer: list[str]) -> None:
    for address in ("/figures/memory.pdf", "/figures/memory.pdf?sort=speedup", "/figures/memory.pdf?arch=arm64"):
        assert client.get(address).status_code == 200
    assert drawer == ["pdf", "pdf"]  # ranking by another column draws the same figure


def test_while_another_figure_is_drawn_one_is_told_to_come_again(
    site: None, client: Client, drawer: list[str], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    monkeypatch.setattr(images, "PATIENCE_S", 0.0)
    with (settings.DATA_DIR / "figures.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        response = client.get("/figures/memory.pdf")
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert client.get("/figures/memory.pdf").status_code == 200


@pytest.mark.parametrize("address", ["/figures/nothing.pdf", "/figures/kernels/nothing/memory.svg", "/figures/speedup.gif"])
def test_what_is_no_figure_is_not_found(address: str, site: None, client: Client, drawer: list[str]) -> None:
    assert client.get(address).status_code == 404


def test_a_selection_that_means_nothing_is_refused_before_anything_is_drawn(
    site: None, client: Client, drawer: list[str]
) -> None:
    assert client.get("/figures/speedup.pdf?arch=sparc").status_code == 400
    assert drawer == []


def test_for_paper_every_token_is_a_colour_and_no_label_covers_another(site: None, reader: Reader) -> None:
    for address in ("/figures/speedup.json?arch=both", "/figures/kernels/sort_u32/answers-amd64.json"):
        figure = for_paper(reader.json(address))
        assert "var(" not in json.dumps(figure)
        assert figure["layout"]["width"] == images.WIDTH_PX
        labels = [note for note in figure["layout"]["annotations"] if note.get("name") == "reference"]
        assert len({(label["x"], label["yshift"]) for label in labels}) == len(labels)


def test_without_kaleido_or_chromium_the_command_says_what_to_install(
    site: None, client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(images, "import_module", missing)
    images._missing.cache_clear()
    with pytest.raises(CommandError, match="pip install"):
        call_command("figures", str(tmp_path))
    response = client.get("/figures/speedup.pdf")
    assert response.status_code == 503
    assert b"pip install" in response.content
    assert 'class="figure-files" hidden' in client.get("/").content.decode()  # the browser draws what it can by itself
    images._missing.cache_clear()
    monkeypatch.setattr(images, "import_module", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    with pytest.raises(CommandError, match="apt-get install chromium"):
        call_command("figures", str(tmp_path))


@pytest.mark.browser
@pytest.mark.skipif(not any(map(shutil.which, CHROMIUMS)), reason="no Chromium: apt-get install chromium")
@pytest.mark.skipif(not BUNDLE.is_file(), reason="no chart library: python scripts/fetch_plotly.py")
def test_figures_are_written_in_every_format(db: None, tmp_path: Path) -> None:
    pytest.importorskip("kaleido", reason="kaleido is not installed: pip install 'arch-kernels[figures]'")
    factories.make_site(models=2)
    for form, start in (("svg", b"<svg"), ("pdf", b"%PDF-"), ("png", b"\x89PNG")):
        call_command("figures", str(tmp_path / form), "--format", form, "--kernel", "sort_u32", verbosity=0)
        files = sorted((tmp_path / form).iterdir())
        assert [file.stem for file in files] == [
            "architectures-memory",
            "architectures-throughput",
            "memory",
            "sort_u32-memory",
            "speedup",
        ]
        assert all(file.read_bytes().startswith(start) for file in files)


def test_a_snapshot_has_its_figures_as_files_and_equal_ones_once(
    db: None, drawer: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    factories.make_site(models=1, rollouts=1)
    monkeypatch.setattr(snapshot, "images", images.images)
    monkeypatch.setattr(snapshot, "SKIPPED", re.compile(r"^/(admin|healthz|readyz|try/|submissions|export|changes|kernels/\w)"))
    Snapshot(tmp_path / "out").write()
    text = (tmp_path / "out" / "index.html").read_text()
    (pdf,) = set(re.findall(r'<a href="(figures/speedup-\w+\.pdf)"', text))
    assert (tmp_path / "out" / pdf).read_bytes() == b"pdf of 1 traces"
    speedups = [path.name for path in (tmp_path / "out" / "figures").glob("speedup-*.pdf")]
    assert len(speedups) == 6  # three choices of architecture, two axes: by whatever the table is ranked
    assert sorted(drawer) == ["pdf", "png", "svg"]  # the browser would have started three times

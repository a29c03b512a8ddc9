import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from leaderboard import images
from leaderboard.images import CHROMIUMS, for_paper
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db
BUNDLE = Path(__file__).resolve().parents[2] / "static" / "vendor" / "plotly" / "plotly.min.js"


def test_for_paper_every_token_is_a_colour_and_no_label_covers_another(site: None, reader: Reader) -> None:
    for address in ("/figures/speedup.json?arch=both", "/figures/kernels/sort_u32/answers-amd64.json"):
        figure = for_paper(reader.json(address))
        assert "var(" not in json.dumps(figure)
        assert figure["layout"]["width"] == images.WIDTH_PX
        labels = [note for note in figure["layout"]["annotations"] if note.get("name") == "reference"]
        assert len({(label["x"], label["yshift"]) for label in labels}) == len(labels)


def test_without_kaleido_or_chromium_the_command_says_what_to_install(
    site: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(images, "import_module", missing)
    with pytest.raises(CommandError, match="pip install"):
        call_command("figures", str(tmp_path))
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

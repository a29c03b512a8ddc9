import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from leaderboard.models import Submission
from tests.pages import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def snapshot(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Taken once: it fetches every page."""
    out = tmp_path_factory.mktemp("snapshot") / "out"
    with django_db_blocker.unblock(), transaction.atomic():
        factories.make_site(models=1, rollouts=1)
        secret = factories.make_model("lab/secret")
        kernel = Submission.objects.first().kernel  # type: ignore[union-attr]
        factories.make_result(factories.make_submission(kernel, secret, public=False, source="int secret_code;"))
        call_command("snapshot", str(out), "--no-images", verbosity=0)
        transaction.set_rollback(True)
    return out


def test_every_link_and_figure_of_the_snapshot_is_a_file_in_it(snapshot: Path) -> None:
    pages = list(snapshot.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        for name, target in re.findall(r'\b(href|src|data-figure|data-api)="([^"#]*)', page.read_text()):
            if target and not target.startswith("http"):
                assert (page.parent / target).is_file(), f"{page}: {name}={target}"


def test_it_has_every_kind_of_page_figure_and_export_and_nothing_private(snapshot: Path) -> None:
    for path in (
        "index.html",
        "kernels/dot_f32/index.html",
        "models/lab-one-wide-405b/index.html",
        "architectures/index.html",
        "export/results.csv",
        "export/samples.csv",
        "export/leaderboard.meta.json",
        "api/queue.json",
        "static/css/site.css",
        "static/js/charts.js",
    ):
        assert (snapshot / path).is_file(), path
    assert list((snapshot / "figures").glob("speedup-*.json"))
    assert list((snapshot / "export").glob("leaderboard-*.tex"))
    texts = b"".join(path.read_bytes() for path in snapshot.rglob("*") if path.suffix in (".html", ".json", ".csv"))
    assert b"secret" not in texts


def test_selections_are_files_of_their_own(snapshot: Path) -> None:
    text = (snapshot / "index.html").read_text()
    (target,) = re.findall(r'href="(index-\w+\.html)">side by side', text)
    assert 'data-arch="both"' in (snapshot / target).read_text()
    assert "Snapshot of" in text


def test_an_existing_folder_is_left_alone(db: None, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(CommandError, match="already exists"):
        call_command("snapshot", str(tmp_path))

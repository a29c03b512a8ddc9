"""What the documents say is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def settings_read() -> set[str]:
    """The environment variables that settings and sandboxes take from the operator."""
    text = "".join(path.read_text() for path in [ROOT / "leaderboard" / "settings.py", *sorted((ROOT / "grading").rglob("*.py"))])
    read = re.findall(r"\b(?:env(?:\.\w+)?|environ\.get|_count|_amount)\(\s*\"([A-Z][A-Z0-9_]*)\"", text)
    return set(read) - {"DEMO", "DOCKER_HOST"}  # the supervisor's own; the docker client's


def settings_documented() -> set[str]:
    rows = re.findall(r"^\| (`[A-Z].*?) \|", (ROOT / "docs" / "operations.md").read_text(), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([A-Z][A-Z0-9_]*)`", row)}


def test_every_setting_is_documented_and_every_documented_one_is_read() -> None:
    assert settings_read() == settings_documented()


def test_every_field_of_the_record_is_documented() -> None:
    from grading.result import FIELDS

    text = (ROOT / "docs" / "record.md").read_text()
    assert [name for name in FIELDS if f"`{name}`" not in text] == []


def test_every_verdict_is_documented_in_order() -> None:
    from grading.result import Verdict

    documented = re.findall(r"^\| `(\w+)` \| ", (ROOT / "docs" / "record.md").read_text().split("## Verdicts")[1], re.MULTILINE)
    verdicts = [str(verdict) for verdict in Verdict]
    assert documented[: len(verdicts)] == verdicts


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths_and_make_targets_named_in_a_document_exist(document: Path) -> None:
    text = document.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)(?=[`\s,;]|$)", text, re.MULTILINE)) - {"it", "sure", "up"} <= targets
    named = set(re.findall(r"`((?:kernels|grading|leaderboard|templates|tests|docs|demo|scripts|bench)/[\w./-]*)`", text))
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


def test_files_that_code_speaks_of_are_there() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py", "*.toml", "*.sh", "*.js"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    named = re.compile(
        r"(?<![\w/.*>{}$-])(?:kernels|grading|leaderboard|tests|docs|demo|scripts|bench)/[\w./-]+\.(?:py|md|c|h|sh|toml)\b"
    )
    spoken_of = {
        path: name
        for name in listed.stdout.split()
        if (ROOT / name).exists()
        for path in named.findall((ROOT / name).read_text())
    }
    assert len(spoken_of) > 20
    assert {path: name for path, name in spoken_of.items() if not (ROOT / path).exists()} == {}


def test_every_folder_of_the_site_is_in_the_table_of_where_a_file_goes() -> None:
    table = (ROOT / "docs" / "architecture.md").read_text().split("## Where a file goes")[1]
    described = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)/`", row)}
    assert described == {path.parent.name for path in (ROOT / "leaderboard").glob("*/__init__.py")}


def test_nothing_lies_loose_at_the_top_of_the_site() -> None:
    """What Django, gunicorn or the queue's stored messages find there by name."""
    loose = {path.stem for path in (ROOT / "leaderboard").glob("*.py")}
    assert loose == {"__init__", "settings", "urls", "wsgi", "apps", "tasks"}

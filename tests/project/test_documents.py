"""What the documents say is there."""

from __future__ import annotations

import re
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

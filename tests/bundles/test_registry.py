"""A format is read, asked for, documented and tested by being in the registry."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from leaderboard.admin.bundle_forms import UploadForm
from leaderboard.bundles import extraction, parser
from leaderboard.bundles.archives import READ
from leaderboard.bundles.formats.base import FileFormat, Format, NoReply, Reply, Row, RowFormat
from leaderboard.bundles.registry import FORMATS, Registry
from leaderboard.bundles.types import Member
from tests.bundles import samples
from tests.bundles.conftest import Read
from tests.site.bundles import lines, zip_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "bundles.md"


class Chats(RowFormat):
    name = "made-up chats"
    files = "chats.jsonl"
    configs = ("chat.json",)

    def takes(self, row: Row) -> bool:
        return "chat" in row

    def task_key(self, row: Row) -> str:
        return str(row["task"])

    def replies(self, row: Row) -> Iterable[Reply | NoReply]:
        yield Reply(kernel=row["task"], text=row["chat"])


class Lists(FileFormat):
    """A file that is one list: [[kernel, text], ...]."""

    name = "made-up lists"
    files = "answers.list"
    suffixes = (".list",)

    def replies(self, member: Member, kernels: Collection[str], most_bytes: int) -> Iterable[Reply | NoReply]:
        del kernels, most_bytes
        for kernel, text in json.loads(member.read_bytes()):
            yield Reply(kernel=kernel, text=text, model="lab/lists") if text else NoReply(reason="an empty text")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    more = Registry((Chats(), Lists(), *FORMATS.formats))
    for module in (parser, extraction):
        monkeypatch.setattr(module, "FORMATS", more)


@pytest.mark.usefixtures("registered")
def test_rows_of_a_new_format_are_read_with_the_configuration_beside_them(read: Read) -> None:
    rows = lines({"task": "dot_f32", "chat": "a"}, {"task": "dot_f32", "chat": "b"}, {"task": "sort_u32", "chat": "c"})
    found = read(zip_of({"run/chats.jsonl": rows, "run/chat.json": b'{"model": "lab/chats"}'}))
    assert [(answer.model, answer.kernel, answer.rollout, answer.reply) for answer in found.answers] == [
        ("lab/chats", "dot_f32", 0, "a"),
        ("lab/chats", "dot_f32", 1, "b"),
        ("lab/chats", "sort_u32", 0, "c"),
    ]
    assert dict(found.reading.formats) == {"made-up chats": 3}


@pytest.mark.usefixtures("registered")
def test_files_of_a_new_format_are_read_alone_and_from_an_archive(read: Read) -> None:
    data = json.dumps([["dot_f32", "a"], ["dot_f32", ""], ["sort_u32", "b"], ["dot_f32", "c"]]).encode()
    for source, name in ((data, "answers.list"), (zip_of({"run/Answers.LIST": data, "run/notes.txt": b"-"}), "run.zip")):
        found = read(source, name)
        assert [(answer.kernel, answer.rollout, answer.reply) for answer in found.answers] == [
            ("dot_f32", 0, "a"),
            ("sort_u32", 0, "b"),
            ("dot_f32", 1, "c"),
        ]
        assert len({answer.identity for answer in found.answers}) == 3
        assert found.reasons == ["an empty text"]


@pytest.mark.parametrize("one", FORMATS.formats, ids=lambda one: one.name)
def test_every_format_is_documented_and_asked_for(one: Format) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    table = text[text.index("## Formats") : text.index("What is read from where")]
    missing = [name for name in (*one.suffixes, *one.configs) if name not in table]
    assert not missing, f"docs/bundles.md does not say of {one.name}: {', '.join(missing)}"
    assert one.files in str(UploadForm.base_fields["file"].help_text)
    assert one.suffixes[0] in READ


def test_every_format_has_a_sample(read: Read) -> None:
    """Which is then packed in every way, changed by hypothesis, and fuzzed."""
    read_by = {name for files in samples.ALL.values() for name in read(zip_of(files)).reading.formats}
    assert read_by == {one.name for one in FORMATS.formats}


def test_no_two_formats_of_whole_files_claim_a_suffix() -> None:
    whole = [suffix for one in FORMATS.formats if isinstance(one, FileFormat) for suffix in one.suffixes]
    of_rows = {suffix for one in FORMATS.formats if isinstance(one, RowFormat) for suffix in one.suffixes}
    assert len(set(whole)) == len(whole)
    assert of_rows.isdisjoint(whole)

"""What the API answers with. Tables have the columns of their CSV, with the meanings that stand there."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from ninja import Schema
from pydantic import Field, create_model

from leaderboard.exports.columns import LEADERBOARD_COLUMNS, RESULT_COLUMNS
from leaderboard.exports.contents import kind_of
from leaderboard.queue.status import ArchStatus

TYPES: dict[str, Any] = {
    "number": int | float | None,
    "int": int | None,
    "text": str | None,
    "bool": bool | None,
    "time": datetime | None,
}
NAMES = ("model", "kind", "arch")  # the leaderboard's columns that are no numbers


class Error(Schema):
    detail: str = Field(description="One sentence that says what is wrong.")


class KernelOut(Schema):
    name: str
    title: str
    unit: str
    signature: str
    benchmark: str
    memory_limit_mb: float
    version: str
    measurement: str
    retired: bool


class KernelsOut(Schema):
    items: list[KernelOut]


class ModelOut(Schema):
    slug: str
    name: str
    display_name: str
    kind: str
    provider: str
    weights: str
    released: date | None
    link: str


class ModelsOut(Schema):
    items: list[ModelOut]


RESULT_FIELDS: dict[str, Any] = {
    column.name: (TYPES[kind_of(column.field)], Field(description=column.meaning)) for column in RESULT_COLUMNS
}
LEADERBOARD_FIELDS: dict[str, Any] = {
    column.name: (str if column.name in NAMES else TYPES["number"], Field(description=column.meaning))
    for column in LEADERBOARD_COLUMNS
}
ResultOut: Any = create_model("ResultOut", __base__=Schema, **RESULT_FIELDS)
LeaderboardRow: Any = create_model("LeaderboardRow", __base__=Schema, **LEADERBOARD_FIELDS)


class ResultsOut(Schema):
    items: list[ResultOut]
    next: str | None = Field(description="The cursor of the next page; null on the last one.")


class LeaderboardOut(Schema):
    generated_at: datetime
    items: list[LeaderboardRow]


class QueueOut(Schema):
    archs: list[ArchStatus]


class SkippedOut(Schema):
    file: str
    line: int
    reason: str


class ProgressOut(Schema):
    arch: str
    done: int
    waiting: int
    failed: int
    parked: bool = Field(description="The waiting rows need an operator.")
    reason: str | None = Field(description="Why nothing moves.")


class VerdictsOut(Schema):
    arch: str
    verdict: str
    count: int


class BundleModelOut(Schema):
    name: str = Field(description="As the run spells it.")
    display_name: str
    kind: str
    provider: str
    weights: str
    answers: int
    prompt: str = Field(description="The system prompt, as recorded by the run.")
    sampling: dict[str, str] = Field(description='As recorded by the run: {"temperature": "0.7"}; for several runs "0.2, 0.8".')


class OverlapOut(Schema):
    uid: str
    name: str
    shared: int = Field(description="How many of its answers are in this file too.")
    of: int = Field(description="How many answers it has. If all are in this file, the file is that run, continued or unchanged.")
    added: int = Field(description="Answers of this file that are not in it.")


class BundleOut(Schema):
    uid: str
    name: str
    state: str = Field(description="reading, preview, importing, imported, failed or deleting")
    error: str
    public: bool
    format: str
    sha256: str
    size_bytes: int
    rows: int
    answers: int
    added: int = Field(description="Answers that no earlier bundle contains.")
    skipped: int
    counts: dict[str, dict[str, int]] = Field(description="Answers by model and by kernel, skipped rows by reason.")
    report: list[SkippedOut] = Field(description="Skipped rows, one by one; the first thousand.")
    created_at: datetime
    imported_at: datetime | None
    progress: list[ProgressOut] = Field(description="How many of its answers are graded; empty before the import is done.")
    verdicts: list[VerdictsOut]
    models: list[BundleModelOut] = Field(description="Prompt and sampling of each model; the models with the most answers first.")
    overlap: str = Field(description="same or another: what its uploader says about bundles that share some of its answers.")
    overlaps: list[OverlapOut] = Field(description="Earlier bundles with some of the same answers, for rows without trace ids.")

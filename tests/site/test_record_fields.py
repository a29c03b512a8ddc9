"""The record has one list of fields, grading.result.FIELDS: everything else that names them agrees with it."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from arch_kernels_v1 import trace
from grading.result import FIELDS, SCHEMA, GradingResult, Verdict
from leaderboard.board import verdicts
from leaderboard.board.reported_scores import ORDER
from leaderboard.exports.columns import RESULT_COLUMNS
from leaderboard.exports.record import record
from leaderboard.models import BulkAction, Bundle, Evaluation, LanguageModel, Result, querysets
from leaderboard.services import recording
from tests.site import fake_grader

RECORD_MD = (Path(__file__).resolve().parents[2] / "docs" / "record.md").read_text()
NO_COLUMN = {
    "schema",
    "detail",
    "samples",
    "log",
    "seconds",
}  # in results.csv: texts and lists have pages of their own
OTHER_COLUMN = {"kernel": "kernel__name", "machine": "machine__uid", "answer_from": "submission__answer_from"}


def test_a_record_that_is_recorded_comes_back_with_every_field(grade):
    graded = grade(verdict="passed", speedup=2.0)
    back = record(Result.objects.select_related("kernel", "machine", "submission").get(pk=graded.pk))
    assert sorted(back) == sorted(FIELDS)
    measured = {name for name, value in fake_grader.record("dot_f32", "amd64").items() if value is not None}
    assert {name for name in measured if back[name] is None} == set()


@pytest.mark.django_db
def test_every_field_is_a_column_of_results_or_of_what_they_belong_to():
    columns = {field.name for field in Result._meta.get_fields()}
    assert set(recording.PLAIN_FIELDS) <= columns
    assert set(FIELDS) - set(recording.PLAIN_FIELDS) == recording.NOT_COLUMNS
    assert recording.NOT_COLUMNS - {"schema", "answer_from"} <= columns


def test_the_export_reads_each_field_under_its_own_name():
    read = {column.name: column.field for column in RESULT_COLUMNS if column.name in FIELDS}
    first = FIELDS[: FIELDS.index("answer_from") + 1]  # a newer field may have a column, or none
    assert set(first) - set(read) == NO_COLUMN
    assert {name: OTHER_COLUMN.get(name, name) for name in read} == read


def test_the_environment_and_the_pages_name_fields_of_the_record():
    assert set(trace.METRICS) < set(FIELDS)
    assert trace.REWARD in FIELDS
    assert set(ORDER) < set(FIELDS)


def test_the_documentation_has_every_field():
    table = RECORD_MD.partition("## Fields")[2].partition("## ")[0]
    named = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(FIELDS)
    assert [field.name for field in fields(GradingResult)] == list(FIELDS)


def test_the_history_of_the_schema_ends_with_the_present_one():
    history = RECORD_MD.partition("## History of the schema")[2].partition("## ")[0]
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", history, re.MULTILINE)]
    assert numbers == list(range(1, SCHEMA + 1))
    source = (Path(__file__).resolve().parents[2] / "grading" / "result.py").read_text()
    assert [int(number) for number in re.findall(r"^# (\d+)  \d{4}-", source, re.MULTILINE)] == numbers


def test_verdicts_are_worded_once_and_in_their_order():
    order = [*verdicts.ORDER, verdicts.INTERNAL_ERROR]
    assert order == [verdict.value for verdict in Verdict]
    assert list(verdicts.MEANINGS) == order
    table = RECORD_MD.partition("## Verdicts")[2].partition("## ")[0]
    assert re.findall(r"^\| `(\w+)` \| (.*) \|$", table, re.MULTILINE) == list(verdicts.MEANINGS.items())
    assert sorted(verdicts.FAILURES) == sorted(set(verdicts.ORDER) - {verdicts.PASSED})


def test_querysets_and_models_have_the_same_states_and_kinds():
    states = (querysets.QUEUED, querysets.RUNNING, querysets.DONE, querysets.FAILED)
    assert states == tuple(Result.State.values)
    assert querysets.IMPORTED == Bundle.State.IMPORTED
    kinds = LanguageModel.Kind
    assert (querysets.TRIAL, querysets.BASELINE, querysets.LLM) == (kinds.TRIAL, kinds.BASELINE, kinds.LLM)


def literals(tree: ast.AST) -> set[str]:
    """What code says of `state` in words: keywords of filters and updates, and comparisons of an attribute."""
    found: set[str] = set()
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.keyword) and re.fullmatch(r"(\w+__)?state(__in)?", node.arg or ""):
            values = [node.value]
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "state":
            values = list(node.comparators)
        for value in values:
            parts = getattr(value, "elts", [value])
            found |= {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    return found


def test_states_that_are_named_in_words_are_states_that_there_are():
    known = {value for model in (Result, Bundle, BulkAction, Evaluation) for value in model.State.values}
    for path in (Path(__file__).resolve().parents[2] / "leaderboard").rglob("*.py"):
        assert literals(ast.parse(path.read_text())) <= known, path

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.board.selection import Selection
from leaderboard.exports import parquet
from leaderboard.exports.columns import COLUMNS
from leaderboard.exports.contents import TABLES, formats_of
from leaderboard.exports.dictionary import dictionary
from leaderboard.exports.formats import FORMATS
from leaderboard.exports.tables import Column, Table
from leaderboard.models import Kernel, LanguageModel
from tests.pages import factories
from tests.pages.conftest import Reader

ROOT = Path(__file__).resolve().parents[2]
NASTY = '=1+1 & 50 % of {a_b}^2 ~ $x$ #1 <b> | `c` \\ "q" -->\n% end'


def table() -> Table:
    columns = (
        Column("model", lambda r: r[0], "who", "text"),
        Column("pass_rate", lambda r: r[1], "share"),
        Column("ok", lambda r: r[2], "flag", "bool"),
        Column("at", lambda r: r[3], "when", "time"),
    )
    moment = datetime(2026, 11, 27, 14, 2, 9, tzinfo=UTC)
    rows = [("lab/one", 0.1 + 0.2, True, moment), (NASTY, None, False, None)]
    return Table(
        name="demo", title="A demo", columns=columns, rows=rows, meta={"generated_at": "now", "filters": {"model": NASTY}}
    )


def text_of(form: str) -> str:
    return "".join(FORMATS[form].write(table()))


def test_json_has_exactly_these_bytes() -> None:
    nasty = json.dumps(NASTY)
    assert text_of("json") == (
        f'{{"meta": {{"generated_at": "now", "filters": {{"model": {nasty}}}}},\n'
        '"columns": [{"name": "model", "meaning": "who"}, {"name": "pass_rate", "meaning": "share"}, '
        '{"name": "ok", "meaning": "flag"}, {"name": "at", "meaning": "when"}],\n'
        '"rows": [\n'
        '{"model": "lab/one", "pass_rate": 0.30000000000000004, "ok": true, "at": "2026-11-27T14:02:09+00:00"},\n'
        f'{{"model": {nasty}, "pass_rate": null, "ok": false, "at": null}}\n'
        "]}\n"
    )
    assert json.loads(text_of("json"))["rows"][1]["model"] == NASTY


def test_latex_has_exactly_these_bytes() -> None:
    head, body = text_of("tex").split("\\toprule\n")
    assert all(line.startswith("%") for line in head.splitlines()[:4])
    assert head.endswith("\\begin{tabular}{@{}%\n  l%\n  S[round-mode=figures, round-precision=3]%\n  l%\n  l%\n@{}}\n")
    assert body == (
        "{model} & {pass\\_rate} & {ok} & {at} \\\\\n\\midrule\n"
        "lab/one & 0.30000000000000004 & 1 & 2026-11-27T14:02:09+00:00 \\\\\n"
        "=1+1 \\& 50 \\% of \\{a\\_b\\}\\textasciicircum{}2 "
        "\\textasciitilde{} \\$x\\$ \\#1 \\textless{}b\\textgreater{} \\textbar{} \\textasciigrave{}c\\textasciigrave{} "
        "\\textbackslash{} \\symbol{34}q\\symbol{34} -{}-\\textgreater{} \\% end & {--} & 0 & -- \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
    )


def test_latex_rounds_no_whole_numbers_and_knows_no_letter_that_stops_it() -> None:
    columns = (Column("who", lambda r: r[0], "who", "text"), Column("answers", lambda r: r[1], "how many", "int"))
    text = "".join(FORMATS["tex"].write(Table(name="demo", title="A demo", columns=columns, rows=[("é 模型 😀 ‮x", 1234)])))
    assert "  l%\n  S%\n@{}}" in text
    assert "é [U+6A21][U+578B] [U+1F600] [U+202E]x & 1234 \\\\\n" in text


def test_markdown_has_exactly_these_bytes() -> None:
    comment, body = text_of("md").split("-->\n\n")
    assert "-->" not in comment
    assert body == (
        "| model | pass\\_rate | ok | at |\n| --- | ---: | --- | --- |\n"
        "| lab/one | 0.30000000000000004 | 1 | 2026-11-27T14:02:09+00:00 |\n"
        '| =1+1 & 50 % of \\{a\\_b\\}^2 \\~ $x$ \\#1 \\<b\\> \\| \\`c\\` \\\\ "q" --\\> % end |  | 0 |  |\n'
    )


@pytest.mark.django_db
def test_every_table_comes_in_its_formats_and_in_no_other(site: None, reader: Reader) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'arch-kernels[parquet]'")
    for name in TABLES:
        for form in formats_of(name):
            response = reader.client.get(f"/export/{name}.{form}?arch=amd64&model=lab-two-large,tuned")
            assert response.status_code == 200, (name, form)
            assert len(b"".join(response.streaming_content)) > 100  # type: ignore[attr-defined]
        assert reader.json(f"/export/{name}.meta.json?arch=amd64")["filters"] == {"arch": "amd64"}
        assert list(reader.json(f"/export/{name}.meta.json")["columns"]) == [column.name for column in COLUMNS[name]]
    for address in ("/export/results.tex", "/export/leaderboard.parquet", "/export/nothing.csv", "/export/leaderboard.exe"):
        assert reader.client.get(address).status_code == 404, address


@pytest.mark.django_db
def test_parquet_keeps_types_values_and_meta(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install 'arch-kernels[parquet]'")
    samples = {"answer_ns": [1.5, 2.0], "reference_ns": [3.0, 4.0], "process": [0, 1]}
    factories.make_result(factories.make_submission(kernel, model), speedup=1 / 3, samples=samples)
    factories.make_result(factories.make_submission(kernel, model, 1), verdict="no_answer")

    def read(name: str) -> Any:
        response = reader.client.get(f"/export/{name}.parquet")
        return pq.read_table(io.BytesIO(b"".join(response.streaming_content)))  # type: ignore[attr-defined]

    results = read("results")
    assert results.column("speedup").to_pylist() == [1 / 3, None]
    assert results.column("passed").to_pylist() == [True, False]
    assert results.column("graded_at")[0].as_py() == factories.WHEN.replace(second=9)
    assert b"kernels" in results.schema.metadata
    assert read("samples").to_pylist() == [
        {"submission": uid, "arch": "amd64", "round": k, "process": k, "answer_ns": a, "reference_ns": r}
        for uid in [results.column("submission")[0].as_py()]
        for k, (a, r) in enumerate([(1.5, 3.0), (2.0, 4.0)])
    ]


@pytest.mark.django_db
def test_without_pyarrow_parquet_says_what_to_install(kernel: Kernel, reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(parquet, "import_module", missing)
    assert "pip install" in reader.page("/export/results.parquet", status=501)


@pytest.mark.django_db
def test_the_command_writes_what_the_page_serves(site: None, reader: Reader, tmp_path: Path) -> None:
    for name, form in (("leaderboard", "csv"), ("leaderboard", "tex"), ("results", "csv")):
        call_command("export", name, "--format", form, "--arch", "arm64", "--output", str(tmp_path / "out"))
        served = reader.download(f"/export/{name}.{form}?arch=arm64")
        assert without_time((tmp_path / "out").read_text()) == without_time(served)
    with pytest.raises(CommandError, match="is available as csv, json, parquet"):
        call_command("export", "results", "--format", "tex")
    with pytest.raises(CommandError, match="--output"):
        call_command("export", "results", "--format", "parquet")


def without_time(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "generated_at" not in line)


@pytest.mark.django_db
def test_the_data_dictionary_is_the_codes() -> None:
    assert (ROOT / "docs" / "exports.md").read_text(encoding="utf-8") == dictionary(), (
        "manage.py data_dictionary > docs/exports.md"
    )
    assert set(COLUMNS) == set(TABLES)
    for name, build in TABLES.items():
        assert build(Selection()).header == [column.name for column in COLUMNS[name]]

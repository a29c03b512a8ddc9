"""The exact bytes of every export on a small site, and other programs that read them back to the same values.

tests/data/exports holds the bytes. After a change that is meant: NEW_EXPORT_BYTES=1 pytest tests/pages/test_export_bytes.py, and
read the difference.
"""

import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from leaderboard.exports import contents
from leaderboard.exports.contents import TABLES, formats_of
from leaderboard.exports.formats import FORMATS, FORMULA_STARTS, LATEX_UNKNOWN
from leaderboard.exports.tables import Column, Table
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "exports"
TEXT_FORMATS = ("csv", "json", "tex", "md")
FORMULA = '=HYPERLINK("http://example.org","a")'
ODD = "lab/50% of_{a} & \\b <i>\u202etxt\u202c -- 模型 😀"
T1_SIGNS = "".join(sign for sign in map(chr, range(0x20, 0x2100)) if not LATEX_UNKNOWN.match(sign))
TEX_TOOLS = shutil.which("pdflatex") and shutil.which("pdftotext")
NO_TEX = "no pdflatex, siunitx or pdftotext: apt-get install texlive-latex-recommended texlive-science poppler-utils"


@pytest.fixture
def small_site(first_formula: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kernels, both baselines, two models whose names are traps; every kind of verdict, mark and missing value."""
    monkeypatch.setattr(contents.timezone, "now", lambda: datetime(2026, 11, 27, 15, 0, 0, 999, tzinfo=UTC))
    monkeypatch.setattr(contents, "HARNESS_MEASUREMENT", 1)
    kernels = [factories.make_kernel(name) for name in ("dot_f32", "sort_u32")]
    machines = {
        arch: factories.make_machine(arch, uid=f"machine{arch[:3]}", first_seen=factories.WHEN) for arch in ("amd64", "arm64")
    }
    answers = []
    for name, kind, gain in (("naive", "baseline", 1.0), ("tuned", "baseline", 2.5), (FORMULA, "llm", 1.7), (ODD, "llm", 3.1)):
        model = factories.make_model(name, kind=kind, slug=f"model-{len(answers)}")
        for kernel in kernels:
            for rollout in range(1 if kind == "baseline" else 3):
                answers.append(factories.make_submission(kernel, model, rollout, uid=f"answer{len(answers):04d}"))
                for arch, machine in machines.items():
                    failed = name == ODD and rollout == 2 and (arch == "arm64" or kernel.name == "sort_u32")
                    verdict = "wrong_answer" if failed else "passed"
                    speedup = gain * (1 + rollout / 3) * (1.25 if arch == "arm64" else 1.0)
                    more: dict[str, Any] = {"machine": machine, "extra_mb": (rollout + 1) / 256}
                    if not failed:
                        samples = {"answer_ns": [1e6 / speedup, 1.5e6 / speedup], "reference_ns": [1e6, 1.5e6], "process": [0, 1]}
                        more |= {"speedup": speedup, "throughput_m": 10 * speedup, "samples": samples}
                    factories.make_result(answers[-1], arch, verdict, **more)
    bundle = factories.make_bundle(submissions=tuple(answers[4:]))
    type(bundle).objects.filter(pk=bundle.pk).update(uid="bundle0001")


def served(reader: Reader, name: str, form: str, query: str = "") -> bytes:
    response = reader.client.get(f"/export/{name}.{form}{query or QUERIES.get(name, '')}")
    assert response.status_code == 200, (name, form)
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


QUERIES = {"compare": "?models=model-4,model-10"}
EVERY_TEXT = [(name, form) for name in TABLES for form in formats_of(name) if form in TEXT_FORMATS]


@pytest.mark.parametrize(("name", "form"), EVERY_TEXT, ids=[f"{name}.{form}" for name, form in EVERY_TEXT])
def test_every_export_has_exactly_these_bytes(name: str, form: str, small_site: None, reader: Reader) -> None:
    data, golden = served(reader, name, form), GOLDEN / f"{name}.{form}"
    if os.environ.get("NEW_EXPORT_BYTES"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(data)
    assert data.decode() == golden.read_bytes().decode()
    assert data == golden.read_bytes()


@pytest.mark.parametrize("name", contents.STREAMED)
def test_parquet_has_the_bytes_that_pyarrow_writes_of_the_same_rows(name: str, small_site: None, reader: Reader) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'arch-kernels[parquet]'")
    pq = pytest.importorskip("pyarrow.parquet")
    data = served(reader, name, "parquet")
    found = pq.read_table(io.BytesIO(data))
    rows = json.loads(served(reader, name, "json"))
    assert [column["name"] for column in rows["columns"]] == found.column_names
    for column in found.column_names:
        theirs = [value.isoformat() if isinstance(value, datetime) else value for value in found.column(column).to_pylist()]
        assert theirs == [row[column] for row in rows["rows"]], column
    assert {key.decode(): json.loads(value) for key, value in found.schema.metadata.items()} == rows["meta"]
    again = io.BytesIO()
    with pq.ParquetWriter(again, found.schema) as writer:
        writer.write_table(pa.table(found.to_pydict(), schema=found.schema))
    assert data == again.getvalue()


@pytest.mark.parametrize("name", TABLES)
def test_pandas_reads_every_format_back_to_the_same_values(name: str, small_site: None, reader: Reader) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    kept = json.loads(served(reader, name, "json"))["rows"]
    frame = pandas.read_csv(io.BytesIO(served(reader, name, "csv")), engine="python")  # reads floats exactly, in every version
    assert len(frame) == len(kept) > 0
    for row, (_, line) in zip(kept, frame.iterrows(), strict=True):
        for column, value in row.items():
            assert same(value, line[column]), (name, column, value, line[column])
    if "parquet" in formats_of(name):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'arch-kernels[parquet]'")
        assert list(pandas.read_parquet(io.BytesIO(served(reader, name, "parquet"))).columns) == list(frame.columns)


def same(value: Any, read: Any) -> bool:
    """Whether pandas read what was written: no value is NaN, a defused text has its apostrophe."""
    if value in (None, ""):
        return isinstance(read, float) and math.isnan(read)
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return bool(read == f"'{value}")
    return bool(read == value)


@pytest.mark.parametrize("name", TABLES)
def test_a_spreadsheet_keeps_every_value_and_runs_none(name: str, small_site: None, reader: Reader, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    kept = json.loads(served(reader, name, "json"))["rows"]
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(served(reader, name, "csv").decode(), newline="")):
        book.active.append([as_typed_in(text) for text in row])
    book.save(tmp_path / "book.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "book.xlsx").active
    cells = list(sheet.iter_rows())
    assert all(cell.data_type != "f" for row in cells for cell in row)
    header = [cell.value for cell in cells[0]]
    for row, line in zip(kept, cells[1:], strict=True):
        for column, cell in zip(header, line, strict=True):
            value = row[column]
            if value in (None, ""):
                assert cell.value is None
            elif isinstance(value, str):
                assert cell.value == (f"'{value}" if value.startswith(FORMULA_STARTS) else value)
            else:
                assert cell.value == pytest.approx(float(value), rel=1e-14, abs=0), (
                    name,
                    column,
                )  # 15 digits are what Excel keeps


def as_typed_in(text: str) -> Any:
    """A cell of a CSV file as Excel reads it: a number if it is one, else the text, which is a formula when it looks like one."""
    try:
        return float(text) if text else None
    except ValueError:
        return text


@pytest.fixture(scope="module")
def tex() -> None:
    """LaTeX with what the tables need; scripts/install_test_tools.sh installs it where it can."""
    if not TEX_TOOLS or subprocess.run(["kpsewhich", "siunitx.sty"], capture_output=True, check=False).returncode:
        pytest.skip(NO_TEX)


def typeset(table: str, folder: Path) -> str:
    """The text of the PDF, one line per row of the table."""
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs,siunitx}"
    paper = "\\usepackage[paperwidth=550cm,paperheight=60cm,margin=1cm]{geometry}\\pagestyle{empty}\\sisetup{group-digits=none}"
    (folder / "table.tex").write_text(f"{head}{paper}\\begin{{document}}\\noindent\n{table}\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "table.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, (folder / "table.log").read_text(encoding="latin-1")[-2000:]
    command = ["pdftotext", "-layout", "-nopgbrk", "table.pdf", "-"]
    text = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True, timeout=60).stdout
    return unicodedata.normalize("NFKC", text)


TYPESET = [name for name in TABLES if "tex" in formats_of(name) and name != "machines"]


@pytest.mark.parametrize("name", TYPESET)
def test_pdflatex_sets_every_number_that_the_table_has(
    name: str, small_site: None, reader: Reader, tex: None, tmp_path: Path
) -> None:
    kept = json.loads(served(reader, name, "json"))["rows"]
    table = served(reader, name, "tex").decode()
    for rounded in (True, False):  # as it comes, and with the file's full precision
        folder = tmp_path / str(rounded)
        folder.mkdir()
        text = typeset(table if rounded else table.replace("round-mode=figures", "round-mode=none"), folder)
        lines = [line for line in text.splitlines() if line.strip()][1:]
        assert len(lines) == len(kept)
        for row, line in zip(kept, lines, strict=True):
            expected = [value for value in row.values() if isinstance(value, int | float) and not isinstance(value, bool)]
            read = numbers_of(line, skip=sum(isinstance(value, str) for value in row.values()))
            assert len(read) == len(expected), line
            for value, found in zip(expected, read, strict=True):
                assert found == pytest.approx(value, rel=6e-3 if rounded and isinstance(value, float) else 1e-15), (name, line)


def numbers_of(line: str, skip: int) -> list[float]:
    """The numbers in a line of a typeset table, behind its texts; a dash is a value that is not there, 1×10−9 is 1e-9."""
    text = " ".join(re.split(r"\s{2,}", line.strip())[skip:])
    text = re.sub(r" ?× ?10 ?([-−]?\d+)", lambda power: f"e{power[1]}", text).replace("−", "-")
    return [float(word) for word in text.split() if re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", word)]


def test_pdflatex_sets_a_text_as_it_is_and_runs_nothing_in_it(tex: None, tmp_path: Path) -> None:
    texts = [
        r"\\input{/etc/hostname} $x$ % #1 {a_b}^2 ~ & |",
        "\"q\" 'r' `s` <t> << >> -- --- ,, ?` !`",
        "Ünïcödé",
        "\\end{tabular}\\end{document}",
        "[2cm] as of a row's option",
        "*[3] likewise",
    ]
    columns = (Column("text", lambda r: r, "what", "text"),)
    typeset(
        "".join(FORMATS["tex"].write(Table(name="demo", title=ODD, columns=columns, rows=[T1_SIGNS, ODD, FORMULA]))), tmp_path
    )
    table = Table(name="demo", title="A demo", columns=columns, rows=texts)
    text = typeset("".join(FORMATS["tex"].write(table)), tmp_path)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    assert [line.replace(" ", "") for line in lines] == [
        unicodedata.normalize("NFKC", line).replace(" ", "") for line in ("text", *texts)
    ]


def test_models_named_like_an_option_or_in_another_script_are_typeset(
    reader: Reader, tex: None, tmp_path: Path, db: None
) -> None:
    rows = (GOLDEN.parent / "bundles" / "latex_bracket.jsonl").read_text().splitlines()
    kernel = factories.make_kernel("dot_f32")
    for name in (json.loads(line)["model"] for line in rows):
        factories.make_result(factories.make_submission(kernel, factories.make_model(name, slug=f"m{len(name)}")))
    address = "/export/leaderboard.tex?columns=model,arch,answers,score&arch=amd64"
    text = typeset(reader.download(address), tmp_path)
    assert "[exp] run" in text
    assert "[U+6A21][U+578B]/" in text.replace(" ", "")

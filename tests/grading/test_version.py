"""Versions: a hash that moves wants to be acknowledged."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading import version
from grading.harness_source import HarnessSource
from grading.source_hash import source_hash
from kernels.catalog import load_catalog

ROOT = version.ROOT
# What the pipeline imports and what yet decides no verdict and no figure: sentences, facts about the machine, faults of ours.
DECIDES_NOTHING = {
    "grading/__init__.py",
    "grading/compile_log.py",  # the detail's words
    "grading/faults.py",
    "grading/other_architecture.py",  # the detail's words
    "grading/hostlock.py",
    "grading/isolation.py",
    "grading/machine.py",
    "grading/sandbox/base.py",
    "grading/source_hash.py",
    "grading/statistics/__init__.py",
    "grading/statistics/curves.py",  # over many gradings: computed from records whenever a page is
    "grading/statistics/intervals.py",
    "grading/statistics/ranks.py",
    "grading/text.py",
    "grading/version.py",
    "kernels/catalog.py",
}
ACKNOWLEDGED = Path(__file__).resolve().parents[1] / "measurements.toml"


def test_every_version_has_been_acknowledged():
    moved = version.unacknowledged(ACKNOWLEDGED)
    assert not moved, (
        "Kernels, harness or grader have changed. Where results no longer compare, raise `measurement` in kernel.toml or "
        f"HARNESS_MEASUREMENT; then run `python -m grading.version --acknowledge`. {moved}"
    )


def test_a_version_names_both_measurements_and_the_content(add_kernel):
    measurement, _, digest = version.kernel_version(add_kernel).partition("+")
    assert measurement == version.measurement(add_kernel) == f"3.{version.HARNESS_MEASUREMENT}"
    assert len(digest) == 8
    assert int(digest, 16) >= 0


def test_acknowledging_writes_down_the_versions_of_today(tmp_path, capsys):
    file = tmp_path / "measurements.toml"
    assert version.main([str(file)]) == 1
    assert version.main([str(file), "--acknowledge"]) == 0
    assert version.main([str(file)]) == 0
    assert set(load_catalog()) <= set(capsys.readouterr().out.replace(":", " ").split())
    file.write_text(file.read_text().replace("+", "+0", 1))
    assert list(version.unacknowledged(file)) == [next(iter(load_catalog()))]


def test_the_harness_hash_moves_with_its_sources_and_headers(monkeypatch, tmp_path):
    before = version.harness_hash()
    (tmp_path / "new.c").write_text("int x;")
    monkeypatch.setattr(version, "HARNESS", tmp_path)
    assert version.harness_hash() != before


def test_a_built_harness_has_a_key_for_each_toolchain():
    source = HarnessSource(next(iter(load_catalog().values())))
    assert source.key("gcc 12") == source.key("gcc 12") != source.key("gcc 14")
    assert source.key().startswith(f"{source.kernel.name}-")


def imports_of(path: Path) -> set[Path]:
    """Files of ours that a file imports, anywhere in it."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    files = [ROOT / name.replace(".", "/") for name in named if name.startswith(("grading", "kernels"))]
    return {file for stem in files for file in (stem.with_suffix(".py"), stem / "__init__.py") if file.is_file()}


def test_all_that_the_pipeline_is_made_of_is_in_the_version_or_said_to_decide_nothing():
    found, wanted = set(), [ROOT / "grading/pipeline.py"]
    while wanted:
        path = wanted.pop()
        found.add(path)
        wanted += imports_of(path) - found
    modules = {path.relative_to(ROOT).as_posix() for path in found if path.stat().st_size}
    covered = {path.relative_to(ROOT).as_posix() for path in version.grader_files()}
    assert modules - covered == DECIDES_NOTHING
    assert covered - modules <= {"grading/extraction/__init__.py", "grading/extraction/messages.py"}  # who reads runs asks it


@pytest.fixture
def graders_copy(tmp_path, monkeypatch):
    """The grader's files, to be changed."""
    for path in version.grader_files():
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(version, "ROOT", tmp_path)
    monkeypatch.setattr(version, "grader_hash", version.grader_hash.__wrapped__)  # not kept
    return tmp_path


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("grading/scoring.py", "FULL_SCORE_SPEEDUP: float = ", "FULL_SCORE_SPEEDUP: float = 1 + "),
        ("grading/pipeline.py", "CALL_S = 60", "CALL_S = 61"),
        ("grading/pipeline.py", "EMULATED_FACTOR = 2", "EMULATED_FACTOR = 3"),
        ("grading/translation_unit.py", "SOURCE_LIMIT_BYTES = 200_000", "SOURCE_LIMIT_BYTES = 100_000"),
        ("grading/translation_unit.py", "{kernel.signature};", "{kernel.signature} ;"),
        ("grading/extraction/tags.py", "answer", "reply"),
        ("grading/statistics/confidence.py", "CONFIDENCE = 0.95", "CONFIDENCE = 0.9"),
        ("grading/result.py", '"memory_limit"', '"too_much_memory"'),
    ],
)
def test_what_decides_a_verdict_or_a_figure_moves_every_version_and_no_measurement(file, before, after, graders_copy):
    kernels = list(load_catalog().values())[::6]
    versions = [version.kernel_version(kernel) for kernel in kernels]
    text = (graders_copy / file).read_text()
    assert before in text
    (graders_copy / file).write_text(text.replace(before, after))
    moved = [version.kernel_version(kernel) for kernel in kernels]
    assert not set(moved) & set(versions)
    assert [name.partition("+")[0] for name in moved] == [name.partition("+")[0] for name in versions]


def test_a_change_of_the_grader_builds_no_harness_anew(monkeypatch):
    kernel = next(iter(load_catalog().values()))
    before, built = version.kernel_version(kernel), HarnessSource(kernel).key()
    monkeypatch.setattr(version, "grader_hash", lambda: "another")
    assert version.kernel_version(kernel) != before
    assert HarnessSource(kernel).key() == built


CODE = """
def score(x: float, *more: int) -> float:
    if x > 1 and more:
        return f"{x:.2f} {more!r}" + "a" 'b'
    return {"a": [x, None], "b": (1.0, 0b11)}["a"][0]
"""
SAME = """# A comment
'What this is.'


def score(
    x: float,
    *more: int,
) -> float:
    'What it returns.'
    if (x > 1) and (
        more  # and why
    ):
        return (f'{x:.2f} {more!r}') + 'ab'
    return {'a': [x, None,], 'b': (1.0, 3,)}['a'][0]
"""


def hash_of(code: str, folder: Path) -> str:
    (folder / "code.py").write_text(code)
    return source_hash([folder / "code.py"], folder)


def test_comments_formatting_and_docstrings_do_not_move_a_version(tmp_path):
    assert hash_of(CODE, tmp_path) == hash_of(SAME, tmp_path)


CHANGES = [
    ("{x:.2f} ", "{x:.2f}"),
    ("\"a\" 'b'", "\"a\" 'c'"),
    ("> 1", ">= 1"),
    ("None", "0"),
    ("1.0", "1"),
    (".2f", ".3f"),
    ("and", "or"),
    ("*", ""),
    ("0b11", "2"),
    ("!r", "!s"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_every_change_of_the_code_moves_a_version(before, after, tmp_path):
    assert hash_of(CODE.replace(before, after, 1), tmp_path) != hash_of(CODE, tmp_path)


def pythons() -> list[str]:
    """Interpreters on this host that the project supports, one for each version; at least the one that runs this."""
    named = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    found = {}
    for path in [*Path.home().glob(".pyenv/versions/3.*/bin/python"), *filter(None, named), sys.executable]:
        done = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
        version_of = tuple(map(int, done.stdout.split()))
        if version_of >= (3, 11):
            found[version_of] = str(path)
    return list(found.values())


def test_every_python_gives_the_same_version():
    code = "from grading.version import grader_hash; print(grader_hash())"
    for python in pythons():
        done = subprocess.run([python, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == version.grader_hash(), python


ODD_TEXTS = [
    'f"{x:{width}}"',  # Python 3.12 has an empty text behind it
    'f"{x:>{width}.{digits}f}, {y!r:^{width}}"',
    'f"{{{x}}} {{" "}}" f"{y=}" "" f""',
    'f"""{x:\n{width}}"""',
    "'\u2ffc \U000323af', f'\u2ffc'",  # characters that newer versions of Unicode have, and older ones lack
]


def test_every_python_gives_the_same_hash_of_odd_text(tmp_path):
    code = "import pathlib, sys; from grading.source_hash import source_hash; path = pathlib.Path(sys.argv[1])"
    code += "; print(source_hash([path], path.parent))"
    file = tmp_path / "code.py"
    for text in ODD_TEXTS:
        file.write_text(text, encoding="utf-8")
        for python in pythons():
            done = subprocess.run([python, "-c", code, file], cwd=ROOT, capture_output=True, text=True, check=True)
            assert done.stdout.strip() == source_hash([file], tmp_path), (python, text)

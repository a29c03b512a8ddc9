"""What fuzzing has found or reached, run again under the sanitizers; and a few minutes of fuzzing where clang is."""

import json
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from grading.faults import HarnessBroken
from grading.result import Verdict
from tests.fuzz import native, record

FUZZING_S = 100  # of each target
RECORDS = 30_000
CORPUS_BYTES_MOST = 300_000


@pytest.mark.parametrize("name", native.SOURCES)
def test_the_corpus_of_a_target_in_c_runs_without_a_report(name, tmp_path):
    files = native.corpus(name)
    assert len(files) > 10
    done = native.run([str(native.build_replay(name, tmp_path)), *map(str, files)], 120)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "runtime error" not in done.stderr


@pytest.mark.parametrize("path", native.corpus("record"), ids=lambda path: path.name)
def test_what_a_harness_prints_becomes_a_record_or_a_fault(path, small_bootstrap):
    record.check(path.read_bytes())


def test_the_corpora_stay_small():
    assert sum(path.stat().st_size for path in native.CORPUS.rglob("*") if path.is_file()) < CORPUS_BYTES_MOST


@pytest.fixture
def small_bootstrap(monkeypatch):
    monkeypatch.setattr("grading.statistics.speedups.RESAMPLES", 20)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", native.SOURCES)
def test_fuzzing_a_target_in_c_finds_nothing(name, tmp_path):
    clang = native.clang_with_fuzzer(tmp_path)
    if clang is None:
        pytest.skip("no clang with libFuzzer: apt-get install clang")
    program = native.build_fuzzer(clang, name, tmp_path)
    found = tmp_path / "found"
    found.mkdir()
    limits = [
        f"-max_total_time={FUZZING_S}",
        "-max_len=16384",
        "-timeout=10",
        "-rss_limit_mb=1500",
        f"-artifact_prefix={tmp_path}/",
    ]
    done = native.run([str(program), *limits, str(found), str(native.CORPUS / name)], FUZZING_S + 120)
    assert done.returncode == 0, f"{done.stderr[-3000:]}\nThe input: {kept(tmp_path)}"


def kept(folder: Path) -> list[str]:
    """The inputs that failed, out of the test's folder."""
    return [shutil.copy(path, "/tmp") for pattern in ("crash-*", "timeout-*", "oom-*") for path in folder.glob(pattern)]


@pytest.mark.fuzz
def test_random_changes_of_a_harness_record_find_nothing(small_bootstrap):
    """Without a fuzzer's guidance: changes of the corpus by a generator that is seeded anew each time, and says its seed."""
    seed = random.randrange(2**32)
    generator = random.Random(seed)
    corpus = [path.read_bytes() for path in native.corpus("record")]
    for number in range(RECORDS):
        data = bytearray(generator.choice(corpus))
        for _ in range(generator.randint(1, 6)):
            at = generator.randrange(len(data) + 1)
            data[at : at + generator.choice((0, 0, 1, 1, 2, 9))] = generator.randbytes(generator.randint(0, 3))
        try:
            record.check(bytes(data))
        except Exception as error:
            raise AssertionError(f"seed {seed}, number {number}: {bytes(data)[:2000]!r}") from error


# found by fuzzing


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("extra_mb", "1" + "0" * 400),  # a whole number that no float holds: OverflowError
        ("peak_mb", "18446744073709551616"),
        ("samples", '{"answer_ns": [1, 1, 1], "reference_ns": [1, 1, 1], "process": [0, 1, 1e300]}'),
        ("samples", f'{{"answer_ns": [{"1, " * 400}1], "reference_ns": [{"1, " * 400}1]}}'),  # memory by the square of it
        ("seconds", '{"compile": -1}'),
        ("units", "1e-320"),
    ],
)
def test_a_number_that_cannot_be_is_a_fault_of_the_harness(member, value, small_bootstrap):
    text = json.dumps(record.VALID | {member: "@"}).replace('"@"', value)
    fault = record.check(b"\0" + text.encode())
    assert isinstance(fault, HarnessBroken)


def test_a_verdict_against_an_answer_has_a_reason():
    for verdict in set(Verdict) - {Verdict.PASSED}:
        text = json.dumps(record.VALID | {"verdict": verdict, "detail": " \0"})
        result = record.check(b"\0" + text.encode())
        if verdict in (Verdict.NO_ANSWER, Verdict.INTERNAL_ERROR):
            assert isinstance(result, HarnessBroken)
        else:
            assert "without a reason" in result.detail


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("defences", "7"),
        ("vcpus", '"two"'),
        ("vcpus", "2.5"),
        ("vcpus", "4294967296"),
        ("memory_resolution_mb", "1e400"),
        ("memory_resolution_mb", '"much"'),
        ("cpu_model", "[1]"),
        ("page_size_bytes", "true"),
    ],
)
def test_a_machine_that_cannot_be_is_a_fault_of_the_harness(member, value):
    text = json.dumps(record.FACTS | {member: "@"}).replace('"@"', value)
    assert isinstance(record.check(b"\1" + text.encode()), HarnessBroken)


def object_of(names: bytes, tables: int) -> bytes:
    """An ELF object whose sections and symbols have their names in `names`, with so many tables of the same 400 symbols."""
    strings = 64
    symbols = strings + len(names)
    symbol = struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 0)
    string_section = struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, strings, len(names), 0, 0, 1, 0)
    symbol_section = struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, symbols, 400 * len(symbol), 1, 1, 8, len(symbol))
    sections = [bytes(64), string_section, *[symbol_section] * tables]
    magic = b"\x7fELF\2\1\1".ljust(16, b"\0")
    start = symbols + 400 * len(symbol)
    head = magic + struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, start, 0, 64, 0, 0, 64, len(sections), 1)
    return head + names + symbol * 400 + b"".join(sections)


@pytest.mark.parametrize(
    ("names", "tables", "said"),
    [
        (b"\0" + b"a" * 1_999_998 + b"\0", 60_000, "did not make a relocatable object"),
        (b"\0" + b"a" * 1_999_998 + b"\0", 1, "the function dot_f32 is not defined"),
        (b"\0" + b"a" * 1_999_999, 1, "did not make a relocatable object"),
        (b"\0dot_f32@v1\0".ljust(16, b"\0"), 1, "must be defined once"),
    ],
    ids=["many tables", "long names", "names that do not end", "defined often"],
)
def test_the_inspection_ends_soon_whatever_an_object_claims(names, tables, said, tmp_path):
    """The product of tables, symbols and lengths of names took minutes for four megabytes."""
    (tmp_path / "made.o").write_bytes(object_of(names, tables))
    main = """
#include <stdio.h>
#include "inspect.h"
int main(int argc, char **argv)
{
	struct inspection r;
	if (argc != 2 || !inspect_object(argv[1], "dot_f32", &r)) return 1;
	printf("%s: %s\\n", r.verdict ? r.verdict : "fine", r.detail);
}
"""
    (tmp_path / "main.c").write_text(main)
    sources = [str(tmp_path / "main.c"), str(native.HARNESS / "inspect.c")]
    subprocess.run(["gcc", *native.FLAGS, *sources, "-o", str(tmp_path / "inspect")], check=True)
    done = native.run([str(tmp_path / "inspect"), str(tmp_path / "made.o")], 10)
    assert said in done.stdout

"""The memory and the disk that hostile bundles take, measured on the command that imports them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bundles import hostile
from tests.conftest import ROOT
from tests.site.bundles import lines, row

LIMIT_MB = 200
TEN_GB_IN_MB = 10 * 1024
# A process of its own between us and the command: what a child says of its peak begins with the memory of whoever forked it.
LAUNCH = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.STDOUT)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    for command in (["migrate", "-v0"], ["sync_kernels"]):
        manage(folder, *command)
    return folder


@pytest.fixture
def data(empty_site: Path, tmp_path: Path) -> Path:
    """A site of each test's own: their trace ids are the same, and one that is known with another text is refused."""
    return Path(shutil.copytree(empty_site, tmp_path / "data"))


def manage(data: Path, *command: str) -> tuple[int, str, int]:
    """Exit code, output, and peak memory in MB."""
    kept = {
        key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")
    }
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, sys.executable, "manage.py", *command],
        env=kept | {"DATA_DIR": str(data), "LOG_LEVEL": "ERROR"},
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    *output, peak_kb = done.stdout.strip().splitlines()
    return done.returncode, "\n".join(output), int(peak_kb) >> 10


def check(data: Path, make: Callable[[Path], None], says: str, *, refused: bool) -> None:
    path = data / "hostile.bin"
    make(path)
    code, output, peak_mb = manage(data, "import_bundle", str(path))
    path.unlink()
    assert says in output
    assert code == (1 if refused else 0)
    assert peak_mb < LIMIT_MB
    assert not list((data / "media" / "incoming").iterdir())  # nothing is left of what was unpacked


def test_ten_gigabytes_of_zeros_in_zstd(data: Path) -> None:
    check(data, lambda path: hostile.zeros_zstd(path, TEN_GB_IN_MB), "BUNDLE_MAX_RATIO", refused=True)


def test_a_row_of_brackets(data: Path) -> None:
    check(data, lambda path: hostile.heavy_lines(path, "[]", count=2), "BUNDLE_MAX_VALUES", refused=False)


def test_a_sparse_file_whose_map_goes_on(data: Path) -> None:
    check(data, lambda path: hostile.sparse_tar(path, 30_000), "BUNDLE_MAX_HEADER_MB", refused=True)


SLOW: dict[str, tuple[Callable[[Path], None], str, bool]] = {
    "10 GB of zeros in a zip": (lambda path: hostile.zeros_zip(path, TEN_GB_IN_MB), "BUNDLE_MAX_RATIO", True),
    "10 GB of zeros in gzip": (lambda path: hostile.zeros_gzip(path, TEN_GB_IN_MB), "BUNDLE_MAX_RATIO", True),
    "100,000 files in a zip": (lambda path: hostile.many_files_zip(path, 100_000, "m/nope/{}.c"), "100000 x unknown", True),
    "130,000 files in a zip": (lambda path: hostile.many_files_zip(path, 130_000), "BUNDLE_MAX_FILES", True),
    "130,000 files in a tar": (lambda path: hostile.many_files_tar(path, 130_000), "BUNDLE_MAX_FILES", True),
    "100,000 long names": (lambda path: hostile.many_files_zip(path, 100_000, "n" * 230 + "/{}.c"), "BUNDLE_MAX_HEADER_MB", True),
    "a pax header of 1 GB": (lambda path: hostile.giant_header_tar(path, tarfile.XHDTYPE, 1024), "BUNDLE_MAX_HEADER_MB", True),
    "a global header": (lambda path: hostile.giant_header_tar(path, tarfile.XGLTYPE, 15), "BUNDLE_MAX_HEADER_MB", True),
    "a long name of 1 GB": (lambda path: hostile.giant_header_tar(path, tarfile.GNUTYPE_LONGNAME, 1024), "HEADER_MB", True),
    "a line of 300 MB": (lambda path: hostile.long_line(path, 300), "BUNDLE_MAX_LINE_MB", False),
    "rows of texts": (lambda path: hostile.heavy_lines(path, '"ab"'), "BUNDLE_MAX_VALUES", False),
    "rows of as many values as allowed": (lambda path: hostile.heavy_lines(path, '{"":0}', megabytes=1.6), "4 answers", False),
    "long texts of wide characters": (
        lambda path: hostile.heavy_lines(path, '"' + "\U0001f600" * 100_000 + '"', megabytes=7.5),
        "4 answers",
        False,
    ),
    "texts of escapes": (lambda path: hostile.heavy_lines(path, '"' + "\\n\\u1234a" * 10_000 + '"'), "4 answers", False),
    "long answers": (lambda path: hostile.heavy_replies(path, "x", 60), "60 answers", False),
    "long answers of wide characters": (
        lambda path: hostile.heavy_replies(path, "\U0001f600", 20, characters=1_900_000),
        "20 answers",
        False,
    ),
    "long answers of empty lines": (lambda path: hostile.heavy_replies(path, "\n", 5), "5 answers", False),
    "a model for each row": (lambda path: hostile.many_models(path, 5000), "BUNDLE_MAX_MODELS", True),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", SLOW)
def test_so_for_everything_else_that_takes_more_than_it_looks(data: Path, what: str) -> None:
    make, says, refused = SLOW[what]
    check(data, make, says, refused=refused)


@pytest.mark.slow
def test_long_answers_are_not_all_held_to_be_compared_with_short_ones(data: Path) -> None:
    """With the same trace ids and another text, existing answers are asked for their length first."""
    check(data, lambda path: hostile.heavy_replies(path, "y", 80), "80 new", refused=False)
    again = lines(*(row(model="m", trace_id=str(number), answer="other") for number in range(80)))
    check(data, lambda path: path.write_bytes(again) and None, "belongs to another answer", refused=False)

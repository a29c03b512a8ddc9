import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from grading.version import kernel_version
from kernels.catalog import get_kernel
from leaderboard.models import Kernel, LanguageModel
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db

ANSWER = """\
float dot_f32(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * b[i];
    return sum;
}
"""


@pytest.fixture
def unpacked(kernel: Kernel, model: LanguageModel, client: Client, tmp_path: Path) -> Path:
    submission = factories.make_submission(kernel, model, source=ANSWER)
    factories.make_result(submission)
    data = client.get(f"/submissions/{submission.uid}/reproduce.zip").content
    assert data == client.get(f"/submissions/{submission.uid}/reproduce.zip").content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(tmp_path)
    return tmp_path / submission.uid


def test_the_folder_holds_the_answer_its_kernel_alone_and_the_record(unpacked: Path) -> None:
    assert (unpacked / "answer.c").read_text() == ANSWER
    assert [path.parent.name for path in (unpacked / "kernels").rglob("kernel.toml")] == ["dot_f32"]
    assert json.loads((unpacked / "record.json").read_text())["results"][0]["verdict"] == "passed"
    assert not any("leaderboard" in path.parts for path in unpacked.rglob("*"))


def test_the_folder_is_of_the_sites_own_version(unpacked: Path) -> None:
    imports = "from grading.version import kernel_version; from kernels.catalog import get_kernel"
    ask = f"{imports}; print(kernel_version(get_kernel('dot_f32')))"
    done = subprocess.run([sys.executable, "-c", ask], cwd=unpacked, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == kernel_version(get_kernel("dot_f32"))


@pytest.mark.slow
def test_its_script_grades_the_answer_the_same_way(unpacked: Path) -> None:
    command = ["sh", str(unpacked / "reproduce.sh"), "--rounds", "5"]
    done = subprocess.run(
        command, env={"PYTHON": sys.executable, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "passed"


def test_a_diff_shows_what_an_answer_changes(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    one = factories.make_submission(kernel, model, 0, source="int a;\nint b;\n")
    two = factories.make_submission(kernel, model, 1, source="int a;\nint <c>;\n")
    text = reader.page(f"/submissions/{two.uid}/diff/?with={one.uid}")
    assert '<span class="d minus">-int b;</span>' in text
    assert '<span class="d plus">+int &lt;c&gt;;</span>' in text
    assert "1 line added, 1 removed" in text
    assert "The two are the same" in reader.page(f"/submissions/{one.uid}/diff/?with={one.uid}")
    assert "reference.c" in reader.page(f"/submissions/{one.uid}/diff/")


def test_a_diff_of_very_long_sources_is_refused(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    long = factories.make_submission(kernel, model, source="int x;\n" * 4000)
    assert "Too long to be compared here" in reader.page(f"/submissions/{long.uid}/diff/")


def test_a_private_answer_is_in_no_diff_and_in_no_archive(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    open_one = factories.make_submission(kernel, model, 0)
    secret = factories.make_submission(kernel, model, 1, public=False)
    for address in (
        f"/submissions/{secret.uid}/diff/",
        f"/submissions/{secret.uid}/reproduce.zip",
        f"/submissions/{open_one.uid}/diff/?with={secret.uid}",
    ):
        reader.page(address, status=404)
    assert secret.uid not in reader.page(f"/submissions/{open_one.uid}/diff/")

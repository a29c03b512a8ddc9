"""The answers in tests/submissions, and what the head of each says it must get.

redteam/ and honest/:  // what it does | kernel=dot_f32 class=time [want=VERDICT] [arch=amd64]
<kernel>/:             // verdict: VERDICT | why            and optionally, on the second line,    // arch: amd64
"""

import re
from dataclasses import dataclass
from pathlib import Path

from kernels.catalog import get_kernel, load_catalog

SUBMISSIONS = Path(__file__).resolve().parents[1] / "submissions"

# Smaller benchmark sizes than the kernels' own, where those take long; the small tests are always the same.
QUICK_SIZES = {
    "dot_f32": 1 << 20,
    "prefix_sum_i64": 1 << 20,
    "byte_histogram": 1 << 20,
    "count_primes": 1_000_000,
    "sort_u32": 1 << 18,
    "count_distinct_u32": 1 << 18,
    "count_substr": 1 << 20,
    "popcount_u64": 1 << 20,
    "crc32_ieee": 1 << 20,
    "levenshtein": 1000,
    "transpose_f32": 512,
    "matmul_f32": 128,
    "mandel_count": 128,
}


def quick_size(kernel: str) -> int:
    """A benchmark size at which a grading takes seconds; the kernel's own where none is listed."""
    return QUICK_SIZES.get(kernel, get_kernel(kernel).benchmark_size)


@dataclass(frozen=True)
class Entry:
    """One answer of the corpus."""

    path: Path
    kernel: str
    what: str
    group: str  # redteam's class, "honest", or "kernel"
    want: str | None  # the verdict, where it is fixed
    arch: str | None  # the only architecture it is meant for

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def source(self) -> str:
        return self.path.read_bytes().decode("utf-8", "surrogateescape")


def attacks_and_honest() -> list[Entry]:
    return [_tagged(path) for folder in ("redteam", "honest") for path in sorted((SUBMISSIONS / folder).glob("*.c"))]


def of_kernels() -> list[Entry]:
    return [_of_kernel(path, kernel) for kernel in load_catalog() for path in sorted((SUBMISSIONS / kernel).glob("*.c"))]


def _tagged(path: Path) -> Entry:
    what, _, tags = path.read_text(errors="surrogateescape").partition("\n")[0].removeprefix("// ").rpartition(" | ")
    said = dict(tag.split("=", 1) for tag in tags.split())
    return Entry(path, said["kernel"], what, said["class"], said.get("want"), said.get("arch"))


def _of_kernel(path: Path, kernel: str) -> Entry:
    first, second = [*path.read_text(errors="surrogateescape").split("\n", 2), ""][:2]
    match = re.fullmatch(r"// verdict: (\w+) \| (.+)", first)
    assert match, f"{path}: the first line must be `// verdict: VERDICT | why`"
    arch = re.fullmatch(r"// arch: (\w+)", second)
    return Entry(path, kernel, match[2], "kernel", match[1], arch[1] if arch else None)

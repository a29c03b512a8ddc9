"""The answers in tests/submissions, and what the head of each says it must get.

redteam/ and honest/:  // what it does | kernel=dot_f32 class=time [want=VERDICT] [arch=amd64]
<kernel>/:             // verdict: VERDICT | why            and optionally, on the second line,    // arch: amd64
templates/:            // verdict: VERDICT | why            with placeholders (`expanded`): one answer for each kernel
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
    group: str  # redteam's class, "honest", "kernel" or "template"
    want: str | None  # the verdict, where it is fixed
    arch: str | None  # the only architecture it is meant for

    @property
    def name(self) -> str:
        name = f"{self.path.parent.name}/{self.path.stem}"
        return f"{name}-{self.kernel}" if self.group == "template" else name

    @property
    def source(self) -> str:
        source = self.path.read_bytes().decode("utf-8", "surrogateescape")
        return expanded(source, self.kernel) if self.group == "template" else source


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


def of_templates() -> list[Entry]:
    """Each idea of templates/ against each kernel: a right answer, with the attack around its call."""
    return [_of_template(path, kernel) for path in sorted((SUBMISSIONS / "templates").glob("*.c")) for kernel in load_catalog()]


def _of_template(path: Path, kernel: str) -> Entry:
    match = re.match(r"// verdict: (\w+) \| (.+)\n", path.read_text())
    assert match, f"{path}: the first line must be `// verdict: VERDICT | why`"
    return Entry(path, kernel, match[2], "template", match[1], None)


def expanded(template: str, kernel: str) -> str:
    """@RIGHT@ is a right answer, `right`; @KEEP@ and @GIVE@ hold and return its result, @KEPT@, @SET@ and @AGAIN@ a kept one."""
    signature = get_kernel(kernel).signature
    kind, _, rest = signature.partition(f" {kernel}(")
    names = [re.sub(r"\[\w*\]", "", part).split("*")[-1].split()[-1] for part in rest.removesuffix(")").split(",")]
    right = (get_kernel(kernel).folder / "tuned.c").read_text()
    right = right.replace(f"\n{signature}", f"\nstatic {signature}") if f"\n{signature}" in right else f"static {right}"
    right = re.sub(rf"\b{kernel}\(", "right(", right)  # some call themselves
    nothing = kind == "void"
    values = {
        "RIGHT": right,
        "SIGNATURE": signature,
        "ARGS": ", ".join(names),
        "KEEP": "" if nothing else f"{kind} result_ = ",
        "GIVE": "" if nothing else "return result_;",
        "KEPT": "" if nothing else f"static {kind} kept_;",
        "SET": "" if nothing else "kept_ = ",
        "AGAIN": "" if nothing else "return kept_;",
    }
    return re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], template)

"""`make mutants`: do the small tests notice a wrong reference, or a wrong tuned source?   python -m tests.mutants [KERNEL ...]

Prints a line a source, and each mutant that survived without a sentence in equivalent.toml. Exit status 1 if there is one, or if
an entry is stale; 2 if nothing can be said.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kernels.catalog import get_kernel, load_catalog
from tests.mutants.equivalents import FILE, load, split
from tests.mutants.mutator import Mutant
from tests.mutants.runner import IDENTICAL, NOT_COMPILING, SOURCES, SURVIVED, Bench, Broken, fates

COLUMNS = "{:32}{:>9}{:>15}{:>18}{:>8}{:>12}{:>11}{:>7}"


@dataclass
class Row:
    kernel: str
    source: str
    counts: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)
    explained: list[Mutant] = field(default_factory=list)
    survivors: list[Mutant] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_fine(self) -> bool:
        return not self.survivors and not self.stale

    def line(self) -> str:
        return COLUMNS.format(
            f"{self.kernel}/{self.source}.c", self.counts.total(), self.counts[NOT_COMPILING], self.counts[IDENTICAL],
            self.killed.total(), len(self.explained), len(self.survivors), f"{self.seconds:.0f} s",
        )  # fmt: skip

    def faults(self) -> Iterator[str]:
        path = f"kernels/{self.kernel}/{self.source}.c"
        for mutant in self.survivors:
            yield f"survived: {path}:{mutant.line}: {mutant.name}\n-{mutant.before}\n+{mutant.after}"
        for name in self.stale:
            yield f"stale: {FILE.name}: {self.kernel}/{self.source}: no such mutant survives: {name}"


def rows(kernel: str) -> Iterator[Row]:
    """One a source."""
    entries = load()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(get_kernel(kernel), Path(folder))
        for source in SOURCES:
            began = time.monotonic()
            row = Row(kernel, source)
            survived = []
            for fate in fates(bench, source):
                row.counts[fate.what] += 1
                if fate.killed:
                    row.killed[fate.what] += 1
                if fate.what == SURVIVED:
                    survived.append(fate.mutant)
            row.explained, row.survivors, row.stale = split(survived, entries, kernel, source)
            row.seconds = time.monotonic() - began
            yield row


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutants of every reference and tuned source, put through the small tests.")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="these kernels; none: all")
    wanted = parser.parse_args().kernels or list(load_catalog())
    heads = ("source", "mutants", "not compiling", IDENTICAL, "killed", "equivalent", "survivors", "time")
    print(COLUMNS.format(*heads), flush=True)
    fine = True
    try:
        for kernel in wanted:
            for row in rows(kernel):
                print(row.line(), flush=True)
                for fault in row.faults():
                    print(fault, flush=True)
                fine &= row.is_fine
    except (Broken, KeyError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())

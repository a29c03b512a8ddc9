#!/usr/bin/env python3
"""Write demo/*.zip, the answers that `make demo` grades, from the run folders that the tests keep.

    python demo/make_bundle.py [FOLDER]    writes into FOLDER (default: demo/)

Three models answered the kernels that there were. Left out are answers whose grading runs into the time limit (up to three
minutes each), and slow ones that show nothing new: two cores have to be through within a quarter of an hour. A test builds them
again and compares what is in them.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "tests" / "submissions" / "runs"
LONG_AGO = (2026, 1, 1, 0, 0, 0)  # every file's date: a zip would differ from build to build otherwise


@dataclass(frozen=True)
class Selection:
    """Which rows of a run folder go into the demo."""

    run: str
    without: frozenset[tuple[str, int]] = field(default_factory=frozenset)  # (kernel, rollout)
    only_failed: bool = False  # the rows in which no model replied


SELECTIONS: dict[str, list[Selection]] = {
    "plain-7b.zip": [
        Selection(
            "arch-kernels-v1--stub--plain-7b--null--8cb61393",
            without=frozenset(
                {
                    # endless
                    ("count_primes", 2),
                    ("sort_u32", 1),
                    ("count_substr", 2),
                    ("count_distinct_u32", 2),
                    ("levenshtein", 2),
                    # slow, and nothing new
                    ("mandel_count", 2),
                }
            ),
        ),
    ],
    "portable-70b.zip": [
        Selection("arch-kernels-v1--stub--portable-70b--null--8f39c5ba"),
        Selection("arch-kernels-v1--stub--portable-70b--null--14e0c972", only_failed=True),  # six provider errors: not graded
    ],
    "simd-x.zip": [Selection("arch-kernels-v1--stub--simd-x--null--d50891c8")],
}


def chosen_lines(traces: Path, selection: Selection) -> Iterator[str]:
    """The rows as they were written. A rollout's number is its rank among the rows of its kernel."""
    seen: Counter[str] = Counter()
    for line in traces.read_text().splitlines(keepends=True):
        row = json.loads(line)
        kernel = row["task"]["data"]["kernel"]
        rollout = seen[kernel]
        seen[kernel] += 1
        if (kernel, rollout) not in selection.without and not (selection.only_failed and row["ok"]):
            yield line


def write_bundle(path: Path, selections: list[Selection]) -> None:
    with zipfile.ZipFile(path, "w") as bundle:
        for selection in selections:
            folder = RUNS / selection.run
            add(bundle, f"{selection.run}/traces.jsonl", "".join(chosen_lines(folder / "traces.jsonl", selection)))
            config = "configs/resolved/eval.json"
            add(bundle, f"{selection.run}/{config}", (folder / config).read_text())


def add(bundle: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # Unix, wherever it is built
    bundle.writestr(entry, text, zipfile.ZIP_DEFLATED, 9)


def main() -> int:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "demo"
    for name, selections in SELECTIONS.items():
        write_bundle(target / name, selections)
        print(f"{name}: {(target / name).stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

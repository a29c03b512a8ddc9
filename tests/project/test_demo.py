"""The answers that `make demo` grades."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from demo.make_bundle import ROOT, SELECTIONS, write_bundle
from kernels.catalog import load_catalog

DEMO = ROOT / "demo"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def test_only_the_chosen_bundles_are_shipped() -> None:
    assert {path.name for path in DEMO.glob("*.zip")} == SELECTIONS.keys()


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_shipped_bundle_is_what_its_script_makes(name: str, tmp_path: Path) -> None:
    write_bundle(tmp_path / name, SELECTIONS[name])
    assert contents(tmp_path / name) == contents(DEMO / name)


def test_at_least_three_models_answer_the_same_kernels_twice() -> None:
    """Those that there were when the runs were recorded."""
    kernels = set()
    for name in SELECTIONS:
        lines = [
            line for path, text in contents(DEMO / name).items() if path.endswith("traces.jsonl") for line in text.splitlines()
        ]
        rows = [json.loads(line) for line in lines]
        answers = Counter(row["task"]["data"]["kernel"] for row in rows if row["ok"])
        kernels = kernels or set(answers)
        assert answers.keys() == kernels
        assert min(answers.values()) >= 2  # an interval needs two
    assert kernels <= load_catalog().keys()
    assert len(kernels) >= 13
    assert len(SELECTIONS) >= 3

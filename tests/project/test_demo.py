"""The answers that `make demo` grades."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from demo.make_bundle import ROOT, SELECTIONS, write_bundle

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


def test_at_least_three_models_answer_every_kernel() -> None:
    kernels = {path.parent.name for path in ROOT.glob("kernels/*/kernel.toml")}
    for name in SELECTIONS:
        (lines,) = (text.decode().splitlines() for path, text in contents(DEMO / name).items() if path.endswith("traces.jsonl"))
        assert {json.loads(line)["task"]["data"]["kernel"] for line in lines} == kernels
    assert len(SELECTIONS) >= 3

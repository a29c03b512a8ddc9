"""Versions: a hash that moves wants to be acknowledged."""

from pathlib import Path

from grading import version
from grading.harness_source import HarnessSource
from kernels.catalog import load_catalog

ACKNOWLEDGED = Path(__file__).resolve().parents[1] / "measurements.toml"


def test_every_version_has_been_acknowledged():
    moved = version.unacknowledged(ACKNOWLEDGED)
    assert not moved, (
        "kernels or the harness have changed. Where results no longer compare, raise `measurement` in kernel.toml or "
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

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command


def check(capsys, *options):
    try:
        call_command("check_sandboxes", *options)
    finally:
        printed = capsys.readouterr().out
    return printed.splitlines()


def test_each_architecture_has_a_line(settings, capsys):
    settings.SANDBOXES = {"amd64": "local", "arm64": ""}
    amd64, arm64 = check(capsys)
    assert amd64 == "amd64: local: ready"
    assert arm64 == "arm64: no sandbox: no arm64 sandbox configured"


def test_what_is_missing_is_named_and_the_status_says_so(settings, capsys, monkeypatch, tmp_path):
    pytest.importorskip("prime_sandboxes", reason="the extra `prime` is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PRIME_API_KEY", raising=False)
    settings.SANDBOXES = {"amd64": "local", "arm64": "prime"}
    with pytest.raises(CommandError, match="not every configured sandbox is ready"):
        call_command("check_sandboxes")
    amd64, arm64 = capsys.readouterr().out.splitlines()
    assert amd64 == "amd64: local: ready"
    assert arm64.startswith("arm64: prime: ")
    assert "PRIME_API_KEY" in arm64


def test_a_mistyped_sandbox_is_named(settings, capsys):
    settings.SANDBOXES = {"amd64": "locl", "arm64": ""}
    with pytest.raises(CommandError):
        call_command("check_sandboxes", "--arch", "amd64")
    assert "unknown sandbox 'locl'" in capsys.readouterr().out

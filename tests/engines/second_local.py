"""One sandbox more, as somebody adds it: a module, and its line in the registry (`pytest -p tests.engines.second_local`)."""

from __future__ import annotations

from grading.sandbox.local import LocalSandbox, why_unavailable
from grading.sandbox.registry import BACKENDS, Backend


class SecondLocal(LocalSandbox):
    name = "local2"


BACKENDS["local2"] = Backend(open=lambda arch, _: SecondLocal(arch), why_unavailable=why_unavailable, check=why_unavailable)

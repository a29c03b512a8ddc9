"""What is compared: answers of models, and the two sources that every kernel brings along."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grading.translation_unit import encode_source
from kernels.spec import KernelSpec

REFERENCE, TUNED, ANSWER = KINDS = ("reference", "tuned", "answer")  # in the order of tables


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One source of one kernel, graded once on each architecture. source is None where the reply held none."""

    identity: str  # of an answer as bundles define it; of a baseline its kind and kernel
    kind: str
    kernel: str
    source: str | None
    model: str = ""
    rollout: int = 0
    run: str = ""
    member: str = ""  # path inside the run
    line: int = 0

    @property
    def source_sha256(self) -> str:
        return hashlib.sha256(encode_source(self.source)).hexdigest() if self.source is not None else ""

    @property
    def name(self) -> str:
        """The name of the subject in a progress line."""
        return f"{self.model}, rollout {self.rollout}" if self.kind == ANSWER else self.kind

    def to_dict(self) -> dict[str, Any]:
        """The subject as JSON without its source, which the runs have."""
        kept = ("identity", "kind", "kernel", "model", "rollout", "run", "member", "line", "source_sha256")
        return {name: getattr(self, name) for name in kept}


def baselines(kernels: Iterable[KernelSpec]) -> list[Subject]:
    """The reference and the tuned code of each kernel."""
    return [
        Subject(identity=f"{kind}:{kernel.name}", kind=kind, kernel=kernel.name, source=source)
        for kernel in kernels
        for kind, source in ((REFERENCE, kernel.reference_source), (TUNED, kernel.tuned_source))
    ]

"""Every subject on every architecture, once: what the journal has is taken from there, the rest is graded and written to it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from grading.comparison.journal import Journal, Key
from grading.comparison.subjects import Subject
from grading.faults import Fault
from grading.pipeline import Options, grade_source
from grading.sandbox.base import Sandbox
from grading.sandbox.registry import open_sandbox
from grading.version import kernel_version
from kernels.catalog import get_kernel

ATTEMPTS = 3
BACKOFF_S = 5.0  # before the second attempt; three times as long before each further one

Opener = Callable[[str, str], Sandbox]
OnGraded = Callable[[Subject, str, Mapping[str, Any] | None], None]  # None: a fault of ours


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """A grading that failed on our side, which says nothing of the subject."""

    subject: Subject
    arch: str
    reason: str
    attempts: int  # 0: not tried, because the architecture has no usable sandbox

    def to_dict(self) -> dict[str, Any]:
        where = {"identity": self.subject.identity, "kernel": self.subject.kernel, "arch": self.arch}
        return where | {"reason": self.reason, "attempts": self.attempts}


@dataclass(kw_only=True)
class Gradings:
    """Grades what is not in the journal. Use as a context: it ends its sandboxes."""

    sandboxes: Mapping[str, str]  # architecture -> sandbox
    journal: Journal
    options: Options = field(default_factory=Options)
    open_sandbox: Opener = open_sandbox
    troubles: list[Trouble] = field(default_factory=list)
    _open: dict[str, Sandbox] = field(default_factory=dict)
    _unusable: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Gradings:
        return self

    def __exit__(self, *_: object) -> None:
        for arch in list(self._open):
            self._close(arch)

    def key(self, subject: Subject, arch: str) -> Key:
        return Key(
            identity=subject.identity,
            arch=arch,
            sandbox=self.sandboxes[arch],
            kernel_version=kernel_version(get_kernel(subject.kernel)),
            source_sha256=subject.source_sha256,
            settings=",".join(f"{name}={value}" for name, value in self.options.overrides.items()),
        )

    def missing(self, subjects: Iterable[Subject]) -> list[tuple[Subject, str]]:
        """What is still to be graded, an answer's architectures one after the other."""
        return [
            (subject, arch)
            for subject in subjects
            for arch in self.sandboxes
            if self.journal.record(self.key(subject, arch)) is None
        ]

    def outdated(self, subjects: Iterable[Subject]) -> list[str]:
        """Why gradings in the journal do not count any more, a sentence per reason."""
        reasons: Counter[str] = Counter()
        for subject in subjects:
            for arch in self.sandboxes:
                known, now = self.journal.entries.get((subject.identity, arch)), self.key(subject, arch)
                if known and known[0] != now:
                    reasons[_difference(known[0], now, subject.kernel)] += 1
        return [f"{n} grading{'' if n == 1 else 's'} of {reason}" for reason, n in reasons.items()]

    def grade(self, todo: Sequence[tuple[Subject, str]], on_graded: OnGraded) -> None:
        """One after the other: two gradings at a time on one host would measure each other."""
        for subject, arch in todo:
            on_graded(subject, arch, self._grade(subject, arch))

    def _grade(self, subject: Subject, arch: str) -> dict[str, Any] | None:
        """The record, after it was written; None after a fault that stayed, which is noted."""
        attempt, reason = 0, self._unusable.get(arch, "")
        while arch not in self._unusable and attempt < ATTEMPTS:
            if attempt:
                wait(BACKOFF_S * 3 ** (attempt - 1))
            attempt += 1
            key = self.key(subject, arch)
            try:
                record = grade_source(subject.source, get_kernel(subject.kernel), self._sandbox(arch), self.options).to_dict()
            except Fault as fault:
                reason = fault.reason
                self._close(arch)
                if fault.needs_operator:
                    self._unusable[arch] = reason
            else:
                self.journal.append(key, record)
                return record
        self.troubles.append(Trouble(subject=subject, arch=arch, reason=reason, attempts=attempt))
        return None

    def _sandbox(self, arch: str) -> Sandbox:
        if arch not in self._open:
            self._open[arch] = self.open_sandbox(self.sandboxes[arch], arch)
        return self._open[arch]

    def _close(self, arch: str) -> None:
        if arch in self._open:
            with suppress(Fault), closing(self._open.pop(arch)):
                pass


def wait(seconds: float) -> None:
    time.sleep(seconds)


def _difference(old: Key, new: Key, kernel: str) -> str:
    if old.kernel_version != new.kernel_version:
        return f"{kernel}: its version was {old.kernel_version} and is {new.kernel_version}"
    if old.sandbox != new.sandbox:
        return f"{new.arch}: its sandbox was {old.sandbox} and is {new.sandbox}"
    if old.settings != new.settings:
        return f"{new.arch}: made with {old.settings or 'the kernels’ own settings'}, asked for {new.settings or 'those now'}"
    return f"{kernel}: its source has changed"

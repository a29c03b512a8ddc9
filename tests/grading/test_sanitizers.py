"""The corpus through a harness under the address and undefined behaviour sanitizers: the same verdicts, and no report."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from grading.pipeline import Options, grade_source
from grading.sandbox.base import Completed
from grading.sandbox.local import LocalSandbox, host_arch
from kernels.catalog import get_kernel
from tests.grading.corpus import Entry, attacks_and_honest, of_kernels, quick_size
from tests.grading.test_corpus import options_for

REPORT = re.compile(rb"AddressSanitizer|LeakSanitizer|runtime error: |SUMMARY: \w+Sanitizer")


class SanitizedSandbox(LocalSandbox):
    """Its harness is built with the sanitizers; it keeps what a grading printed."""

    said = b""

    def _toolchain(self) -> tuple[str, ...]:
        return (*super()._toolchain(), "sanitizers")

    def _build_environment(self) -> dict[str, str]:
        return super()._build_environment() | {"SANITIZE": "1"}

    def run(self, command: list[str], timeout_s: float) -> Completed:
        done = super().run(command, timeout_s)
        self.said += done.stdout + done.stderr
        return done


@pytest.fixture(scope="module")
def sanitized() -> Iterator[SanitizedSandbox]:
    sandbox = SanitizedSandbox(host_arch())
    yield sandbox
    sandbox.close()


def options_of(entry: Entry) -> Options:
    if entry.group == "kernel":
        return Options(size=quick_size(entry.kernel), rounds=5, processes=1, total_s=30)
    return options_for(entry)


@pytest.mark.slow
@pytest.mark.parametrize("entry", [*attacks_and_honest(), *of_kernels()], ids=lambda entry: entry.name)
def test_the_harness_gives_the_same_verdict_under_sanitizers_and_they_report_nothing(entry, sanitized, local_sandbox):
    if entry.arch not in (None, sanitized.arch):
        pytest.skip(f"is {entry.arch} code")
    kernel, options = get_kernel(entry.kernel), options_of(entry)
    sanitized.said = b""
    result = grade_source(entry.source, kernel, sanitized, options)
    report = REPORT.search(sanitized.said)
    assert report is None, sanitized.said[max(0, report.start() - 500) : report.start() + 4000].decode(errors="replace")
    if result.verdict != entry.want:
        plain = grade_source(entry.source, kernel, local_sandbox, options)
        assert result.verdict == plain.verdict, f"{result.detail} | {plain.detail}"

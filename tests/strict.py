"""What CI asks of pytest beside the tests: `python -m pytest -p tests.strict [--share 3/8] [--until EPOCH_SECONDS]`.

A test is skipped only for what no installer of this project can provide; any other skip fails the run. `--share` takes every n-th
test. Tests that have not begun at `--until` are left out, and counted. `--failed-to FILE` keeps the names of those that failed,
and `--again FILE` runs these alone.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

# What a machine lacks that no package gives it. All else scripts/install_test_tools.sh and `make setup` install.
EXCUSED = (
    r"its double runs commands on this host as they are",
    r"this kernel does not let a filter ask",
    r"is (amd64|arm64) code",
    r"the verdicts are amd64's",
    r"needs an amd64 host",
    r"graded on amd64 and arm64 only",
    r"not a git checkout",
    r"docker: this host is no Linux|(cgroup|mount|namespace|overlay).*(not permitted|Operation not permitted|denied|read-only)",
    r"not root|only root|needs root",
    r"no Python of this version that another user may run",  # one in root's home
    r"no time left",
    r"no clang with libFuzzer",  # not in every distribution's clang
)
NO_TIME = "no time left: another run takes this test"


def is_excused(reason: str) -> bool:
    return any(re.search(pattern, reason, re.IGNORECASE) for pattern in EXCUSED)


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    said = report.longrepr
    return str(said[2] if isinstance(said, tuple) else said).removeprefix("Skipped: ")


class Strict:
    def __init__(self) -> None:
        self.unexcused: dict[str, str] = {}
        self.failed: dict[str, None] = {}  # in their order, each once
        self.left_out = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = reason_of(report)
        self.left_out += reason == NO_TIME
        if not is_excused(reason):
            self.unexcused[report.nodeid] = reason

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unexcused and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if names := session.config.getoption("--failed-to"):
            # Where a skip fails the run as well, to run the failed ones again would not help.
            Path(names).write_text("" if self.unexcused else "".join(f"{name}\n" for name in self.failed), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            terminalreporter.write_line(f"strict: {self.left_out} tests are left out: the time is over")
        for where, reason in self.unexcused.items():
            terminalreporter.write_line(f"strict: skipped without an excuse: {where}: {reason}")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("strict")
    group.addoption("--share", default="1/1", help="which share of the tests, and of how many: 3/8")
    group.addoption("--until", type=float, default=0.0, help="no test begins after this time (seconds since 1970)")
    group.addoption("--failed-to", help="a file for the names of the tests that fail")
    group.addoption("--again", help="only the tests of such a file")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # in the main process, which hears of every worker's tests
        config.pluginmanager.register(Strict(), "strict-skips")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, _, of = config.getoption("--share").partition("/")
    left = items[int(number) - 1 :: int(of)]
    if names := config.getoption("--again"):
        again = set(Path(names).read_text(encoding="utf-8").splitlines())
        left = [item for item in left if item.nodeid in again]
    kept = set(left)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = left


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if 0 < item.config.getoption("--until") < time.time():
        pytest.skip(NO_TIME)

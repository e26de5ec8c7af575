"""Counts the tests that are skipped. In CI, a reason that is not listed here fails the run."""

import os
from collections import Counter

import pytest

ALLOWED = (
    "many minutes: a kill before each statement",  # `make test-long` runs them
    "takes a minute",
    "a mirror knows what was live: nobody has to name points to it",
    "SOURCEBOOK_TEST_QDRANT_URL names no server",
    "mounting a file system is not possible here",  # only root may
    "needs node to run the workflow's code",
    "needs systemd-analyze",
    "There is no npm, which brings this client; install Node 20 or newer",
    "The clients from npm are not installed: run `make test-extras`",
)


def pytest_configure(config: pytest.Config) -> None:
    """A worker of pytest-xdist reports its skips to the process that started it."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(CountedSkips())


class CountedSkips:
    """Counts the reports of all workers."""

    def __init__(self) -> None:
        self._reasons: Counter[str] = Counter()

    @property
    def _unlisted(self) -> list[str]:
        return [one for one in self._reasons if os.environ.get("CI") and one not in ALLOWED]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # What is expected to fail counts as skipped, too.
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self._reasons[str(reason).removeprefix("Skipped: ")] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._unlisted and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for reason, count in self._reasons.most_common():
            terminalreporter.write_line(f"Skipped {count} tests: {reason}")
        for reason in self._unlisted:
            terminalreporter.write_line(f"ERROR: tests/skips.py does not allow: {reason}", red=True)

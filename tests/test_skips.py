"""A test that is skipped in CI without leave fails the run, also in a worker of pytest-xdist."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import ALLOWED

CONFTEST = "from tests.skips import pytest_configure\n"
TESTS = f"""
import pytest

def test_that_runs(): pass

@pytest.mark.xfail(reason="it does")
def test_that_fails(): raise ValueError

@pytest.mark.skip(reason={ALLOWED[0]!r})
def test_that_may_be_skipped(): pass

@pytest.mark.skip(reason="no chromium")
def test_that_may_not(): pass
"""


@pytest.mark.parametrize(("ci", "code"), [("1", pytest.ExitCode.TESTS_FAILED), ("", 0)])
def test_only_what_is_listed_may_be_skipped_in_ci(tmp_path: Path, ci: str, code: int) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    plugins = ["-p", "xdist", "-n1", "-p", "no:cacheprovider"]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, str(tmp_path)],
        env={**os.environ, "CI": ci, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == code, done.stdout + done.stderr
    assert f"Skipped 1 tests: {ALLOWED[0]}" in done.stdout
    assert "Skipped 1 tests: no chromium" in done.stdout
    assert done.stdout.count("does not allow") == (1 if ci else 0)

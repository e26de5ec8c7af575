"""Runs a command line inside this process."""

import sys

import pytest

from sourcebook.cli.main import main


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run `sourcebook` with these arguments and return its exit code; pytest's logging stays."""
    monkeypatch.setattr("sourcebook.service.logging.set_up_logging", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["sourcebook", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    code = ended.value.code
    assert isinstance(code, int)
    return code

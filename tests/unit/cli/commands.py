"""Runs a command line inside this process."""

import asyncio
import sys
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from sourcebook.cli.main import app, main
from sourcebook.core.errors import SourcebookError


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    error: str


async def command(*arguments: str) -> Done:
    """Run a command, in a thread: it has an event loop of its own."""
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    error = result.exception.message if isinstance(result.exception, SourcebookError) else ""
    return Done(result.exit_code, result.output, error)


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run `sourcebook` with these arguments and return its exit code; pytest's logging stays."""
    monkeypatch.setattr("sourcebook.service.logging.set_up_logging", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["sourcebook", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    code = ended.value.code
    assert isinstance(code, int)
    return code

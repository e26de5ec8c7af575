"""Tab completion knows the commands and their options."""

import pytest
from typer.testing import CliRunner

from sourcebook.cli.main import app


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("sourcebook ver", "verify"), ("sourcebook ingest --wa", "--watch")],
)
def test_what_is_typed_is_completed(typed: str, completed: str) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    asked = {"_SOURCEBOOK_COMPLETE": "complete_bash", **words}

    done = CliRunner().invoke(app, [], env=asked, prog_name="sourcebook")

    assert done.stdout.split() == [completed]

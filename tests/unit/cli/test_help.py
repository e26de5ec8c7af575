"""The command line answers at once: it loads no SDK before it needs one."""

import json
import subprocess
import sys

import pytest

# Typer itself loads pydantic for some commands, so that one is not ours to avoid.
HEAVY = ["openvino", "numpy", "fastapi", "sqlalchemy", "tokenizers"]
HEAVY += ["uvicorn", "structlog", "yaml", "httpx2", "huggingface_hub", "alembic", "orjson"]
HEAVY += ["ir_measures", "scipy", "mcp", "openai"]

COMMAND_LINES = [
    ["--help"],
    ["up", "--help"],
    ["serve", "--help"],
    ["ingest", "--help"],
    ["ask", "--help"],
    ["search", "--help"],
    ["mcp", "--help"],
    ["models", "--help"],
    ["providers", "--help"],
    ["providers", "test", "--help"],
    ["backup", "--help"],
    ["export", "--help"],
    ["import", "--help"],
    ["eval", "--help"],
    ["eval", "run", "--help"],
    ["eval", "record", "--help"],
    ["--version"],
]

# One process for all: what an earlier command line loads stays loaded for the later ones.
SCRIPT = """
import json, sys
from sourcebook.cli.main import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["sourcebook", *arguments]
    try:
        main()
    except SystemExit as end:
        code = end.code
    print("LOADED", sorted(name for name in %r if name in sys.modules))
"""


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    """What is loaded after each of the command lines."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT % (HEAVY,), json.dumps(COMMAND_LINES)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if line.startswith("LOADED")]


@pytest.mark.parametrize("index", range(len(COMMAND_LINES)), ids=map(" ".join, COMMAND_LINES))
def test_help_loads_no_sdk(loaded: list[str], index: int) -> None:
    assert loaded[index] == "LOADED []"

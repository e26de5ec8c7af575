"""The command line answers at once: it loads no SDK before it needs one."""

import subprocess
import sys

import pytest

# Typer itself loads pydantic for some commands, so that one is not ours to avoid.
HEAVY = ["openvino", "numpy", "fastapi", "sqlalchemy", "qdrant_edge", "tokenizers"]
HEAVY += ["uvicorn", "structlog", "yaml", "httpx2", "huggingface_hub", "alembic", "orjson"]

SCRIPT = """
import sys
sys.argv = ["sourcebook", *sys.argv[1:]]
from sourcebook.cli.main import main
try:
    main()
except SystemExit as end:
    code = end.code
print("LOADED", sorted(name for name in %r if name in sys.modules))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["serve", "--help"],
        ["ingest", "--help"],
        ["ask", "--help"],
        ["search", "--help"],
        ["models", "--help"],
        ["providers", "--help"],
        ["providers", "test", "--help"],
        ["--version"],
        [],
    ],
)
def test_help_loads_no_sdk(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT % (HEAVY,), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.splitlines()[-1] == "LOADED []"

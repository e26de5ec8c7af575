"""A command that has the data folder for itself loads what it needs, and nothing else."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KNEE = "How far can Wren's knee bend?"
# Each takes from a tenth of a second to seconds, and only a server or another command needs it.
SERVER = ["fastapi", "uvicorn", "prometheus_client", "mcp", "sourcebook.service.http.app"]
OTHERS = ["openai", "agents", "structlog", "alembic", "markdown_it", "dulwich", "docutils"]
OTHERS += ["selectolax", "huggingface_hub", "httpcore2", "sqlalchemy.dialects.postgresql"]
# A search reads nothing and answers nothing.
ANSWERS = ["sourcebook.answering.sessions", "sourcebook.answering.proof"]
ANSWERS += ["sourcebook.surfaces.chat", "sourcebook.providers.readers.openvino"]

SCRIPT = """
import json, sys
from sourcebook.cli.main import main
sys.argv = ["sourcebook", *json.loads(sys.argv[1])]
try:
    main()
except SystemExit as end:
    code = end.code
print("LOADED", json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(scope="module")
def data(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(ingested, tmp_path_factory.mktemp("cold") / "data")


@pytest.mark.parametrize(
    ("command", "needless"), [("search", SERVER + OTHERS + ANSWERS), ("ask", SERVER + OTHERS)]
)
def test_a_command_imports_only_what_it_needs(
    data: Path, command: str, needless: list[str]
) -> None:
    arguments = json.dumps([command, KNEE, "--data-dir", str(data)])

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    shown, _, modules = done.stdout.partition("LOADED ")
    assert "Joint limits" in shown, done.stderr
    assert set(json.loads(modules)) & set(needless) == set()

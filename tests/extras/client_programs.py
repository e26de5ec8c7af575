"""Where the clients of other projects are installed, and how their programs are run."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parent / "clients"
# `make test-extras` installs both.
PYTHON = Path(__file__).parents[2] / ".venv-clients" / "bin" / "python"
NODE_COMMANDS = CLIENTS / "node_modules" / ".bin"
TIMEOUT_S = 120
# Clients may not report to their makers that they are being tried.
QUIET: Mapping[str, str] = {
    "AI_SDK_LOG_WARNINGS": "false",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
}


def run_python(script: str, *arguments: str) -> str:
    """What a Python client prints."""
    if not PYTHON.exists():
        pytest.skip("The clients are not installed: run `make test-extras`")
    return _printed(str(PYTHON), str(CLIENTS / script), *arguments)


def run_node(script: str, *arguments: str) -> str:
    """What a JavaScript client prints."""
    return run_npm_command("node", str(CLIENTS / script), *arguments)


def run_npm_command(name: str, *arguments: str) -> str:
    """What a command from npm prints."""
    if shutil.which("npm") is None:
        pytest.skip("There is no npm, which brings this client; install Node 20 or newer")
    if not (NODE_COMMANDS / name).exists():
        pytest.skip("The clients from npm are not installed: run `make test-extras`")
    return _printed(str(NODE_COMMANDS / name), *arguments)


def _printed(*command: str) -> str:
    # First the Node that came with them: the machine's may be too old.
    path = f"{NODE_COMMANDS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        env={**os.environ, **QUIET, "PATH": path},
        capture_output=True,
        check=False,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout

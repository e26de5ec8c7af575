"""What somebody can type to ask a service that has just started."""

import shlex
import shutil
import sys
from pathlib import Path

import orjson

COMMAND = "sourcebook"


def ask_command(question: str, data_dir: Path | None) -> str:
    """The command, as it works in another terminal; the data folder if it must be named."""
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    return f'{_command()} ask "{question}"{where}'


def chat_request(question: str, url: str) -> str:
    """The same over HTTP."""
    body = shlex.quote(orjson.dumps({"query": question}).decode())
    return f"curl -s {url}/chat -H 'Content-Type: application/json' -d {body}"


def _command() -> str:
    """The name alone, if the shell finds it; else where it is."""
    beside = Path(sys.executable).with_name(COMMAND)
    if shutil.which(COMMAND) or not beside.exists():
        return COMMAND
    here = Path.cwd()
    return shlex.quote(str(beside.relative_to(here) if beside.is_relative_to(here) else beside))

"""What to type in another terminal, once a book is served."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.cli.terminal import err

if TYPE_CHECKING:
    from sourcebook.answering.suggested_questions import Suggestion
    from sourcebook.service.config.settings import Settings

COMMAND = "sourcebook"
# What means something to a shell between double quotes.
_SPECIAL = re.compile(r"[\"$`\\!]")


def show_question(suggestion: "Suggestion", url: str, settings: "Settings") -> None:
    # Elsewhere, the command would not find what was only named here.
    data_dir = settings.data_dir if "data_dir" in settings.model_fields_set else None
    if suggestion.question is not None:
        err.print("\nAsk it something, in another terminal:\n")
        err.print(f"  {ask_command(suggestion.question, data_dir)}\n", style="cyan")
        err.print("or over HTTP:\n")
        err.print(f"  {chat_request(suggestion.question, url)}\n", style="cyan")
    elif suggestion.search is not None:
        err.print("\nSearch it, in another terminal:\n")
        err.print(f"  {search_command(suggestion.search, data_dir)}\n", style="cyan")
    err.print("Press Ctrl+C to stop.\n", style="dim")


def ask_command(question: str, data_dir: Path | None) -> str:
    """Return the `ask` command as it works in another terminal; `data_dir` if it must be named."""
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    return f"{_executable()} ask {_quoted(question)}{where}"


def search_command(words: str, data_dir: Path | None) -> str:
    """Return the `search` command as it works in another terminal."""
    where = "" if data_dir is None else f" --data-dir {shlex.quote(str(data_dir))}"
    return f"{_executable()} search {_quoted(words)}{where}"


def chat_request(question: str, url: str) -> str:
    """Return the curl command that asks the same over HTTP."""
    import orjson

    body = shlex.quote(orjson.dumps({"query": question}).decode())
    return f"curl -s {url}/chat -H 'Content-Type: application/json' -d {body}"


def _quoted(text: str) -> str:
    """The text as one word of a shell, in double quotes if that is enough."""
    return shlex.quote(text) if _SPECIAL.search(text) else f'"{text}"'


def _executable() -> str:
    """The command's name, if the shell finds it; else its path."""
    beside = Path(sys.executable).with_name(COMMAND)
    if shutil.which(COMMAND) or not beside.exists():
        return COMMAND
    here = Path.cwd()
    return shlex.quote(str(beside.relative_to(here) if beside.is_relative_to(here) else beside))

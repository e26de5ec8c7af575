"""What quickstart suggests can be typed as it stands."""

import json
import shlex
from pathlib import Path

from sourcebook.cli.quickstart import ask_command, chat_request

QUESTION = "How far can Wren's knee bend?"


def test_the_command_names_a_folder_only_if_it_must() -> None:
    name, *usual = shlex.split(ask_command(QUESTION, None))
    named = shlex.split(ask_command(QUESTION, Path("/my data")))

    assert Path(name).name == "sourcebook"
    assert usual == ["ask", QUESTION]
    assert named == [name, "ask", QUESTION, "--data-dir", "/my data"]


def test_the_request_carries_the_question() -> None:
    command = shlex.split(chat_request(QUESTION, "http://localhost:8000"))

    assert "http://localhost:8000/chat" in command
    assert json.loads(command[-1]) == {"query": QUESTION}

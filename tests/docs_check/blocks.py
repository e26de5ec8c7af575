"""Finds the command blocks of a page, and what the page says that they print.

A comment before a block, which no reader sees, says how to treat it:

    <!-- docs-check: skip because REASON -->   it cannot run here
    <!-- docs-check: file NAME -->             write it to this file; a block of any language
    <!-- docs-check: first COMMAND -->         run this before, to prepare what the page assumes
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

RUNNABLE = ("bash", "sh", "console", "python")
OUTPUT = ("", "text", "json")
PROMPT = "$ "

_FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,})(?P<language>\w*)\s*$")
_DIRECTIVE = re.compile(r"^ *<!-- docs-check: (?P<word>skip because|file|first) (?P<rest>.*?) -->$")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
# A reply that is shown as a comment under its command.
_SHOWN_JSON = re.compile(r"^# ?([{\[ ].*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; `line` is where it begins. `shown` is the output under it."""

    line: int
    language: str
    text: str
    skip: str | None = None
    file: str | None = None
    first: tuple[str, ...] = ()
    shown: str | None = None

    @property
    def runnable(self) -> bool:
        """True if the block holds commands or a program."""
        return self.language in RUNNABLE or self.is_session

    @property
    def is_session(self) -> bool:
        """True if commands follow a prompt, with their output between them."""
        return self.language in ("console", "text") and self.text.startswith(PROMPT)


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it was typed, with the output that the page shows for it, if any."""

    text: str
    shown: str | None = None


def find_blocks(page: str) -> list[Block]:
    """Return the blocks to run, to write or to skip, in the order of the page."""
    found: list[Block] = []
    follows = False
    for block, adjacent in _fenced(page):
        if follows and adjacent and block.language in OUTPUT and not block.runnable:
            found[-1] = replace(found[-1], shown=block.text)
            follows = False
            continue
        follows = block.runnable and not block.is_session
        if block.runnable or block.file is not None:
            found.append(block)
    return found


def commands(block: Block) -> list[Command]:
    """Split a block of a shell into its commands."""
    if block.is_session:
        return _session_commands(block.text)
    typed = _shell_commands(block.text)
    if block.shown is not None and typed:
        typed[-1] = replace(typed[-1], shown=block.shown)
    return typed


def _fenced(page: str) -> list[tuple[Block, bool]]:
    """Return every fenced block, and whether only empty lines are between it and the last one."""
    blocks: list[tuple[Block, bool]] = []
    directives: list[tuple[str, str]] = []
    adjacent = False
    lines = iter(enumerate(page.splitlines(), 1))
    for number, line in lines:
        if (fence := _FENCE.match(line)) is not None:
            text = _until(lines, fence["indent"] + fence["marks"], len(fence["indent"]))
            blocks.append((_block(number, fence["language"], text, directives), adjacent))
            directives, adjacent = [], True
        elif (directive := _DIRECTIVE.match(line)) is not None:
            directives.append((directive["word"], directive["rest"]))
        elif line.strip():
            directives, adjacent = [], False
    return blocks


def _until(lines: Iterator[tuple[int, str]], end: str, indent: int) -> str:
    taken = []
    for _, line in lines:
        if line.rstrip() == end:
            break
        taken.append(line[indent:] if not line[:indent].strip() else line)
    return "".join(f"{line}\n" for line in taken)


def _block(line: int, language: str, text: str, directives: list[tuple[str, str]]) -> Block:
    said = dict(directives)
    first = tuple(rest for word, rest in directives if word == "first")
    return Block(line, language, text, said.get("skip because"), said.get("file"), first)


def _session_commands(text: str) -> list[Command]:
    found: list[Command] = []
    for line in text.splitlines():
        last = found[-1] if found else Command("")
        if line.startswith(PROMPT):
            found.append(Command(line.removeprefix(PROMPT)))
        elif last.text.endswith("\\") and last.shown is None:
            found[-1] = Command(f"{last.text}\n{line}")
        else:
            found[-1] = Command(last.text, f"{last.shown or ''}{line}\n")
    return found


def _shell_commands(text: str) -> list[Command]:
    found: list[Command] = []
    lines = text.splitlines()
    while lines:
        line = lines.pop(0)
        if (shown := _SHOWN_JSON.match(line)) is not None and found:
            found[-1] = Command(found[-1].text, f"{found[-1].shown or ''}{shown[1]}\n")
        elif line.strip() and not line.startswith("#"):
            found.append(Command(_whole(line, lines)))
    return found


def _whole(line: str, rest: list[str]) -> str:
    """Return a command with the lines that belong to it, which are taken from the rest."""
    taken = [line]
    heredoc = _HEREDOC.search(line)
    while rest and heredoc is not None and taken[-1].strip() != heredoc[2]:
        taken.append(rest.pop(0))
    while rest and taken[-1].rstrip().endswith("\\"):
        taken.append(rest.pop(0))
    return "\n".join(taken)

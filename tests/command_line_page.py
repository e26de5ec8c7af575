"""Writes the commands and their options into docs/command-line.md, from the commands themselves.

`make format` runs it; tests/test_docs.py fails if the page is not what it would write.
"""

from collections.abc import Iterator
from pathlib import Path

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from sourcebook.cli.main import app

PAGE = Path(__file__).parent.parent / "docs" / "command-line.md"
BEGIN = "<!-- written by `make format` from the commands themselves -->\n"


def with_commands(page: str) -> str:
    """Return the page with every command as it is now."""
    written_by_hand, found, _ = page.partition(BEGIN)
    assert found, f"{PAGE.name} must hold the line {BEGIN}"
    commands = get_command(app)
    assert isinstance(commands, TyperGroup)
    return written_by_hand + BEGIN + "".join(_sections(commands, ()))


def _sections(group: TyperGroup, above: tuple[str, ...]) -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _sections(command, (*above, name))
        elif isinstance(command, TyperCommand) and not command.hidden:
            yield _section(command, (*above, name))


def _section(command: TyperCommand, names: tuple[str, ...]) -> str:
    context = command.make_context(" ".join(names), [], resilient_parsing=True)
    arguments = [p for p in command.params if isinstance(p, TyperArgument) and not p.hidden]
    options = [p for p in command.params if isinstance(p, TyperOption) and not p.hidden]
    title = " ".join(["sourcebook", *names, *map(_called, arguments)])
    rows = [(_called(argument), argument.help or "") for argument in arguments]
    rows += [record for option in options if (record := option.get_help_record(context))]
    table = "".join(f"| `{_cell(option)}` | {_cell(text)} |\n" for option, text in rows)
    help_ = " ".join((command.help or "").split())
    return f"\n### `{title}`\n\n{help_}\n\n| option | meaning |\n|---|---|\n{table}"


def _called(argument: TyperArgument) -> str:
    return argument.metavar or str(argument.name).upper()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("[env var: ", "[env: ")


if __name__ == "__main__":
    PAGE.write_text(with_commands(PAGE.read_text("utf-8")), "utf-8")

"""`sourcebook providers`: lists the providers, shows their settings and tests connections."""

import json
import os
import sys
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from sourcebook.cli.exit_codes import FAILED
from sourcebook.cli.options import Json
from sourcebook.cli.terminal import counted, err, out, strip_controls
from sourcebook.core.errors import InvalidInput
from sourcebook.core.metadata import JsonValue
from sourcebook.core.providers import (
    ConnectionField,
    ConnectionTest,
    ProviderCard,
    ProviderDirectory,
    ProviderKind,
    without_none,
)

T = TypeVar("T")

MAX_SHOWN_COLLECTIONS = 20
OWN_PACKAGE = "sourcebook"

app = typer.Typer(
    no_args_is_help=True,
    help="List vector stores, embedders, rerankers and language models, and try them out.",
)

Id = Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.", show_default=False)]
OfKind = Annotated[
    ProviderKind | None,
    typer.Option(help="Of this kind only: one id may stand for providers of two kinds."),
]


@app.command("list")
def list_(kind: OfKind = None, as_json: Json = False) -> None:
    """Show every provider that is installed, ours and other people's."""
    cards = [card for card in _directory().cards() if kind in {None, card.kind}]
    if as_json:
        known = [without_none(asdict(card) | {"install": card.install}) for card in cards]
        _print_json({"providers": known})
        return
    table = Table(box=None)
    for heading in ("kind", "id", "state"):
        table.add_column(heading, no_wrap=True, overflow="fold")
    # On a narrow terminal the words are broken up, and nothing is cut.
    table.add_column("what it is", overflow="fold")
    for card in cards:
        table.add_row(
            card.kind, strip_controls(card.id), _state(card), strip_controls(_described(card))
        )
    out.print(table)
    _show_notes(cards)


@app.command()
def schema(provider: Id, kind: OfKind = None, as_json: Json = False) -> None:
    """Show the settings of a provider."""
    found = _run(_directory().schema(provider, kind))
    if as_json:
        _print_json(found.as_dict())
        return
    card = found.card
    name = strip_controls(card.display_name)
    out.print(Text(f"{name} ({card.kind} {strip_controls(card.id)})", "bold"))
    out.print(strip_controls(card.description))
    if not found.fields:
        out.print("There is nothing to set.")
        return
    table = Table("setting", "type", "", "description", box=None)
    for field in found.fields:
        table.add_row(field.name, field.type, _need(field), strip_controls(field.description))
    out.print(table)


@app.command("test")
def check_connection(
    provider: Id,
    kind: OfKind = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE_OR_JSON", help="The settings: a JSON or YAML file, or JSON."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="One setting; '${NAME}' is looked up in the environment, which keeps keys out"
            " of the shell's history.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Try settings out: check them and connect, within 10 s. Exit code 1 if it fails."""
    given = read_settings(config, settings or [])
    report = _run(_directory().test(provider, given, kind))
    if as_json:
        _print_json(without_none(asdict(report)))
    elif report.success:
        _show_success(report)
    else:
        reason = strip_controls(report.error or "no reason was given")
        err.print(Text(f"{report.provider}: {report.error_type}. {reason}", style="red"))
    if not report.success:
        raise typer.Exit(FAILED)


def read_settings(config: str | None, settings: Sequence[str]) -> dict[str, JsonValue]:
    """Merge --config with each --set, which wins. InvalidInput repeats no value."""
    configured = {} if config is None else _read_config(config)
    return {**configured, **dict(map(_split_setting, settings))}


def _read_config(config: str) -> dict[str, JsonValue]:
    import yaml

    is_json = config.lstrip().startswith("{")
    where = "--config" if is_json else f"The file {config!r}"
    try:
        found = json.loads(config) if is_json else yaml.safe_load(Path(config).read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"{where} cannot be read: {error.strerror}") from None
    except (ValueError, yaml.YAMLError, RecursionError):
        # Their own words quote the line, which may hold a key.
        raise InvalidInput(f"{where} is no valid JSON{'' if is_json else ' or YAML'}") from None
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise InvalidInput(f"{where} must hold an object of settings, such as {{'url': '…'}}")
    return found


def _split_setting(setting: str) -> tuple[str, JsonValue]:
    name, found, value = setting.partition("=")
    if not found or not name.strip():
        raise InvalidInput("--set takes NAME=VALUE, such as --set url=http://localhost:6333")
    return name.strip(), value


def _directory() -> ProviderDirectory:
    from sourcebook.service.logging import set_up_logging
    from sourcebook.service.providers.directory import operator_directory

    set_up_logging("error", "auto")
    return operator_directory(os.environ)


def _run(call: Coroutine[object, object, T]) -> T:
    import asyncio

    # A plug-in may print; standard output must hold nothing but our own, for whoever parses it.
    with redirect_stdout(sys.stderr):
        return asyncio.run(call)


def _show_success(report: ConnectionTest) -> None:
    seconds = f"{report.duration_ms / 1000:.1f} s"
    out.print(Text(f"{report.provider}: connected in {seconds}", style="green"))
    for name, value in report.details.items():
        out.print(f"  {strip_controls(name)}: {strip_controls(str(value))}")
    names = report.collections
    if names is not None:
        count = len(names) if report.collection_count is None else report.collection_count
        shown = ", ".join(strip_controls(name) for name in names[:MAX_SHOWN_COLLECTIONS])
        more = " …" if count > len(names[:MAX_SHOWN_COLLECTIONS]) else ""
        out.print(f"  {counted(count, 'collection')}{': ' if shown else ''}{shown}{more}")


def _described(card: ProviderCard) -> str:
    """The description, and the package if it is not ours."""
    if card.package == OWN_PACKAGE:
        return card.description
    return f"{card.description} ({card.package} {card.version})"


def _state(card: ProviderCard) -> Text:
    if card.problem is not None:
        return Text("broken", style="red")
    return Text("installed") if card.installed else Text("missing", style="yellow")


def _show_notes(cards: Sequence[ProviderCard]) -> None:
    """Print how to install or mend what cannot be used, on lines that can be copied."""
    commands = dict.fromkeys(card.install for card in cards if card.install is not None)
    if commands:
        out.print("\nTo install what is missing:")
    for command in commands:
        out.print(f"  {strip_controls(command)}")
    for card in cards:
        if card.problem is not None:
            name, problem = strip_controls(card.id), strip_controls(card.problem)
            err.print(Text(f"{card.kind} {name}: {problem}", "red"))


def _need(field: ConnectionField) -> str:
    if field.required:
        return "required"
    return "" if field.default is None else f"default {strip_controls(str(field.default))}"


def _print_json(told: Mapping[str, object]) -> None:
    print(json.dumps(told, ensure_ascii=False))
